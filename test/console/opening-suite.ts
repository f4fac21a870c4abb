import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, overflowOf, type Stage, visit } from "./stage.ts"

/** Loading pages: their code, and what they show until the response. */
export const openingSuite = (stage: () => Stage) =>
  describe("opening pages", () => {
    it("serves a production build, whatever NODE_ENV was set during the build", async () => {
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

    it("requests the session once, while the code loads", async () => {
      await visit(stage(), {}, async ({ page, context, open }) => {
        const initiators = `performance.getEntriesByName(origin + "/api/console/session").map((asked) => asked.initiatorType)`
        await open("/slos")
        await expect.poll(() => page.evaluate(initiators)).toEqual(["link"])
        await context.clearCookies()
        await page.goto("/slos")
        await page.getByRole("form", { name: "Sign in" }).waitFor()
        await expect.poll(() => page.evaluate(initiators)).toEqual(["link"])
      })
    })

    it("reports when the code of a page cannot be loaded, and loads it on request", async () => {
      await visit(stage(), {}, async ({ page, open, says }) => {
        await open("/slos")
        const code = /\/assets\/SigningPage-[^/]+\.js$/
        await page.route(code, (route) => route.abort())
        await page.getByRole("link", { name: "Signing" }).click()
        await says("This page could not be loaded")
        await page.unroute(code)
        await page.getByRole("button", { name: "Try again" }).click()
        await says("Active")
      })
    })

    it("has room for the longest names, and for a budget that is overspent many times", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const displayName = "Unbreakable".repeat(23)
        const name = "n".repeat(253)
        const objective = "o".repeat(63)
        await api.apply([
          service,
          anSlo("long", { objectives: [{ name: objective, displayName, target: 0.999999 }] }),
          {
            ...aMethod(name, "https://hooks.example.com/"),
            metadata: { name, project: "default", displayName },
          },
        ])
        const at = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
        await api.send("POST", "/api/slos/long/counts", [{ objective, at, good: 0, total: 9_000 }], "default")
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "long", project: "default" },
          objective,
          alertMethods: [{ name, project: "default" }],
          conditions: ["c".repeat(200)],
          alertId: "long-1",
        })
        for (const path of [
          "/",
          "/slos",
          "/slos?group=service",
          "/slos/default/long",
          "/alerts/long-1",
          "/alert-methods",
          `/alert-methods/default/${name}`,
          `/alert-methods/default/${name}/edit`,
        ]) {
          await open(path)
          if (path.startsWith("/slos")) await says(/−\d+M%/)
          for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 840 })
            await eventually(async () =>
              expect({ path, width, overflow: await overflowOf(page) }).toMatchObject({ overflow: 0 }),
            )
          }
        }
      })
    })
  })

const service = { kind: "Service", metadata: { name: "checkout", project: "default" } }
