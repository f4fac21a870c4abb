import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { overflowOf, seriousFindings, type Stage, visit } from "./stage.ts"

/** The page that a project publishes, for people who are not signed in. */
export const statusPageSuite = (stage: () => Stage) =>
  describe("a status page", () => {
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
            expect(failed).toEqual([])
          } finally {
            await context.close()
          }
        }
      })
    })
  })
