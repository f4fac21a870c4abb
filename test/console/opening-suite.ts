import { describe, expect, it } from "vitest"
import { type Stage, visit } from "./stage.ts"

/** How pages come: their code, and what they show until the server has answered. */
export const openingSuite = (stage: () => Stage) =>
  describe("opening pages", () => {
    it("takes what was built for production, whoever built it", async () => {
      const { url } = stage().server
      const document = await (await fetch(url, { headers: { accept: "text/html" } })).text()
      const paths = [...document.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(
        ([, path = ""]) => path,
      )
      const isForDevelopment = await Promise.all(
        paths.map(async (path) => (await (await fetch(new URL(path, url))).text()).includes("jsxDEV")),
      )
      expect(isForDevelopment.length).toBeGreaterThan(0)
      expect(isForDevelopment).not.toContain(true)
    })

    it("says so where the code of a page does not come, and loads it anew when asked to", async () => {
      await visit(stage(), {}, async ({ page, open, says }) => {
        await open("/slos")
        const code = /\/assets\/SigningPage-[^/]+\.js$/
        await page.route(code, (route) => route.abort())
        await page.getByRole("link", { name: "Signing" }).click()
        await says("This part of the console was not loaded")
        await page.unroute(code)
        await page.getByRole("button", { name: "Try again" }).click()
        await says("Signs now")
      })
    })
  })
