import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { anSlo } from "./delivery-suite.ts"
import { openLine, type ServerLine } from "./server-line.ts"
import { aMethod } from "./sign-in-suite.ts"
import {
  eventually,
  findings,
  isFocused,
  overflowOf,
  type Stage,
  visit,
  type Visit,
  type VisitOptions,
} from "./stage.ts"

/** A little longer than a page waits between two questions for the status of the server, and before it tries again. */
const checkMs = 6_000

/** What is around every page: navigation, the state of the connection, the palette, shortcuts and preferences. */
export const frameSuite = (stage: () => Stage) => {
  /** Visits over a line that the test can cut. */
  const visitOverLine = async (
    options: VisitOptions,
    act: (visit: Visit & { readonly line: ServerLine }) => Promise<void>,
  ): Promise<void> => {
    const line = await openLine(stage().server.url)
    try {
      const server = { ...stage().server, url: line.url }
      await visit({ ...stage(), server }, options, (visited) => act({ ...visited, line }))
    } finally {
      await line.close()
    }
  }

  describe("the frame: never wrong", () => {
    it("spec/console §6: reports a server that is gone, on every page, with the age of the figures, and returns without a reload", async () => {
      await visitOverLine({}, async ({ page, open, says, api, line }) => {
        await api.apply([service, anSlo("checkout")])
        await page.clock.install()
        for (const path of ["/slos", "/signing", "/silences/new", "/alerts", "/slos/default/checkout"]) {
          await open(path)
          await stateOf(page, "Live").waitFor()
          await page.evaluate("globalThis.isSamePage = true")
          line.set("cut")
          await page.clock.fastForward(checkMs)
          await says("The server does not respond.")
          await says(/This page shows data from \d\d:\d\d:\d\d, .* ago\./)
          await stateOf(page, "Offline").waitFor()
          line.set("connected")
          await page.clock.fastForward(checkMs)
          await stateOf(page, "Live").waitFor()
          await page.getByText("The server does not respond.").waitFor({ state: "detached" })
          expect(await page.evaluate("globalThis.isSamePage")).toBe(true)
        }
      })
    })

    it("reports a server that accepts requests and never responds, and shows what changed meanwhile", async () => {
      await visitOverLine({}, async ({ page, open, says, api, line }) => {
        await api.apply([service, anSlo("checkout")])
        await open("/slos")
        await stateOf(page, "Live").waitFor()
        await page.clock.install()
        line.set("silent")
        await page.clock.fastForward(checkMs)
        await says("The server does not respond.")
        await api.apply([anSlo("added-meanwhile")])
        line.set("connected")
        await page.clock.fastForward(checkMs)
        await says("added-meanwhile")
        await stateOf(page, "Live").waitFor()
      })
    })

    it("tries again at once on request, and announces the reason only once", async () => {
      await visitOverLine({}, async ({ page, open, says, line }) => {
        await open("/alerts")
        line.set("cut")
        await says("The server does not respond.")
        const status = page.getByRole("status").filter({ hasText: "The server does not respond." })
        expect(await status.innerText()).not.toContain("ago")
        expect(await findings(page)).toEqual([])
        // The next check of the page's own is seconds away.
        await page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/console/status"))
        line.set("connected")
        await page.getByRole("button", { name: "Try again" }).first().click()
        await stateOf(page, "Live").waitFor()
      })
    })

    it("reports a server without its store, and a browser without a network", async () => {
      await visit(stage(), {}, async ({ page, context, open, says, api }) => {
        await api.apply([service, anSlo("checkout")])
        await page.clock.install()
        await open("/slos")
        await stateOf(page, "Live").waitFor()
        await page.route("**/api/**", (route) =>
          route.fulfill({ status: 503, json: { errors: [{ title: "Unavailable", code: "unavailable" }] } }),
        )
        await page.clock.fastForward(checkMs)
        await says("The server cannot read its data now.")
        await page.unroute("**/api/**")
        await page.clock.fastForward(checkMs)
        await stateOf(page, "Live").waitFor()
        // Only some of its requests fail: the figures are old all the same.
        const path = "**/api/console/rows*"
        await page.route(path, (route) => route.fulfill({ status: 503, json: { errors: [] } }))
        await page.getByRole("button", { name: /Refresh now/ }).click()
        await says("The server cannot read its data now.")
        await says(/This page shows data from/)
        await page.unroute(path)
        await page.clock.fastForward(checkMs)
        await stateOf(page, "Live").waitFor()
        await context.setOffline(true)
        await says("You are offline.")
        await context.setOffline(false)
        await stateOf(page, "Live").waitFor()
      })
    })

    it("asks to sign in again when the session ends while the user does nothing", async () => {
      await visit(stage(), {}, async ({ page, context, open }) => {
        await open("/silences/new")
        await context.clearCookies()
        await page.getByRole("dialog", { name: "Your session has expired" }).waitFor()
      })
    })

    it("offers to reload when the server has a newer console", async () => {
      await visit(stage(), {}, async ({ page, open, says }) => {
        await page.clock.install()
        await open("/alerts")
        await stateOf(page, "Live").waitFor()
        const status = await (await page.waitForResponse("**/api/console/status")).json()
        await page.route("**/api/console/status", (route) =>
          route.fulfill({ json: { ...status, version: "newer" } }),
        )
        await page.clock.fastForward(checkMs)
        await says("The console was updated.")
        expect(await findings(page)).toEqual([])
        await Promise.all([
          page.waitForEvent("load"),
          page.getByRole("button", { name: "Reload", exact: true }).click(),
        ])
        await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor()
      })
    })

    it("keeps a page whose code cannot be loaded until the server responds again", async () => {
      await visitOverLine({}, async ({ page, open, says, line }) => {
        await open("/slos")
        line.set("cut")
        await page.getByRole("link", { name: "Signing" }).click()
        await says("This page could not be loaded")
        const retry = page.getByRole("main").getByRole("button", { name: "Try again" })
        const refused = page.waitForEvent("requestfailed", (request) => request.method() === "HEAD")
        await retry.click()
        await refused
        await says("This page could not be loaded")
        line.set("connected")
        await retry.click()
        await says("Server keys")
      })
    })

    it("spec/console §6: asks for nothing while it is hidden, and shows the age of its figures on return", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([service, anSlo("checkout")])
        await page.clock.install()
        // Those of the page before end, too.
        const pending = new Set<unknown>()
        page.on("request", (request) => pending.add(request))
        page.on("requestfinished", (request) => pending.delete(request))
        page.on("requestfailed", (request) => pending.delete(request))
        await open("/slos")
        await page.clock.runFor(3_000)
        await stateOf(page, "Live").waitFor()
        await setHidden(page, true)
        // What was asked before would arrive after the ten minutes, as if it had been read then.
        await expect.poll(() => pending.size).toBe(0)
        const asked: Array<string> = []
        page.on("request", (request) => asked.push(request.url()))
        await page.clock.runFor(10 * 60_000)
        expect(asked).toEqual([])
        let answer = (): void => undefined
        const answered = new Promise<void>((resolve) => (answer = resolve))
        await page.route("**/api/**", async (route) => {
          await answered
          await route.continue()
        })
        await setHidden(page, false)
        await stateOf(page, /Updated 1\d min/).waitFor()
        answer()
        await eventually(async () => {
          await page.clock.runFor(1_000)
          expect(await stateOf(page, "Live").count()).toBe(1)
        })
        // What a form has read for its previews does not make it old.
        await open("/slos/new")
        await says("No data sources yet")
        // No request for the status is to be under way while the time leaps.
        const checked = page.waitForResponse(/console\/status/)
        await page.clock.runFor(3_000)
        await checked
        await page.clock.fastForward(30_000)
        await page.clock.runFor(1_000)
        expect(await stateOf(page, "Live").count()).toBe(1)
      })
    })

    it("returns to where a list was scrolled, with its filters, and so do the breadcrumbs", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([service, ...Array.from({ length: 60 }, (_, at) => anSlo(`slo-${at + 10}`))])
        await open("/slos?search=slo")
        const row = page.getByRole("link", { name: "The SLO slo-40" })
        await page.getByRole("link", { name: "The SLO slo-10" }).waitFor()
        // Over the list: the navigation can be scrolled too.
        await page.mouse.move(700, 400)
        await page.mouse.wheel(0, 1_500)
        await row.waitFor()
        await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(900)
        await row.scrollIntoViewIfNeeded()
        const before = await page.evaluate<number>("scrollY")
        await row.click()
        await page.getByRole("heading", { level: 1, name: "The SLO slo-40" }).waitFor()
        expect(await page.evaluate("scrollY")).toBe(0)
        // While the code of the list loads again, the page is shorter, which scrolls it.
        await page.reload()
        const heading = page.getByRole("heading", { level: 1, name: "The SLO slo-40" })
        await heading.waitFor()
        await page.evaluate("scrollTo(0, 200)")
        let load = (): void => undefined
        const loading = new Promise<void>((resolve) => (load = resolve))
        await page.route("**/*.js", async (route) => {
          await loading
          await route.continue()
        })
        await page.goBack()
        await heading.waitFor({ state: "detached" })
        await expect.poll(() => page.evaluate("scrollY")).toBe(0)
        load()
        await row.waitFor()
        await expect.poll(() => page.evaluate<number>("scrollY")).toBe(before)
        await expect.poll(() => page.url()).toContain("search=slo")
        await page.goForward()
        await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link").first().click()
        await page.getByRole("heading", { level: 1, name: "SLOs" }).waitFor()
        await expect.poll(() => page.url()).toContain("search=slo")
      })
    })

    it("focuses Cancel in a dangerous dialog, and deletes only after the name is typed", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([aMethod("on-call", `${stage().server.receiver.url}/deleted`)])
        await open("/alert-methods/default/on-call")
        await page.getByRole("button", { name: "Delete method" }).click()
        const dialog = page.getByRole("dialog")
        await expect.poll(() => focusedName(page)).toBe("Cancel")
        expect(await findings(page)).toEqual([])
        const remove = dialog.getByRole("button", { name: "Delete method" })
        expect(await remove.isDisabled()).toBe(true)
        await dialog.getByLabel("Type on-call to confirm").fill("on-cal")
        expect(await remove.isDisabled()).toBe(true)
        await page.keyboard.press("Enter")
        await dialog.getByLabel("Type on-call to confirm").fill("on-call")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "No alert methods yet" }).waitFor()
      })
    })
  })

  describe("the frame: navigation, palette and preferences", () => {
    it("spec/console §7: finds objects, pages and actions by parts of their names, recent ones first", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([
          service,
          anSlo("checkout-latency"),
          anSlo("mail-delivery"),
          aMethod("pager", "https://hooks.example.com/"),
          {
            kind: "AlertPolicy",
            metadata: { name: "fast-burn", project: "default", displayName: "Fast burn" },
            spec: {
              severity: "High",
              conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "15m" }],
              alertMethods: [],
            },
          },
        ])
        await open("/slos/default/mail-delivery")
        await page.getByRole("heading", { level: 1, name: "The SLO mail-delivery" }).waitFor()
        await open("/slos")
        await page.keyboard.press("Control+k")
        const palette = page.getByRole("dialog", { name: "Search and commands" })
        const input = palette.getByRole("combobox")
        const selected = palette.getByRole("option", { selected: true })
        await expect.poll(() => selected.innerText()).toContain("The SLO mail-delivery")
        expect(await findings(page)).toEqual([])

        await input.fill("LATENCY check")
        await palette.getByText("Nothing matches").waitFor()
        await input.fill("LATENCY")
        await expect.poll(() => selected.innerText()).toContain("The SLO checkout-latency")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "The SLO checkout-latency" }).waitFor()
        await palette.waitFor({ state: "detached" })

        await page.keyboard.press("Control+k")
        const found = page.waitForResponse("**/api/console/slos?search=delivery*")
        await input.fill("delivery")
        await palette.getByRole("group", { name: "Recent" }).getByText("The SLO mail-delivery").waitFor()
        await found
        expect(await palette.getByRole("option", { name: /mail-delivery/ }).count()).toBe(1)
        await input.fill("fast burn")
        await palette.getByRole("group", { name: "Alert policies" }).getByRole("option").click()
        await page.getByRole("heading", { level: 1, name: "Fast burn" }).waitFor()

        await page.keyboard.press("Control+k")
        await input.fill("pager")
        await palette.getByRole("group", { name: "Alert methods" }).getByRole("option").click()
        await page.getByRole("heading", { level: 1, name: "On call" }).waitFor()

        await page.keyboard.press("Control+k")
        await input.fill("create alert meth")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "Create alert method" }).waitFor()

        await page.keyboard.press("Control+k")
        await input.fill("dark")
        await page.keyboard.press("Enter")
        await expect
          .poll(() => page.evaluate("document.documentElement.dataset.mantineColorScheme"))
          .toBe("dark")

        const link = page.getByRole("link", { name: "Deliveries" })
        await link.focus()
        await page.keyboard.press("Control+k")
        const first = await selected.innerText()
        await page.keyboard.press("ArrowDown")
        await expect.poll(() => selected.innerText()).not.toBe(first)
        await page.keyboard.press("ArrowUp")
        await expect.poll(() => selected.innerText()).toBe(first)
        expect(await findings(page)).toEqual([])
        await page.keyboard.press("Escape")
        await palette.waitFor({ state: "detached" })
        await eventually(async () => expect(await isFocused(link)).toBe(true))
      })
    })

    it("offers a viewer no action that changes anything", async () => {
      await visit(stage(), { role: "viewer" }, async ({ page, open }) => {
        await open("/alerts")
        await page.keyboard.press("Control+k")
        const palette = page.getByRole("dialog", { name: "Search and commands" })
        await palette.getByRole("combobox").fill("create")
        await palette.getByText("Nothing matches").waitFor()
      })
    })

    it("opens pages and rows with single keys, but not while the user types or has turned them off", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([
          service,
          aMethod("a-first", "https://hooks.example.com/"),
          aMethod("b-second", "https://hooks.example.com/"),
        ])
        await open("/slos")
        await page.keyboard.press("g")
        await page.keyboard.press("m")
        await page.getByRole("heading", { level: 1, name: "Alert methods" }).waitFor()
        await page.getByRole("link", { name: "On call" }).first().waitFor()
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        await page.keyboard.press("k")
        await page.keyboard.press("Enter")
        await page.waitForURL("**/alert-methods/default/a-first")
        await page.keyboard.press("]")
        await page.waitForURL("**/alert-methods/default/b-second")
        await page.keyboard.press("[")
        await page.waitForURL("**/alert-methods/default/a-first")

        await page.keyboard.press("?")
        const help = page.getByRole("dialog", { name: "Keyboard shortcuts" })
        await help.getByText("Next row").waitFor()
        expect(await findings(page)).toEqual([])
        await page.keyboard.press("Escape")
        await help.waitFor({ state: "detached" })

        await open("/slos")
        await page.keyboard.press("/")
        await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search")
        await page.keyboard.type("g?")
        expect(await page.getByLabel("Search", { exact: true }).first().inputValue()).toBe("g?")
        expect(await help.count()).toBe(0)

        await page.getByRole("button", { name: "Preferences" }).click()
        await page.getByRole("switch", { name: /Keyboard shortcuts/ }).uncheck({ force: true })
        await page.getByRole("button", { name: "Close", exact: true }).click()
        await page.getByRole("heading", { level: 1 }).focus()
        await page.keyboard.press("?")
        await page.keyboard.press("Control+k")
        await page.getByRole("dialog", { name: "Search and commands" }).waitFor()
        expect(await help.count()).toBe(0)
      })
    })

    it("shows all times in UTC on request, and keeps the choices of the user", async () => {
      await visit(stage(), { timezoneId: "Asia/Kolkata" }, async ({ page, open, says, api }) => {
        const { receiver } = stage().server
        await api.apply([service, anSlo("checkout"), aMethod("on-call", `${receiver.url}/zone`)])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout", project: "default" },
          objective: "fast",
          alertMethods: [{ name: "on-call", project: "default" }],
          conditions: ["Burns"],
          alertId: "zone-1",
        })
        await open("/alerts/zone-1")
        const time = page.getByRole("main").locator("time[title*='GMT+5:30']").first()
        await time.waitFor()
        await page.getByRole("button", { name: /Switch to UTC/ }).click()
        await page.getByRole("main").locator("time[title*='UTC']").first().waitFor()
        expect(await time.count()).toBe(0)
        await page.reload()
        await page.getByRole("main").locator("time[title*='UTC']").first().waitFor()

        await page.getByRole("button", { name: "Preferences" }).click()
        const dialog = page.getByRole("dialog", { name: "Preferences" })
        expect(await findings(page)).toEqual([])
        await dialog.getByText(/^Local/).click()
        await time.waitFor()
        await dialog.getByText("Dark", { exact: true }).click()
        await dialog.getByLabel("Language").selectOption("de")
        await expect.poll(() => page.evaluate("document.documentElement.lang")).toBe("de")
        await expect
          .poll(() => page.evaluate("document.documentElement.dataset.mantineColorScheme"))
          .toBe("dark")
        await says("zone-1")
      })
    })

    it("makes rows compact on request, in every tab, but not the cards of a phone", async () => {
      await visit(stage(), {}, async ({ page, context, open, api }) => {
        const objectives = ["fast", "available"].map((name) => ({ name, target: 0.99 }))
        await api.apply([
          service,
          ...Array.from({ length: 45 }, (_, at) => anSlo(`slo-${at + 10}`, { objectives })),
        ])
        await open("/slos?sort=name")
        const row = (name: string) =>
          page
            .getByRole("row")
            .filter({ hasText: `The SLO ${name}` })
            .first()
        const tops = async (...names: ReadonlyArray<string>) =>
          Promise.all(names.map(async (name) => (await row(name).boundingBox())?.y ?? Number.NaN))
        const distance = async () => {
          const [first = Number.NaN, second = Number.NaN] = await tops("slo-10", "slo-11")
          return second - first
        }
        await row("slo-10").waitFor()
        expect(await distance()).toBe(60)
        const other = await context.newPage()
        await other.goto("/services")
        const cell = other.getByRole("table", { name: "Services" }).getByRole("cell").first()
        const heightOfCell = async () => (await cell.boundingBox())?.height ?? Number.NaN
        const comfortable = await heightOfCell()

        await page.getByRole("button", { name: "Preferences" }).click()
        await page.getByRole("dialog", { name: "Preferences" }).getByText("Compact").click()
        await page.getByRole("button", { name: "Close", exact: true }).click()
        await expect.poll(distance).toBe(44)
        await expect.poll(heightOfCell).toBe(comfortable - 12)
        await page.reload()
        await row("slo-10").waitFor()
        expect(await distance()).toBe(44)
        await page.getByRole("button", { name: "1 more objective of The SLO slo-10" }).click()
        await expect.poll(distance).toBe(44 + 32)
        // Nothing is cut off, and everything is large enough for a finger.
        expect(
          await page.evaluate(
            "[...document.querySelectorAll('main [role=row]')].filter((row) => row.scrollHeight > row.clientHeight).map((row) => row.innerText)",
          ),
        ).toEqual([])
        await page.getByRole("button", { name: "Select", exact: true }).click()
        expect(await findings(page)).toEqual([])
        expect(await findings(page, ["target-size"])).toEqual([])
        expect(await findings(other, ["target-size"])).toEqual([])
        await page.mouse.wheel(0, 100_000)
        const last = row("slo-54")
        await last.waitFor()
        expect((await last.boundingBox())?.height).toBe(44)

        await page.setViewportSize({ width: 390, height: 840 })
        await open("/slos?sort=name")
        await expect.poll(async () => (await row("slo-10").boundingBox())?.height).toBeGreaterThan(120)
        expect(await overflowOf(page)).toBe(0)
        expect(await findings(page)).toEqual([])
      })
    })

    it("counts the open alerts, and fits a laptop and a phone", async () => {
      await visit(stage(), { width: 390 }, async ({ page, open, says, api }) => {
        const { receiver } = stage().server
        await api.apply([service, anSlo("checkout"), aMethod("on-call", `${receiver.url}/counted`)])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout", project: "default" },
          objective: "fast",
          alertMethods: [{ name: "on-call", project: "default" }],
          conditions: ["Burns"],
          alertId: "counted-1",
        })
        await open("/slos")
        const bar = page.getByRole("navigation", { name: "Pages" })
        await bar.getByText("1 open alert").waitFor({ state: "attached" })
        const { height = 0 } = (await bar.boundingBox()) ?? {}
        expect(height).toBeLessThan(80)
        await page.getByRole("button", { name: "Menu" }).click()
        const menu = page.getByRole("dialog", { name: "Menu" })
        await menu.getByRole("link", { name: "Signing" }).waitFor()
        expect(await findings(page)).toEqual([])
        await menu.getByRole("link", { name: "Signing" }).click()
        await says("Server keys")
        await menu.waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Search and commands" }).click()
        await page.getByRole("combobox", { name: "Search and commands" }).waitFor()
        expect(await overflowOf(page)).toBe(0)
        await page.keyboard.press("Escape")

        await page.setViewportSize({ width: 1024, height: 800 })
        const signing = bar.getByRole("link", { name: "Signing" })
        await signing.waitFor()
        const narrow = (await signing.boundingBox())?.width ?? 0
        expect(narrow).toBeLessThan(60)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Expand navigation" }).click()
        await expect.poll(async () => (await signing.boundingBox())?.width).toBeGreaterThan(150)
        await page.reload()
        await expect.poll(async () => (await signing.boundingBox())?.width).toBeGreaterThan(150)
      })
    })

    it("fills a wall screen in kiosk mode, which is never stale without saying so", async () => {
      await visitOverLine({}, async ({ page, open, says, api, line }) => {
        await api.apply([service, anSlo("checkout")])
        await open("/slos?search=check&kiosk")
        await stateOf(page, "Live").waitFor()
        await page.getByRole("button", { name: /^No data/ }).click()
        await expect.poll(() => page.url()).toContain("state=noData")
        await page.getByRole("button", { name: /^All/ }).click()
        await expect.poll(() => page.url()).not.toContain("state=")
        expect(await page.getByRole("navigation").count()).toBe(0)
        expect(await findings(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)
        line.set("cut")
        await says("The server does not respond.")
        await stateOf(page, "Offline").waitFor()
        line.set("connected")
        await stateOf(page, "Live").waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("navigation", { name: "Pages" }).waitFor()
        await expect.poll(() => new URL(page.url()).search).toBe("?search=check")
        for (const [path, text] of [
          ["/", "Healthy"],
          ["/alerts", "No open alerts"],
          ["/services/default/checkout", "The SLO checkout"],
          ["/slos/default/checkout", "History"],
        ] as const) {
          await open(`${path}?kiosk`)
          await says(text)
          expect(await page.getByRole("navigation").count()).toBe(0)
          expect(await page.getByRole("link", { name: /^(Create|Edit|Import)/ }).count()).toBe(0)
          expect(await findings(page)).toEqual([])
          expect(await overflowOf(page)).toBe(0)
        }
        await open("/silences?kiosk")
        await page.getByRole("navigation", { name: "Pages" }).waitFor()
      })
    })

    it("prints a page without its navigation, in light colors", async () => {
      await visit(stage(), { colorScheme: "dark" }, async ({ page, open, api }) => {
        await api.apply([service, anSlo("checkout")])
        await open("/slos/default/checkout")
        await page.emulateMedia({ media: "print" })
        await page.setViewportSize({ width: 720, height: 1_000 })
        expect(await page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false)
        expect(await page.getByRole("main").getByRole("button").first().isVisible()).toBe(false)
        expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
          "rgb(255, 255, 255)",
        )
        await eventually(async () => expect(await overflowOf(page)).toBe(0))
      })
    })

    it("does not break from right to left", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([service, anSlo("checkout"), aMethod("on-call", "https://hooks.example.com/")])
        for (const path of [
          "/slos",
          "/slos/default/checkout",
          "/alert-methods",
          "/signing",
          "/silences/new",
        ]) {
          await open(path)
          await page.evaluate("document.documentElement.dir = 'rtl'")
          for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 840 })
            await eventually(async () =>
              expect({ path, width, overflow: await overflowOf(page) }).toMatchObject({ overflow: 0 }),
            )
          }
          await page.setViewportSize({ width: 1280, height: 840 })
          const side = await page.getByRole("navigation", { name: "Pages" }).boundingBox()
          const main = await page.getByRole("main").boundingBox()
          expect(side?.x ?? 0).toBeGreaterThan(main?.x ?? 0)
        }
      })
    })

    it("moves the focus to the heading of a new page, and skips to the content", async () => {
      await visit(stage(), {}, async ({ page, open }) => {
        await open("/slos")
        await page.getByRole("link", { name: "Alerts", exact: true }).click()
        await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor()
        await expect.poll(() => focusedName(page)).toBe("Alerts")
        await expect.poll(() => page.title()).toBe("Alerts – Tocsin")
        await page.reload()
        await page.getByRole("heading", { level: 1 }).waitFor()
        await page.keyboard.press("Tab")
        expect(await focusedName(page)).toBe("Skip to content")
        await page.keyboard.press("Enter")
        await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content")
      })
    })
  })
}

const service = { kind: "Service", metadata: { name: "checkout", project: "default" } }

/** The state of the connection in the frame. */
const stateOf = (page: Page, text: string | RegExp) =>
  page.getByRole("button", { name: /Refresh now/ }).filter({ hasText: text })

const focusedName = (page: Page): Promise<string> =>
  page.evaluate<string>("document.activeElement?.innerText ?? ''")

/** Hides the page as another tab in front does, or shows it again. */
const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate<void>(`(() => {
    Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} })
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${isHidden ? "hidden" : "visible"}" })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  })()`)
