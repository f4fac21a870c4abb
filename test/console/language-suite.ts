import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { findings, overflowOf, type Stage, visit } from "./stage.ts"

/** The console in another language than English. */
export const languageSuite = (stage: () => Stage) =>
  describe("the language of the console", () => {
    it("spec/console §14: is German after it was chosen, without findings and at the width of a phone", async () => {
      await visit(stage(), { timezoneId: "UTC" }, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("calm"),
        ])
        await open("/slos")
        await page.getByRole("button", { name: "Preferences" }).click()
        const german = page.waitForResponse((response) => /\/de-[^/]*\.js$/.test(response.url()))
        await page.getByLabel("Language").selectOption("Deutsch")
        await german
        await page.getByRole("button", { name: "Einstellungen" }).waitFor()
        expect(await page.evaluate("document.documentElement.lang")).toBe("de")
        for (const path of ["/slos", "/slos/default/calm"]) {
          for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 840 })
            await open(path)
            await says("Fehlerbudget")
            expect(await findings(page)).toEqual([])
            expect(await overflowOf(page)).toBe(0)
          }
        }
      })
    })

    it("loads no German for a reader of English", async () => {
      await visit(stage(), {}, async ({ page, open }) => {
        const loaded: Array<string> = []
        page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
        await open("/slos")
        expect(loaded.some((path) => path.endsWith(".js"))).toBe(true)
        expect(loaded.filter((path) => /\/de-[^/]*\.js$/.test(path))).toEqual([])
      })
    })
  })
