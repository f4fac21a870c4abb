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

    it("spec/console §14: keeps the order of what is beside names that are written from right to left", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const displayName = "תשלומים"
        await api.apply([
          { kind: "Project", metadata: { name: "shop", displayName } },
          { kind: "Service", metadata: { name: "checkout", project: "shop", displayName } },
          {
            kind: "AlertPolicy",
            metadata: { name: "fast", project: "shop", displayName },
            spec: {
              severity: "High",
              conditions: [{ measurement: "averageBurnRate", value: 2, alertingWindow: "15m" }],
            },
          },
          ...["pay", "refund"].map((name) => ({
            ...anSlo(name, {
              alertPolicies: ["fast"],
              objectives: [
                { name: "good", displayName, target: 0.99 },
                { name: "fast", displayName: `${displayName} ${displayName}`, target: 0.9 },
              ],
            }),
            metadata: { name, project: "shop", displayName },
          })),
        ])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "pay", project: "shop" },
          objective: "good",
          alertPolicy: { name: "fast", project: "shop" },
          conditions: ["Everything fails"],
          alertId: "right-to-left",
        })
        const pages = [
          "/",
          "/slos",
          "/slos/shop/pay",
          "/slos/shop/pay?tab=policies",
          "/alerts",
          "/alerts/right-to-left",
          "/projects/shop",
          "/alert-policies/shop/fast",
        ]
        for (const path of pages) {
          await open(path)
          await says(displayName)
          expect([path, await page.evaluate(reorderedNames)]).toEqual([path, []])
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

/**
 * Texts in which figures follow a name from right to left in one run: the browser draws them on the other side of the name. An
 * element is a run of its own if it is isolated or is not inline.
 */
const reorderedNames = `(() => {
  const isOwn = (element) => {
    const { display, unicodeBidi } = getComputedStyle(element)
    return !["inline", "contents"].includes(display) || /isolate|plaintext/.test(unicodeBidi)
  }
  const runOf = (node) =>
    [...node.childNodes]
      .map((child) =>
        child.nodeType === 3 ? child.data : child.nodeType === 1 && !isOwn(child) ? runOf(child) : "")
      .join("")
  // A letter from left to right between them separates them.
  const isReordered = /[\\u0590-\\u05ff][^\\p{L}]*\\d/u
  return [...document.querySelectorAll("main *")]
    .filter((element) => isOwn(element) && element.checkVisibility())
    .map((element) => runOf(element).replaceAll(/\\u2068[^\\u2069]*\\u2069/g, ""))
    .filter((text) => isReordered.test(text))
})()`
