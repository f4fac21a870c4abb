import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import type { TestApi } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, findings, overflowOf, seriousFindings, type Stage, visit } from "./stage.ts"

/** The home page, the service map and the list of SLOs. */
export const homeSuite = (stage: () => Stage) =>
  describe("home and the list of SLOs", () => {
    it("home leads to the first SLO while there is none, and says calmly that nothing needs attention", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await open("/")
        await says("No SLOs yet")
        await expect.poll(() => new URL(page.url()).pathname).toBe("/")
        await api.apply([service("checkout"), anSlo("calm")])
        await record(api, "calm", 0)
        await open("/")
        await says("Nothing needs attention.")
        await page.getByRole("link", { name: "Healthy 1 SLO", exact: true }).click()
        await page.getByRole("table", { name: "SLOs" }).getByText("The SLO calm").waitFor()
        await expect.poll(() => new URL(page.url()).search).toBe("?state=healthy")
      })
    })

    it("home shows what needs attention, and each line leads to where something can be done", async () => {
      const { receiver } = stage().server
      receiver.answer("/broken", 500)
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api, `${receiver.url}/broken`)
        await eventually(async () =>
          expect(await api.send("GET", "/api/console/alertmethods")).toContain('"state":"failing"'),
        )
        const section = (name: string) => page.getByRole("region", { name })
        await open("/?kiosk")
        await section("Open alerts").getByText("The SLO breached").waitFor()
        expect(await page.getByRole("button", { name: /^Acknowledge/ }).count()).toBe(0)
        await open("/")
        await section("Lowest error budgets").getByText("The SLO breached").waitFor()
        await section("Lowest error budgets")
          .getByText(/−\d+\.\d%/)
          .waitFor()
        await section("Burning fastest").getByText("The SLO breached").waitFor()
        await section("SLOs without data").getByText("The SLO silent").waitFor()
        await section("Alert methods that do not notify").getByText("Failing").waitFor()
        await section("Alert methods that do not notify").getByText("Paused", { exact: true }).waitFor()
        await page.getByRole("link", { name: /^Checkout.*Breached/ }).waitFor()

        const alert = section("Open alerts")
        await alert.getByRole("button", { name: "Acknowledge the alert on The SLO breached" }).click()
        await alert.getByText("Acknowledged by editor").waitFor()
        await says("1 acknowledged")
        await alert.getByRole("link", { name: "The SLO breached" }).click()
        await page.waitForURL("**/alerts/burn-1")

        await open("/")
        await page.getByRole("link", { name: /^Mail.*No data/ }).click()
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByText("The SLO silent").waitFor()
        await expect.poll(() => new URL(page.url()).search).toBe("?project=default&service=mail")
        await expect.poll(() => list.getByRole("row").count()).toBe(2)
      })
    })

    it("home explains to a viewer that an alert is not acknowledged, without a button", async () => {
      await visit(stage(), { role: "viewer" }, async ({ page, open, says, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await open("/")
        await says("Not acknowledged")
        expect(await page.getByRole("button", { name: /Acknowledge/ }).count()).toBe(0)
      })
    })

    it("the list is filtered by state and label, sorted and grouped, all of it in the address", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await open("/slos")
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByText("The SLO breached").waitFor()
        expect(await namesIn(page)).toEqual(["The SLO breached", "The SLO healthy", "The SLO silent"])
        await list.getByText("1 open alert").waitFor()
        const state = page.getByRole("group", { name: "Status" })
        await expect
          .poll(() => state.getByRole("button").allInnerTexts())
          .toEqual([/All\s+3/, /Breached\s+1/, /At risk\s+0/, /Healthy\s+1/, /No data\s+1/].map(textMatching))

        await list.getByRole("button", { name: "SLO", exact: true }).click()
        await list.getByRole("button", { name: "SLO", exact: true }).click()
        await expect
          .poll(() => namesIn(page))
          .toEqual(["The SLO silent", "The SLO healthy", "The SLO breached"])
        await expect.poll(() => new URL(page.url()).search).toBe("?sort=-name")
        const header = list.getByRole("columnheader", { name: "SLO", exact: true })
        expect(await header.getAttribute("aria-sort")).toBe("descending")

        await state.getByRole("button", { name: /^Breached/ }).click()
        await state.getByRole("button", { name: /^No data/ }).click()
        await expect.poll(() => namesIn(page)).toEqual(["The SLO silent", "The SLO breached"])
        await page.getByText("Any label").click()
        const labels = page.getByRole("group", { name: "Label", exact: true })
        await labels.getByRole("textbox", { name: "Search" }).fill("core")
        await labels.getByRole("checkbox", { name: "team=core 1" }).check()
        expect(await findings(page)).toEqual([])
        await page.keyboard.press("Escape")
        await labels.waitFor({ state: "detached" })
        await expect.poll(() => namesIn(page)).toEqual(["The SLO breached"])
        const address = page.url()
        expect(new URL(address).searchParams.get("state")).toBe("breached,noData")
        await page.goto(address)
        await expect.poll(() => namesIn(page)).toEqual(["The SLO breached"])
        await page.getByText("team=core", { exact: true }).click()
        await labels.getByRole("checkbox", { name: "team=core 1" }).uncheck()
        await page.keyboard.press("Escape")
        await state.getByRole("button", { name: /^All/ }).click()

        await page.getByLabel("Group by").selectOption("label:team")
        await list.getByRole("cell", { name: /^core/ }).waitFor()
        await list.getByRole("cell", { name: /^Without a value/ }).waitFor()
        await page.getByRole("link", { name: "SLOs", exact: true }).click()
        await expect
          .poll(() => namesIn(page))
          .toEqual(["The SLO breached", "The SLO healthy", "The SLO silent"])

        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Export CSV" }).click()
        const csv = readFileSync(await (await saved).path(), "utf8")
        expect(csv.split("\r\n")[1]).toMatch(
          /^default,checkout,breached,The SLO breached,fast,breached,0\.99,/,
        )
        await says("SLOs")
      })
    })

    it("the list shows the other objectives of an SLO, and the trend of each", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        const objectives = ["fast", "faster", "fastest"].map((name) => ({ name, target: 0.9 }))
        await api.apply([service("checkout"), anSlo("many", { objectives })])
        await record(api, "many", 10)
        await open("/slos")
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByRole("cell", { name: /^fast/ }).waitFor()
        await list.getByRole("img", { name: /^Error budget over the time window: .* now$/ }).waitFor()
        const toggle = list.getByRole("button", { name: /of The SLO many$/ })
        expect(await toggle.innerText()).toBe("2 more")
        await toggle.focus()
        await page.keyboard.press("Enter")
        await list.getByRole("cell", { name: "fastest" }).waitFor()
        await expect.poll(() => list.getByRole("row").count()).toBe(4)
        expect(await toggle.getAttribute("aria-expanded")).toBe("true")
        await page.setViewportSize({ width: 390, height: 840 })
        expect(await page.getByLabel("Sort by").isVisible()).toBe(false)
        await page.getByRole("button", { name: "Filters", exact: true }).click()
        await page.getByText("Any label").click()
        expect(await overflowOf(page)).toBe(0)
        await page.keyboard.press("Escape")
        await page.getByLabel("Sort by").selectOption("name")
        expect(await overflowOf(page)).toBe(0)
        await expect.poll(() => list.getByRole("row").count()).toBeGreaterThan(2)
      })
    })

    it("the list shows the trends of all SLOs in view on a tall screen", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        const names = Array.from({ length: 90 }, (_, at) => `slo-${at}`)
        await api.apply([service("checkout"), ...names.map((name) => anSlo(name))])
        const asked = new Set<string>()
        page.on("request", (request) => {
          const { pathname, searchParams } = new URL(request.url())
          if (pathname === "/api/console/trends") searchParams.getAll("slo").forEach((slo) => asked.add(slo))
        })
        await page.setViewportSize({ width: 1280, height: 8_000 })
        await open("/slos")
        await expect.poll(() => asked.size, { timeout: 30_000 }).toBe(90)
      })
    })

    it("the list of services has the states of home and of the list of SLOs", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([
          ...["checkout", "mail", "empty"].map(service),
          anSlo("healthy"),
          anSlo("silent"),
          // Each objective meets its target. The composite over both does not: 30 of its minutes are bad.
          anSlo("both", {
            service: "mail",
            objectives: ["fast", "good"].map((name) => ({ name, target: 0.9 })),
            composite: { target: 0.9999, burnRateCondition: { value: 0.2, op: "gt" } },
          }),
        ])
        await record(api, "healthy", 0)
        await record(api, "both", 5)
        await record(api, "both", 5, "good")
        await open("/")
        await page.getByRole("link", { name: /^Checkout.*Healthy/ }).waitFor()
        await page.getByRole("link", { name: /^Mail.*Breached/ }).waitFor()
        await open("/services")
        const row = (name: string) => page.getByRole("row").filter({ hasText: name })
        await row("default/checkout").getByText("Healthy", { exact: true }).waitFor()
        await row("default/mail").getByText("1 breached, 0 at risk").waitFor()
        await row("default/mail").getByText("Breached", { exact: true }).waitFor()
        await row("default/empty").getByText("No SLOs").waitFor()
      })
    })

    it("views are saved on this device under a name, and deleted", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await open("/slos?state=noData&sort=name")
        await page.getByRole("button", { name: "Save view" }).click()
        const dialog = page.getByRole("dialog", { name: "Save view" })
        await dialog.getByText("Only me, on this device").waitFor()
        await dialog.getByLabel("Name").fill("Silent ones")
        expect(await seriousFindings(page)).toEqual([])
        await page.keyboard.press("Enter")
        await dialog.waitFor({ state: "detached" })
        const views = page.getByRole("navigation", { name: "Views" })
        await views.getByRole("link", { name: "All SLOs" }).click()
        await expect.poll(() => namesIn(page)).toHaveLength(3)
        await page.reload()
        await views.getByRole("link", { name: "Silent ones" }).click()
        await expect.poll(() => namesIn(page)).toEqual(["The SLO silent"])
        await views.getByRole("button", { name: "Delete the view Silent ones" }).click()
        await expect.poll(() => views.getByRole("link").allInnerTexts()).toEqual(["All SLOs"])
      })
    })

    it("a view is saved for everyone, not over a change by someone else, and a review is of its SLOs", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await open("/slos?state=noData&sort=name")
        await page.getByRole("button", { name: "Save view" }).click()
        const dialog = page.getByRole("dialog", { name: "Save view" })
        await dialog.getByLabel("Name").fill("Silent ones")
        await dialog.getByLabel("Everyone in the organization").check()
        // Meanwhile, somebody else saves a view with this name.
        const view = { apiVersion: "tocsin/v1alpha", kind: "SavedView", spec: {} }
        await api.apply([{ ...view, metadata: { name: "silent-ones" } }])
        await page.keyboard.press("Enter")
        await dialog.getByText(/exist/).first().waitFor()
        await dialog.getByText("Replaces the view of the organization").waitFor()
        expect(await seriousFindings(page)).toEqual([])
        await dialog.getByRole("button", { name: "Save view" }).click()
        await dialog.waitFor({ state: "detached" })
        await page.evaluate("localStorage.clear()")
        await page.goto("/slos")
        const views = page.getByRole("navigation", { name: "Views" })
        await views.getByRole("link", { name: "Silent ones" }).click()
        await expect.poll(() => namesIn(page)).toEqual(["The SLO silent"])
        await open("/reviews?create")
        const create = page.getByRole("dialog", { name: "Create review" })
        await create.getByLabel("SLOs").selectOption("Saved view: Silent ones")
        await create.getByRole("button", { name: "Create review" }).click()
        await page.getByRole("heading", { name: "Silent ones" }).waitFor()
        await page.getByText("Saved view: silent-ones").waitFor()
        await open("/slos?state=noData&sort=name")
        await views.getByRole("button", { name: "Delete the view Silent ones" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click()
        await expect.poll(() => views.getByRole("link").allInnerTexts()).toEqual([])
      })
    })

    it("columns with the reliability over past days are selected in the list, and stay selected", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await open("/slos")
        await page.locator("summary", { hasText: "Time window" }).click()
        const choices = page.getByRole("group", { name: "Reliability over" })
        await choices.getByLabel("90 days").check()
        await choices.getByLabel("7 days").check()
        const list = page.getByRole("table", { name: "SLOs" })
        const headers = list.getByRole("columnheader", { name: /days$/ })
        await expect.poll(() => headers.allInnerTexts()).toEqual(["7 days", "90 days"])
        expect(new URL(page.url()).searchParams.get("columns")).toBe("reliability7d,reliability90d")
        await page.goto("/slos")
        await expect.poll(() => headers.allInnerTexts()).toEqual(["7 days", "90 days"])
        const row = list.getByRole("row").filter({ hasText: "The SLO breached" })
        await row.locator('[data-label="7 days"]').getByText("%").waitFor()
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("the list begins with the most urgent SLOs, and says that it loads until it has all", async () => {
      await visit(stage(), {}, async ({ page, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        const names = Array.from({ length: 110 }, (_, at) => `zz-${at}`)
        await api.apply(names.map((name) => anSlo(name)))
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => (release = resolve))
        await page.route(
          (url) => url.pathname === "/api/console/rows" && url.search === "",
          async (route) => {
            await held
            await route.continue()
          },
        )
        await page.goto("/slos")
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByText("The SLO breached").waitFor()
        expect((await namesIn(page))[0]).toBe("The SLO breached")
        await page.getByRole("button", { name: "All 113" }).waitFor()
        await page.getByText("Loading…").waitFor()
        expect(await list.getAttribute("aria-rowcount")).toBe("114")
        expect(await page.getByRole("button", { name: "Export CSV" }).isDisabled()).toBe(true)
        expect(await seriousFindings(page)).toEqual([])
        // By another column, other rows come first.
        const header = list.getByRole("button", { name: "SLO", exact: true })
        await header.click()
        await header.click()
        await expect.poll(() => namesIn(page)).toEqual([])
        release()
        await expect.poll(async () => (await namesIn(page))[0]).toBe("The SLO zz-109")
        expect(await page.getByRole("button", { name: "Export CSV" }).isEnabled()).toBe(true)
        expect(await page.getByText("Loading…").count()).toBe(0)
        expect(await header.evaluate((each) => each.matches(":focus"))).toBe(true)
      })
    })

    it("the list says once what all rows have in common, and shows 20 of many SLOs on a laptop", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const names = Array.from({ length: 60 }, (_, at) => `slo-${at}`)
        await api.apply([service("checkout"), ...names.map((name) => anSlo(name))])
        await page.setViewportSize({ width: 1440, height: 900 })
        await open("/slos")
        await says("All in project default · All of service Checkout · Objective: Fast enough · Target: 99%")
        const list = page.getByRole("table", { name: "SLOs" })
        const columns = () => list.getByRole("columnheader").allInnerTexts()
        expect(await columns()).toEqual(["SLO", "Status", "SLI", "Error budget", "Burn rate", "Trend"])
        const bottoms = async () =>
          Promise.all((await list.getByRole("row").all()).map((row) => row.boundingBox()))
        await eventually(async () =>
          expect(
            (await bottoms()).filter((box) => box !== null && box.y + box.height <= 900).length,
          ).toBeGreaterThan(20),
        )
        expect(await findings(page)).toEqual([])
        // The list is sorted by it.
        await open("/slos?sort=target")
        await expect.poll(columns).toContain("Target")
      })
    })

    it("the list says that figures are computed again after a change of the definition", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        // As it is between a change of the definition and the new status.
        await page.route("**/api/console/rows*", async (route) => {
          const response = await route.fetch()
          const list = (await response.json()) as {
            readonly data: ReadonlyArray<{ readonly objectives: ReadonlyArray<object> }>
          }
          const data = list.data.map((slo) => ({
            ...slo,
            objectives: slo.objectives.map((each) => ({ ...each, isOutdated: true })),
          }))
          await route.fulfill({ response, json: { ...list, data } })
        })
        await open("/slos")
        const row = page.getByRole("row").filter({ hasText: "The SLO silent" })
        await row.getByText("Computing…").waitFor()
      })
    })

    it("the list stays while the server does not respond, and says so if it never did", async () => {
      await visit(stage(), {}, async ({ page, says, api }) => {
        await fill(api, `${stage().server.receiver.url}/fine`)
        await page.clock.install()
        await page.route("**/api/console/rows*", (route) => route.abort())
        await page.goto("/slos")
        await says("The server did not respond")
        await page.unroute("**/api/console/rows*")
        await page.getByRole("main").getByRole("button", { name: "Try again" }).click()
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByText("The SLO breached").waitFor()
        await page.route("**/api/console/rows*", (route) =>
          route.fulfill({ status: 503, json: { errors: [] } }),
        )
        const failed = page.waitForResponse((response) => response.status() === 503)
        // Longer than until the list is refreshed.
        await page.clock.fastForward(30_000)
        await failed
        await page.getByLabel("Search").fill("healthy")
        await expect.poll(() => namesIn(page)).toEqual(["The SLO healthy"])
      })
    })
  })

const textMatching = (pattern: RegExp) => expect.stringMatching(pattern) as string

/** The names of the listed SLOs, in order. */
const namesIn = (page: Page): Promise<ReadonlyArray<string>> =>
  page.getByRole("table", { name: "SLOs" }).getByRole("rowheader").getByRole("link").allInnerTexts()

const service = (name: string) => ({
  kind: "Service",
  metadata: { name, project: "default", displayName: name.charAt(0).toUpperCase() + name.slice(1) },
})

const labeled = (slo: ReturnType<typeof anSlo>, labels: Readonly<Record<string, ReadonlyArray<string>>>) => ({
  ...slo,
  metadata: { ...slo.metadata, labels },
})

/** Counts of 100 events in each of the last 30 minutes. */
const record = (api: TestApi, slo: string, bad: number, objective = "fast"): Promise<string> => {
  const now = Math.floor(Date.now() / 60_000)
  const counts = Array.from({ length: 30 }, (_, back) => ({
    objective,
    at: new Date((now - back) * 60_000).toISOString(),
    bad,
    total: 100,
  }))
  return api.send("POST", `/api/slos/${slo}/counts`, counts, "default")
}

/** A breached SLO with an open alert, a healthy one and one without data; alert methods of which one is paused. */
const fill = async (api: TestApi, hook: string): Promise<void> => {
  await api.apply([
    service("checkout"),
    service("mail"),
    aMethod("on-call", hook),
    aMethod("paused", hook),
    labeled(anSlo("breached"), { team: ["core"] }),
    labeled(anSlo("healthy"), { team: ["core"] }),
    anSlo("silent", { service: "mail" }),
  ])
  await record(api, "breached", 5)
  await record(api, "healthy", 0)
  await api.send("POST", "/api/alertmethods/paused/pause", undefined, "default")
  await api.send("POST", "/api/alerts", {
    status: "triggered",
    slo: { name: "breached", project: "default" },
    objective: "fast",
    alertMethods: [{ name: "on-call", project: "default" }],
    severity: "High",
    alertId: "burn-1",
  })
}
