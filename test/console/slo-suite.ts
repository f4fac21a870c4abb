import { readFile } from "node:fs/promises"
import type { Download, Locator, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import type { TestApi } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { eventually, seriousFindings, type Stage, visit } from "./stage.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The page of an SLO: its charts, what is done with a range of them, and its tabs. */
export const sloSuite = (stage: () => Stage) =>
  describe("the page of an SLO", () => {
    it("spec/console §11: shows the whole time window, zooms by dragging and by keyboard, and back", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        await open("/slos/default/checkout")
        await says("7 days, rolling")
        await says("Occurrences: events")
        const bar = page.getByRole("toolbar", { name: "Selection" })
        const times = () => chartOf(page, "Burn rate").locator("text").allTextContents()
        const ofWindow = await times()
        await dragOver(page, 0.3, 0.5)
        await bar.getByRole("button", { name: "Zoom in" }).click()
        await eventually(async () => expect(rangeOf(page)).toBeGreaterThan(0.8 * day))
        // The charts keep the range before until the next one is read.
        await expect.poll(times).not.toEqual(ofWindow)
        const zoomed = rangeOf(page)
        expect(zoomed).toBeLessThan(2 * day)
        await dragOver(page, 0.4, 0.6)
        await bar.getByRole("button", { name: "Zoom in" }).click()
        await eventually(async () => expect(rangeOf(page)).toBeLessThan(zoomed / 2))
        await page.goBack()
        await eventually(async () => expect(rangeOf(page)).toBe(zoomed))
        await page.getByRole("button", { name: "Zoom back" }).click()
        await eventually(async () => expect(rangeOf(page)).toBe(zoomed))
        await page.getByText("Window", { exact: true }).click()
        await eventually(async () => expect(page.url()).not.toContain("from="))

        // The values of all charts are those of one step.
        const chart = chartOf(page, "Burn rate")
        await chart.focus()
        await page.keyboard.press("End")
        await page.keyboard.press("ArrowLeft")
        for (const name of ["Remaining", "Burn rate", "Time window", "Total"]) {
          await page.locator("figcaption").getByText(name, { exact: true }).last().waitFor()
        }
        await page.keyboard.press("Enter")
        await eventually(async () => expect(page.url()).toContain("at="))
        await chart.focus()
        await page.keyboard.press("Home")
        for (let pressed = 0; pressed < 30; pressed++) await page.keyboard.press("Shift+ArrowRight")
        await page.keyboard.press("Enter")
        await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Zoom in")
        await page.keyboard.press("Enter")
        await eventually(async () => expect(rangeOf(page)).toBeGreaterThan(0))
        await page.getByText("Window", { exact: true }).click()

        const map = page.getByRole("img", { name: /each day burned/ })
        await map.focus()
        await page.keyboard.press("End")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Enter")
        await eventually(async () => expect(rangeOf(page)).toBe(day))
        const days = page.getByRole("figure").filter({ hasText: "each day burned" })
        await days.getByRole("button", { name: "Show table" }).click()
        expect(await days.getByRole("row").count()).toBeGreaterThan(6)
      })
    })

    it("keeps the seconds of an annotation, and both times of an hour that the clock repeats", async () => {
      await visit(stage(), { timezoneId: "Europe/Berlin" }, async ({ page, open, says, api }) => {
        await fill(api)
        const from = new Date(Math.floor(Date.now() / day) * day - day + 10 * hour + 42_000).toISOString()
        const path = "/api/slos/checkout/annotations"
        await api.send("POST", path, { kind: "deployment", title: "checkout 4.2.0", from }, "default")
        await open("/slos/default/checkout")
        await page.getByRole("button", { name: "Edit annotation checkout 4.2.0" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Title").fill("checkout 4.2.1")
        await dialog.getByRole("button", { name: "Save" }).click()
        await says("The annotation was changed.")
        const { annotations } = JSON.parse(await api.send("GET", path, undefined, "default"))
        expect(annotations).toMatchObject([{ title: "checkout 4.2.1" }])
        expect(Date.parse(annotations[0].from)).toBe(Date.parse(from))

        await open("/slos/default/checkout?from=2026-10-25T00:30:00Z&to=2026-10-25T01:30:00Z")
        for (const label of ["From", "To"]) {
          const field = page.getByLabel(label, { exact: true })
          await expect.poll(() => field.inputValue()).toBe("2026-10-25 02:30")
          expect(await field.getAttribute("aria-invalid")).not.toBe("true")
        }
      })
    })

    it("spec/console §11: excludes, annotates and explains a range that is selected, silences the SLO with one click, and deletes an adjustment by its name", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        await open("/slos/default/checkout")
        const bar = page.getByRole("toolbar", { name: "Selection" })
        const dialog = page.getByRole("dialog")

        await dragOver(page, 0.2, 0.9)
        await bar.getByRole("button", { name: "Exclude this range" }).click()
        const effects = dialog.getByRole("region", { name: "Effect on error budgets" })
        await effects.getByText(/→/).first().waitFor()
        await dialog.getByRole("button", { name: "Exclude range" }).click()
        await says("Enter a reason.")
        await dialog.getByLabel("Reason").fill("Load test")
        await dialog.getByRole("button", { name: "Exclude range" }).click()
        await says("The range is excluded by the budget adjustment")
        const [adjustment] = await documents(api, "budgetadjustments")
        expect(adjustment).toMatchObject({
          spec: { reason: "Load test", slos: [{ project: "default", name: "checkout" }] },
        })
        expect(adjustment?.spec).not.toHaveProperty("set")

        await dragOver(page, 0.4, 0.6)
        await bar.getByRole("button", { name: "Add annotation" }).click()
        await dialog.getByLabel("Title").fill("checkout 4.2.0")
        await dialog.getByRole("button", { name: "Add", exact: true }).click()
        await says("The annotation was added.")
        const { annotations } = JSON.parse(
          await api.send("GET", "/api/slos/checkout/annotations", undefined, "default"),
        ) as { readonly annotations: ReadonlyArray<Readonly<Record<string, string>>> }
        const written = annotations.find(({ title }) => title === "checkout 4.2.0")
        expect(Date.parse(written?.["to"] ?? "") - Date.parse(written?.["from"] ?? "")).toBeGreaterThan(day)
        const happened = page.getByRole("list", { name: "Annotations" })
        await happened.getByText("checkout 4.2.0").waitFor()
        await happened.getByRole("button", { name: "Edit annotation checkout 4.2.0" }).click()
        await dialog.getByLabel("Link").fill("http://127.0.0.1/")
        await dialog.getByRole("button", { name: "Save" }).click()
        await dialog.getByText("Must be a URL that begins with https://").waitFor()
        await dialog.getByLabel("Link").fill("")
        await dialog.getByLabel("Title").fill("checkout 4.2.1")
        await dialog.getByLabel("Labels").fill("team=payments")
        await dialog.getByRole("button", { name: "Save" }).click()
        await says("The annotation was changed.")
        await happened.getByText("team=payments").waitFor()
        await happened.getByRole("button", { name: "Edit annotation checkout 4.2.1" }).click()
        await dialog.getByRole("button", { name: "Delete annotation" }).click()
        await says("The annotation was deleted.")
        await happened.getByText("checkout 4.2.1").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Undo" }).click()
        await says("The annotation was restored.")
        await happened.getByText("checkout 4.2.1").waitFor()
        await happened.getByText("team=payments").waitFor()
        await page.locator('svg [data-kind="adjustment"]').first().waitFor({ state: "attached" })

        await dragOver(page, 0.4, 0.6)
        await bar.getByRole("button", { name: "Explain here" }).click()
        await dialog.getByText(/^Conditions at /).waitFor()
        await dialog.getByText("Average burn rate is at least 2 over the last 15 minutes").first().waitFor()
        await dialog.getByRole("region", { name: "Fast enough" }).waitFor()
        await dialog.getByRole("button", { name: "Close" }).click()
        // The current step ends in the future.
        await chartOf(page, "Burn rate").press("Escape")
        await chartOf(page, "Burn rate").press("End")
        await page.keyboard.press("Enter")
        await bar.getByRole("button", { name: "Explain here" }).click()
        await dialog.getByText(/^Conditions at /).waitFor()
        await dialog.getByRole("button", { name: "Close" }).click()

        const silenceMenu = page.getByRole("button", { name: "Silence", exact: true })
        await silenceMenu.click()
        expect(await seriousFindings(page)).toEqual([])
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "For 1 hour" }).waitFor({ state: "detached" })
        await silenceMenu.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await says("Alerts are silenced until")
        const [silence] = await documents(api, "alertsilences")
        expect(silence).toMatchObject({ spec: { slo: "checkout", period: { duration: "1h" } } })
        expect(silence?.metadata.name).toMatch(/^checkout-silence-\d{4}-\d{2}-\d{2}-\w{4}$/)
        const silenceLink = page.getByRole("link", { name: silence?.metadata.name ?? "" }).first()
        await silenceLink.waitFor()
        await page.getByRole("button", { name: "End silence" }).click()
        await silenceLink.waitFor({ state: "detached" })
        const [ended] = await documents(api, "alertsilences")
        expect(ended?.spec).toHaveProperty("period.endTime")

        await page.getByRole("tab", { name: "Adjustments" }).click()
        await expect.poll(() => page.url()).toContain("tab=adjustments")
        const list = page.getByRole("list", { name: "Budget adjustments" })
        await list.getByText("Load test").waitFor()
        await list.getByRole("button", { name: "Changes" }).click()
        await list.getByText(/^Created/).waitFor()
        await list.getByRole("button", { name: "Delete" }).click()
        const remove = dialog.getByRole("button", { name: "Delete" })
        expect(await remove.isDisabled()).toBe(true)
        await dialog.getByRole("textbox").fill(adjustment?.metadata.name ?? "")
        await remove.click()
        await says("No budget adjustments in the last 11 months or the next 2 months.")
        expect(await documents(api, "budgetadjustments")).toEqual([])
        await page.goBack()
        await chartOf(page, "SLI").waitFor()

        await page.getByRole("button", { name: "Delete SLO" }).click()
        await dialog.getByRole("textbox").fill("checkout")
        // A silence and a composite SLO name it.
        await dialog.getByRole("button", { name: "Delete SLO" }).click()
        await dialog.getByRole("alert").waitFor()
        for (const each of [`alertsilences?name=${silence?.metadata.name}`, "slos?name=journey"]) {
          await api.send("DELETE", `/api/delete/${each}`, undefined, "default")
        }
        await dialog.getByRole("button", { name: "Delete SLO" }).click()
        await page.getByRole("heading", { level: 1, name: "SLOs" }).waitFor()
        expect(await documents(api, "slos")).toEqual([])
      })
    })

    it("spec/console §11: keeps a pinned step in the address until it is cleared, and shows it in ranges that have it", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api)
        const at = new Date(Math.floor(Date.now() / day) * day - 2 * day).toISOString()
        await open(`/slos/default/checkout?range=24h&at=${at}`)
        const bar = page.getByRole("toolbar", { name: "Selection" })
        const line = page.locator("svg line[data-pinned]")
        const chart = chartOf(page, "Burn rate")
        await chart.waitFor()
        expect([await bar.count(), await line.count()]).toEqual([0, 0])
        await page.getByText("Window", { exact: true }).click()
        await bar.waitFor()
        await expect.poll(() => line.count()).toBe(4)

        const pins: ReadonlyArray<() => Promise<void>> = [
          () => bar.getByRole("button", { name: "Clear" }).click(),
          () => chart.press("Escape"),
          () => dragOver(page, 0.6, 0.8),
        ]
        for (const clear of pins) {
          await clear()
          await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(false)
          await page.getByRole("tab", { name: "Alerts", exact: true }).click()
          await chart.waitFor({ state: "detached" })
          await page.getByRole("tab", { name: "Overview" }).click()
          await chart.waitFor()
          expect([await bar.count(), await line.count()]).toEqual([0, 0])
          await chart.click()
          await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(true)
          await bar.waitFor()
        }
        await page.reload()
        await bar.waitFor()
      })
    })

    it("spec/status-api §3, spec/reports §3: never claims no data while a status is computed, nor that an objective is met by few counts", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        // As it is between a change of the definition and the new status.
        const path = "**/api/v2/slos/checkout"
        await page.route(path, async (route) => {
          const response = await route.fetch()
          const slo = (await response.json()) as { readonly objectives: ReadonlyArray<object> }
          const objectives = slo.objectives.map((each) => ({ ...each, isOutdated: true }))
          await route.fulfill({ response, json: { ...slo, objectives } })
        })
        await open("/slos/default/checkout")
        const good = page
          .locator("section")
          .filter({ has: page.getByRole("heading", { name: "good", exact: true }) })
        await good.getByText("Until then, the previous figures are shown.").waitFor()
        await good.getByText("Error budget remaining").first().waitFor()
        const fast = page
          .locator("section")
          .filter({ has: page.getByRole("heading", { name: "Fast enough", exact: true }) })
        await fast.getByText("Computing the status of the changed definition…").waitFor()
        expect(await page.getByText(/Send counts/).count()).toBe(0)
        await page.unroute(path)
        await good.getByText(/Computing/).waitFor({ state: "detached" })

        const to = Math.floor(Date.now() / hour) * hour
        const { id } = JSON.parse(
          await api.send("POST", "/api/reports", {
            project: "default",
            slo: "checkout",
            // Counts of each hour cover it whole: those of one week, half of two weeks.
            from: new Date(to - 14 * day).toISOString(),
            to: new Date(to).toISOString(),
          }),
        ) as { readonly id: string }
        await open(`/reports/${id}`)
        await says("The figures cover the whole period. Coverage is the share of its minutes")
        const results = page.getByRole("table", { name: "Objectives" })
        await expect.poll(() => results.getByText("Insufficient data").count()).toBe(2)
        expect(await results.getByText("Met", { exact: true }).count()).toBe(0)
        await results.getByText(/^(?:49|50)(?:\.\d+)?%$/).waitFor()
      })
    })

    it("returns to where the page was scrolled after a step was chosen", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        await open("/slos/default/checkout")
        // What is inserted last above the charts.
        await says("At the pace of the last hour")
        const chart = chartOf(page, "SLI")
        const { y = 0 } = (await chart.boundingBox()) ?? {}
        // The position was recorded before the step is chosen.
        await page.evaluate(
          `new Promise((done) => (addEventListener("scroll", done, { once: true }), scrollTo(0, ${y - 300})))`,
        )
        const before = await page.evaluate<number>("scrollY")
        expect(before).toBeGreaterThan(100)
        await chart.click()
        await expect.poll(() => page.url()).toContain("at=")
        expect(await page.evaluate("scrollY")).toBe(before)
        await page.getByRole("link", { name: "Alerts", exact: true }).click()
        await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor()
        await page.goBack()
        await chart.waitFor()
        await expect.poll(() => page.evaluate("scrollY")).toBe(before)
      })
    })

    it("zooms to a day of the calendar that is tapped", async () => {
      await visit(stage(), { hasTouch: true }, async ({ page, open, api }) => {
        await fill(api)
        await open("/slos/default/checkout")
        const days = page.getByRole("img", { name: /each day burned/ }).locator("g")
        await days.last().tap()
        await eventually(async () => expect(rangeOf(page)).toBe(day))
      })
    })

    it("spec/console §11: saves what the charts show as CSV and a chart as PNG", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api)
        await open("/slos/default/checkout?range=24h&objective=good")
        await chartOf(page, "SLI").waitFor()
        const csv = await downloaded(page, page.getByRole("button", { name: "Download CSV" }))
        expect(csv.download.suggestedFilename()).toMatch(/^checkout-.*\.csv$/)
        const [header, ...lines] = csv.bytes.toString("utf8").trimEnd().split("\r\n")
        expect(header).toBe(
          "start,slo,objective,good,total,stepReliability,reliability,errorBudgetRemainingPercentage,burnRate",
        )
        // 24 h in steps of 5 minutes, and one that is under way.
        expect(lines.length).toBeGreaterThanOrEqual(288)
        expect(lines.length).toBeLessThanOrEqual(290)
        const known = lines.filter((line) => !line.includes(",good,,"))
        expect(known.length).toBeGreaterThan(20)
        expect(
          known.every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z,checkout,good,\d+,\d+,/.test(line)),
        ).toBe(true)

        const png = await downloaded(page, page.getByRole("button", { name: "Download Burn rate as PNG" }))
        expect(png.download.suggestedFilename()).toMatch(/burn-rate\.png$/)
        expect(png.bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a")
        const width = (await chartOf(page, "Burn rate").boundingBox())?.width ?? 0
        expect(png.bytes.readUInt32BE(16)).toBe(Math.floor(2 * (width + 32)))
        // Not one color alone: the chart is in it.
        expect(png.bytes.length).toBeGreaterThan(5_000)
      })
    })

    it("spec/console §11: shows one objective, all of them, or the components of a composite one, and a wrong range at its field", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api)
        await open("/slos/default/checkout?objective=fast")
        await says("No data in this time range.")
        await page.getByLabel("Objective").selectOption({ label: "Compare all" })
        await page.locator("figure").filter({ hasText: "SLI" }).getByText("Fast enough").first().waitFor()
        expect(await page.getByRole("img", { name: /Good and bad events/ }).count()).toBe(0)
        await page.reload()
        await page.locator("figure").filter({ hasText: "SLI" }).getByText("Fast enough").first().waitFor()

        await page.getByText("Custom", { exact: true }).click()
        await page.getByLabel("From", { exact: true }).fill("2020-01-01T00:00")
        const from = page.getByRole("group").or(page.locator("main")).getByLabel("From", { exact: true })
        await says("A range must not exceed 400 days.")
        expect(await from.first().getAttribute("aria-invalid")).toBe("true")
        await page.getByLabel("To", { exact: true }).fill("2019-01-01T00:00")
        await says("The end must be after the start.")

        await open("/slos/default/journey")
        const components = page.getByRole("region", { name: "Components of whole" })
        await components.getByRole("link", { name: "checkout" }).first().waitFor()
        await components.getByText("75%", { exact: true }).waitFor()
        await components.getByText("100%", { exact: true }).first().waitFor()
        await components.getByRole("link", { name: "checkout" }).first().click()
        await page.getByRole("heading", { level: 1, name: "The SLO checkout" }).waitFor()
        await expect.poll(() => page.url()).toContain("objective=good")
      })
    })

    it("spec/console §11: offers a viewer what reads, and nothing that writes", async () => {
      await visit(stage(), { role: "viewer" }, async ({ page, open, api }) => {
        await fill(api)
        await open("/slos/default/checkout")
        await dragOver(page, 0.3, 0.6)
        const bar = page.getByRole("toolbar", { name: "Selection" })
        await bar.getByRole("button", { name: "Explain here" }).waitFor()
        expect(await bar.getByRole("button").allInnerTexts()).toEqual(["Zoom in", "Explain here", "Clear"])
        for (const name of ["Silence", "Add annotation", "Edit", "Delete SLO"]) {
          expect(await page.getByRole("button", { name }).count()).toBe(0)
        }
      })
    })
  })

const chartOf = (page: Page, name: string): Locator =>
  page.getByRole("img", { name: new RegExp(`^${name}\\.`) })

/** Selects a part of the chart of the error budget. */
export const dragOver = async (page: Page, from: number, to: number): Promise<void> => {
  const chart = chartOf(page, "Error budget remaining")
  await chart.scrollIntoViewIfNeeded()
  const box = await chart.boundingBox()
  if (box === null) throw new Error("The chart is not visible")
  await page.mouse.move(box.x + box.width * from, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * to, box.y + 70, { steps: 4 })
  await page.mouse.up()
  await page.getByRole("toolbar", { name: "Selection" }).waitFor()
}

/** The length of the range in the address, in milliseconds. */
const rangeOf = (page: Page): number => {
  const { searchParams } = new URL(page.url())
  return Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "")
}

const downloaded = async (
  page: Page,
  button: Locator,
): Promise<{ readonly download: Download; readonly bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()])
  return { download, bytes: await readFile(await download.path()) }
}

interface Document {
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

const documents = async (api: TestApi, kind: string): Promise<ReadonlyArray<Document>> =>
  JSON.parse(await api.send("GET", `/api/get/${kind}`, undefined, "default")) as ReadonlyArray<Document>

/** An SLO with a week of counts, an objective without, and a composite SLO over it. */
const fill = async (api: TestApi): Promise<void> => {
  const component = { slo: "checkout", whenDelayed: "Ignore" }
  await api.apply([
    { kind: "Service", metadata: { name: "checkout", project: "default" } },
    {
      kind: "AlertPolicy",
      metadata: { name: "fast-burn", project: "default" },
      spec: {
        severity: "High",
        conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "15m" }],
      },
    },
    anSlo("checkout", {
      alertPolicies: ["fast-burn"],
      objectives: [
        { name: "good", target: 0.99 },
        { name: "fast", displayName: "Fast enough", target: 0.9 },
      ],
    }),
    anSlo("journey", {
      objectives: [
        {
          name: "whole",
          target: 0.9,
          composite: {
            maxDelay: "5m",
            components: {
              objectives: [
                { ...component, objective: "good", weight: 3 },
                { ...component, objective: "fast", weight: 1 },
              ],
            },
          },
        },
      ],
    }),
  ])
  const now = Math.floor(Date.now() / minute) * minute
  const counts = Array.from({ length: 7 * 24 }, (_, back) => ({
    objective: "good",
    at: new Date(now - back * hour).toISOString(),
    good: back > 60 && back < 70 ? 900 : 998,
    total: 1_000,
  }))
  await api.send("POST", "/api/slos/checkout/counts", counts, "default")
}
