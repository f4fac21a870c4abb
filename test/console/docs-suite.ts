import { describe, expect, it } from "vitest"
import { clientSecret } from "./console-server.ts"
import { eventually, findings, overflowOf, type Stage, visit, watchFaults } from "./stage.ts"

/** The API reference. */
export const docsSuite = (stage: () => Stage) =>
  describe("the API reference", () => {
    it("spec/http §5: loads one compressed document of at most 400 KB and nothing else", async () => {
      const { url } = stage().server
      for (const coding of ["br", "gzip"]) {
        const response = await fetch(`${url}/docs`, { headers: { "accept-encoding": coding } })
        expect(response.headers.get("content-encoding")).toBe(coding)
        expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0)
        expect(Number(response.headers.get("content-length"))).toBeLessThanOrEqual(400_000)
      }
      await visit(stage(), {}, async ({ page }) => {
        await page.goto("/docs", { waitUntil: "networkidle" })
        const loaded = `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)`
        expect(await page.evaluate(loaded)).toEqual(["/api/console/session"])
      })
    })

    for (const colorScheme of ["light", "dark"] as const)
      it(`spec/http §5: is accessible and fits wide and narrow screens, ${colorScheme}`, async () => {
        await visit(stage(), { colorScheme }, async ({ page }) => {
          await page.goto("/docs#applyDefinitions")
          await page.getByText("Signed in to").waitFor()
          // What is far from the viewport is not rendered until then, and what is closed not until it is opened.
          await page.evaluate(`document.querySelectorAll(".operation, .component").forEach((each) => {
            each.style.contentVisibility = "visible"
          })`)
          await page.evaluate(`document.querySelectorAll("details").forEach((each) => { each.open = true })`)
          for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 840 })
            expect({ width, overflow: await overflowOf(page) }).toEqual({ width, overflow: 0 })
            expect(await findings(page)).toEqual([])
          }
        })
      })

    it("spec/http §5: has the color scheme of the web console", async () => {
      await visit(stage(), { colorScheme: "light" }, async ({ page }) => {
        const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
        await page.goto("/docs")
        expect(await background()).toBe("rgb(245, 246, 249)")
        await page.getByLabel("Theme").selectOption("Dark")
        expect(await background()).toBe("rgb(14, 17, 24)")
        await page.goto("/slos")
        await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark")
        await page.goto("/docs")
        expect(await background()).toBe("rgb(14, 17, 24)")
      })
    })

    it("spec/http §5: sends requests with the session, also those that write", async () => {
      await visit(stage(), {}, async ({ page, organization, api }) => {
        await page.goto("/docs")
        await page.getByText(`Signed in to ${organization} as editor`).waitFor()
        const apply = page.locator("#applyDefinitions .try")
        await apply.locator("summary").click()
        await apply.getByLabel("Body").fill(
          JSON.stringify([
            {
              apiVersion: "tocsin/v1alpha",
              kind: "Service",
              metadata: { name: "from-docs", project: "default" },
            },
          ]),
        )
        await apply.getByRole("button", { name: "Send request" }).click()
        await apply.getByText(/^200 OK in/).waitFor()
        expect(await api.send("GET", "/api/get/services", undefined, "*")).toContain("from-docs")
        // The command has no credentials, and the organization of the session.
        await expect
          .poll(() => apply.getByText("curl -X PUT").textContent())
          .toContain(`organization: ${organization}`)
      })
    })

    it("spec/http §5: sends requests with a token, which it does not keep", async () => {
      const { browser, server } = stage()
      const organization = server.newOrganization()
      const context = await browser.newContext({ baseURL: server.url })
      try {
        const page = await context.newPage()
        const faults = watchFaults(page)
        await page.goto("/docs")
        await page.getByText("Not signed in.").waitFor()
        await page.getByLabel("Organization", { exact: true }).fill(organization)
        const list = page.locator("#listSlos .try")
        await list.locator("summary").click()
        await list.getByRole("button", { name: "Send request" }).click()
        await list.getByText("Enter an access token").waitFor()
        const issue = page.locator("#issueAccessToken .try")
        await issue.locator("summary").click()
        await issue.getByLabel("Client ID").fill("viewer")
        await issue.getByLabel("Client secret").fill(clientSecret)
        await issue.getByRole("button", { name: "Send request" }).click()
        await issue.getByText("now use this token").waitFor()
        await list.getByRole("button", { name: "Send request" }).click()
        await list.getByText(/^200 OK in/).waitFor()
        expect(await page.locator(".result").allTextContents()).not.toContain(clientSecret)
        expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain("ey")
        await page.reload()
        expect(await page.getByRole("textbox", { name: "Access token" }).inputValue()).toBe("")
        expect(faults).toEqual([])
      } finally {
        await context.close()
      }
    })

    it("finds operations by words, with the keyboard", async () => {
      await visit(stage(), {}, async ({ page }) => {
        await page.goto("/docs")
        await page.getByRole("searchbox").fill("bulk CANCEL")
        const links = page.getByRole("navigation", { name: "Operations" }).getByRole("link")
        await eventually(async () => expect(await links.allTextContents()).toHaveLength(1))
        await links.first().press("Enter")
        await expect.poll(() => page.evaluate("location.hash")).toMatch(/^#.*[cC]ancel/)
      })
    })
  })
