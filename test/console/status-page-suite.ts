import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { overflowOf, seriousFindings, type Stage, visit } from "./stage.ts"

/** The page that a project publishes, for people who are not signed in. */
export const statusPageSuite = (stage: () => Stage) =>
  describe("a status page", () => {
    it("spec/status-pages §4: shows its subscriptions to administrators, who can delete them", async () => {
      await visit(stage(), { role: "admin" }, async ({ page, open, says, api, organization }) => {
        const { server } = stage()
        const slug = `subscribed-${organization}`
        await api.apply([{ kind: "Project", metadata: { name: "shop" }, spec: { statusPage: { slug } } }])
        await open("/projects/shop")
        await says("No subscriptions yet. People subscribe on the status page.")
        const url = `${server.receiver.url}/subscriber`
        const subscribed = await fetch(`${server.url}/status/${slug}/subscribe`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ url }),
        })
        expect(subscribed.status).toBe(202)
        await page.reload()
        const row = page
          .getByRole("table", { name: "Subscriptions" })
          .getByRole("row", { name: new URL(url).host })
        await row.getByRole("cell", { name: "Webhook" }).waitFor()
        await row.locator("time").waitFor()
        expect(await row.getByText("Not confirmed").count()).toBe(0)
        // The path of a webhook can be a secret.
        expect(await page.locator("main").innerText()).not.toContain("/subscriber")
        expect(await seriousFindings(page)).toEqual([])
        await row.getByRole("button", { name: "Delete subscription" }).click()
        const dialog = page.getByRole("dialog", { name: "Delete this subscription?" })
        await dialog.getByRole("button", { name: "Delete subscription" }).click()
        await says("No subscriptions yet. People subscribe on the status page.")
      })
      await visit(stage(), { role: "editor" }, async ({ page, open, api, organization }) => {
        const statusPage = { slug: `other-${organization}` }
        await api.apply([{ kind: "Project", metadata: { name: "shop" }, spec: { statusPage } }])
        await open("/projects/shop")
        await page.getByRole("link", { name: "View status page" }).waitFor()
        expect(await page.getByRole("heading", { name: "Subscriptions" }).count()).toBe(0)
      })
    })

    it("spec/status-pages §2: is read without signing in, on a phone, in light and dark", async () => {
      await visit(stage(), {}, async ({ api, organization }) => {
        const slug = `shop-${organization}`
        await api.apply([
          {
            kind: "Project",
            metadata: { name: "shop", displayName: "Shop" },
            spec: { statusPage: { slug, description: "All of the shop." } },
          },
          { kind: "Service", metadata: { name: "checkout", project: "shop", displayName: "Checkout" } },
          { ...anSlo("pay"), metadata: { name: "pay", project: "shop" } },
        ])
        for (const colorScheme of ["light", "dark"] as const) {
          const context = await stage().browser.newContext({
            baseURL: stage().server.url,
            viewport: { width: 390, height: 840 },
            colorScheme,
          })
          try {
            const page = await context.newPage()
            const failed: Array<string> = []
            page.on("response", (response) => response.ok() || failed.push(response.url()))
            page.on("console", (message) => message.type() === "error" && failed.push(message.text()))
            await page.goto(`/status/${slug}`)
            await page.getByRole("heading", { level: 3, name: "Checkout" }).waitFor()
            await page.getByRole("img", { name: "Checkout: No data" }).waitFor()
            expect(await page.title()).toBe("Shop status: No data")
            expect(await overflowOf(page)).toBe(0)
            expect(await seriousFindings(page)).toEqual([])
            await page.getByRole("link", { name: "Deutsch" }).click()
            await page.getByRole("img", { name: "Checkout: Keine Daten" }).waitFor()
            expect(await page.title()).toBe("Status von Shop: Keine Daten")
            expect(await overflowOf(page)).toBe(0)
            expect(await seriousFindings(page)).toEqual([])
            await page.getByRole("link", { name: "Meldungen abonnieren" }).click()
            await page.getByLabel("URL eines Webhooks").waitFor()
            expect(await seriousFindings(page)).toEqual([])
            expect(failed).toEqual([])
          } finally {
            await context.close()
          }
        }
      })
    })
  })
