import { describe, expect, it } from "vitest"
import { type RangeQuery, startPrometheus } from "../indicator/PrometheusServer.ts"
import { anSlo } from "./delivery-suite.ts"
import { findings, overflowOf, type Stage, visit } from "./stage.ts"

/** A server whose counters have 1,000 events a minute, 1 of them bad. */
const startMetrics = () =>
  startPrometheus(({ query, path }: RangeQuery) => {
    const [, names] = /^\/api\/v1\/(?:label\/)?(\w+)/.exec(path) ?? []
    if (names !== undefined && names !== "query_range") {
      const data = { labels: ["__name__", "code"], code: ["200", "500"] }[names] ?? [
        "requests_good",
        "requests_total",
      ]
      return {
        status: 200,
        contentType: "application/json",
        body: JSON.stringify({ status: "success", data }),
      }
    }
    if (query.includes("broken")) {
      const body = JSON.stringify({ status: "error", errorType: "bad_data", error: "no such function" })
      return { status: 400, contentType: "application/json", body }
    }
    if (query.includes("unknown")) return () => undefined
    return () => (query.includes("good") ? 999 : query.includes("bad") ? 1 : 1_000)
  })

const source = (url: string) => ({
  kind: "DataSource",
  metadata: { name: "metrics", project: "default" },
  spec: { prometheus: { url } },
})

/** SLOs: created and edited step by step, and imported. */
export const wizardSuite = (stage: () => Stage) =>
  describe("the wizard of SLOs", () => {
    it("spec/console §13: lead from an empty organization to an SLO with data", async () => {
      const prometheus = await startMetrics()
      try {
        await visit(stage(), {}, async ({ page, open, says, api }) => {
          const field = (label: string) => page.getByLabel(label, { exact: true })
          const next = page.getByRole("button", { name: "Next" })
          await open("/slos")
          await page.getByRole("link", { name: "Create SLO" }).click()
          await says("No data sources yet")
          // What is missing is reported at its field, once the step is to be left.
          await next.click()
          await says("Is required.")
          await expect.poll(() => new URL(page.url()).search).toBe("")
          await field("Display name").fill("Checkout availability")
          await expect.poll(() => field("Name").inputValue()).toBe("checkout-availability")
          await field("Project").fill("shop")
          await field("Service").fill("checkout")
          await says("Is created with the SLO.")
          await field("Labels").fill("team=payments")
          await field("Annotations").fill("owner: Anna\nrunbook: restart: twice")
          expect(await findings(page)).toEqual([])

          // The draft outlives a visit to another page.
          await page.getByRole("link", { name: "Create data source" }).click()
          await page.getByRole("heading", { level: 1, name: "Create data source" }).waitFor()
          await api.apply([source(prometheus.url)])
          await open("/slos/new")
          await expect.poll(() => field("Name").inputValue()).toBe("checkout-availability")
          await field("Data source").selectOption("default/metrics")
          await next.click()

          // Names and values of the data source are completed from the keyboard.
          const good = field("Good events")
          const options = page.getByRole("option")
          await good.click()
          await page.keyboard.type("sum(incr")
          await page.getByRole("option", { name: "increase function" }).waitFor()
          await page.keyboard.press("Tab")
          await page.keyboard.type("requests")
          await page.getByRole("option", { name: "requests_total metric" }).waitFor()
          expect(await findings(page)).toEqual([])
          await page.keyboard.press("ArrowDown")
          expect(await good.getAttribute("aria-activedescendant")).toBe(
            await page.getByRole("option", { selected: true }).getAttribute("id"),
          )
          await page.keyboard.press("Enter")
          await page.keyboard.type("{")
          await page.getByRole("option", { name: "code label" }).waitFor()
          await page.keyboard.press("Enter")
          await page.getByRole("option", { name: "500 value" }).click()
          expect(await good.inputValue()).toBe('sum(increase(requests_total{code="500")')
          await page.keyboard.press("Control+ ")
          expect(await options.count()).toBe(0)
          await page.keyboard.type(", c")
          await page.getByRole("option", { name: "code label" }).waitFor()
          await page.keyboard.press("Escape")
          await expect.poll(() => options.count()).toBe(0)
          await page.keyboard.press("Control+z")

          await field("Good events").fill("sum(increase(broken[1m]")
          await field("All events").fill("sum(increase(requests_total[1m]))")
          await expect.poll(() => field("Good events").getAttribute("aria-invalid")).toBe("true")
          await field("Good events").fill("sum(increase(broken[1m]))")
          await says(/no such function/)
          await field("Good events").fill("sum(increase(requests_unknown[1m]))")
          await field("All events").fill("sum(increase(requests_unknown[1m]))")
          await says(/returned no series|no series/i)
          await field("Good events").fill("sum(increase(requests_good[1m]))")
          await field("All events").fill("sum(increase(requests_total[1m]))")
          await says("99.900%")
          await page.getByRole("img", { name: /^Good and bad events/ }).waitFor()
          await page.getByRole("img", { name: /^SLI/ }).waitFor()
          expect(await findings(page)).toEqual([])
          await next.click()

          await field("Target (%)").fill("99.99")
          await says(/allows 4 min.* of complete failure/)
          expect(await findings(page)).toEqual([])
          await says(/average burn rate 10\.0+×/)
          await page.getByRole("button", { name: /^Use 99\.[89]/ }).click()
          await expect.poll(() => field("Target (%)").inputValue()).toMatch(/^99\.[89]$/)
          await expect.poll(() => new URL(page.url()).search).toBe("?step=objectives")
          await page.goBack()
          await expect.poll(() => field("Good events").inputValue()).toBe("sum(increase(requests_good[1m]))")
          await page.goForward()
          await next.click()

          await says("this SLO sends no notifications")
          // What would have alerted follows the target, before the SLO is stored.
          const day = (policy: string) => page.getByRole("region", { name: `Backtest of ${policy}` })
          await day("fast-burn").getByText("Would not have alerted in the last day.").waitFor()
          await day("slow-burn")
            .getByText(/^Would .*in the last day\.$/)
            .waitFor()
          await says("The backtest covers one day only")
          await page.goBack()
          const lower = await field("Target (%)").inputValue()
          await field("Target (%)").fill("99.99")
          await next.click()
          await day("fast-burn").getByText("Would have alerted once in the last day.").waitFor()
          expect(await day("fast-burn").getByRole("listitem").innerText()).toMatch(
            /objective-1 · still open$/,
          )
          await page.goBack()
          await field("Target (%)").fill(lower)
          await next.click()
          await day("fast-burn").getByText("Would not have alerted in the last day.").waitFor()
          await field("Fast burn (page)").check()
          // Missing counts can be on the list of alerts alone.
          const noData = field("Notify when there are no counts")
          await noData.check()
          await next.click()
          await says("The server accepts these definitions. Nothing is saved yet.")
          await page.goBack()
          await noData.uncheck()
          await next.click()

          await says("The server accepts these definitions. Nothing is saved yet.")
          const yaml = field("Definitions as YAML")
          expect(await yaml.inputValue()).toContain("sreWorkbook: page")
          await says(/tocsin apply -f -/)
          expect(await findings(page)).toEqual([])
          await yaml.fill((await yaml.inputValue()).replace(/target: 0\.99[89]/, "target: 1.998"))
          await says(/less than 1/)
          await page.getByRole("button", { name: "Discard YAML changes" }).click()
          await says("The server accepts these definitions. Nothing is saved yet.")
          await page.getByRole("button", { name: "Create SLO" }).click()
          await page.getByRole("heading", { level: 1, name: "Checkout availability", exact: true }).waitFor()
          // The page itself looks again after 3 s.
          const status = () => api.send("GET", "/api/v2/slos/checkout-availability", undefined, "shop")
          await expect
            .poll(status, { timeout: 30_000, interval: 50 })
            .toContain("errorBudgetRemainingPercentage")
          await page.reload()
          await says("99.900%")
          const [slo] = JSON.parse(
            await api.send("GET", "/api/get/slos?name=checkout-availability", undefined, "shop"),
          )
          expect(slo.metadata).toMatchObject({
            labels: { team: ["payments"] },
            annotations: { owner: "Anna", runbook: "restart: twice" },
          })
          expect([slo.spec.service, slo.spec.alertPolicies, slo.spec.objectives[0].target]).toEqual([
            "checkout",
            ["fast-burn"],
            expect.closeTo(0.9985, 2),
          ])
          // The draft is gone.
          await open("/slos/new")
          await expect.poll(() => field("Name").inputValue()).toBe("")
        })
      } finally {
        await prometheus.close()
      }
    })

    it("spec/console §13: put a suggested query in place of one that counts per second", async () => {
      const prometheus = await startMetrics()
      try {
        await visit(stage(), {}, async ({ page, open, says, api }) => {
          const field = (label: string) => page.getByLabel(label, { exact: true })
          const use = page.getByRole("button", { name: "Use this query" })
          await api.apply([source(prometheus.url)])
          await open("/slos/new")
          await field("Display name").fill("Checkout")
          await field("Project").fill("shop")
          await field("Service").fill("checkout")
          await field("Data source").selectOption("default/metrics")
          await page.getByRole("button", { name: "Next" }).click()
          await field("Good events").fill("sum(rate(requests_good[5m]))")
          await field("All events").fill("sum(rate(requests_total[5m]))")
          await says(/returns events per second/)
          await expect.poll(() => use.count()).toBe(2)
          expect(await findings(page)).toEqual([])
          // Each button is about its own query, and is gone once the query counts.
          await use.first().click()
          await expect.poll(() => use.count()).toBe(1)
          expect(await field("Good events").inputValue()).toBe("sum(increase(requests_good[1m]))")
          expect(await field("All events").inputValue()).toBe("sum(rate(requests_total[5m]))")
          await use.click()
          await expect.poll(() => field("All events").inputValue()).toBe("sum(increase(requests_total[1m]))")
          await says("99.900%")
          await expect.poll(() => use.count()).toBe(0)
        })
      } finally {
        await prometheus.close()
      }
    })

    it("spec/console §13: edit an SLO, with what changes, and keep what the form does not show", async () => {
      await visit(stage(), { width: 390, colorScheme: "dark" }, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const labels = { team: ["payments"] }
        const slo = anSlo("checkout-latency") as { metadata: object }
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          { ...slo, metadata: { ...slo.metadata, labels } },
        ])
        await open("/slos/default/checkout-latency/edit")
        await page.getByRole("heading", { level: 1, name: "Edit The SLO checkout-latency" }).waitFor()
        const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" })
        await crumbs.getByRole("link", { name: "The SLO checkout-latency" }).waitFor()
        await says("default/checkout-latency")
        await expect.poll(() => field("Name").getAttribute("readonly")).not.toBe(null)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Queries" }).click()
        await says("Pushed counts need no queries")
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Objectives" }).click()
        await field("Target (%)").fill("120")
        await page.getByRole("button", { name: "Next" }).click()
        await says(/less than 1/)
        expect(await findings(page)).toEqual([])
        await field("Target (%)").fill("97.5")
        await page.getByRole("button", { name: "Next" }).click()
        await field("Slow burn (ticket)").check()
        await says(/Would not have alerted/)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Next" }).click()
        const diff = page.getByRole("region", { name: "Changes of SLO checkout-latency" })
        await diff.waitFor()
        expect(await diff.innerText()).toMatch(/\+ .*target: 0\.975/)
        expect(await diff.innerText()).toMatch(/− .*target: 0\./)
        expect(await overflowOf(page)).toBe(0)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Save SLO" }).click()
        await page.getByRole("heading", { level: 1, name: "The SLO checkout-latency", exact: true }).waitFor()
        const [stored] = JSON.parse(
          await api.send("GET", "/api/get/slos?name=checkout-latency", undefined, "default"),
        )
        expect(stored.metadata.labels).toEqual(labels)
        expect([stored.spec.objectives[0].target, stored.spec.alertPolicies]).toEqual([0.975, ["slow-burn"]])
        await open("/slos/default/no-such-slo/edit")
        await says("SLO no-such-slo was not found in project default.")
      })
    })

    it("spec/slos §2, spec/alerting §4: say what minutes without events and without data count as", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
        ])
        await open("/slos/default/checkout-latency/edit?step=objectives")
        await field("What is counted").selectOption("Timeslices")
        await field("Minutes without events").selectOption("lastState")
        await says("For a service with few events")
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Next" }).click()
        await field("No traffic (page)").check()
        await says("no false alarm in 28 days")
        await says(/Would not have alerted/)
        await field("Notify when there are no counts").check()
        expect(await field("Treat minutes without events as missing").isChecked()).toBe(true)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Next" }).click()
        await page.getByRole("button", { name: "Save SLO" }).click()
        await page.getByRole("heading", { level: 1, name: "The SLO checkout-latency", exact: true }).waitFor()
        const stored = async (path: string) =>
          JSON.parse(await api.send("GET", path, undefined, "default"))[0].spec
        expect(await stored("/api/get/slos?name=checkout-latency")).toMatchObject({
          budgetingMethod: "Timeslices",
          emptyTimeSlices: "lastState",
          alertPolicies: ["no-traffic"],
          anomalyConfig: { noData: { alertAfter: "15m", treatZeroAsNoData: true } },
        })
        const { conditionGroups } = await stored("/api/get/alertpolicies?name=no-traffic")
        expect(conditionGroups).toHaveLength(4)
      })
    })

    it("spec/console §13: keep what others changed after a draft was begun", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const withTarget = (target: number) => anSlo("drafted", { objectives: [{ name: "good", target }] })
        const stored = async () =>
          JSON.parse(await api.send("GET", "/api/get/slos?name=drafted", undefined, "default"))[0].spec
        const changed = "This SLO has changed since you began your draft."
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          withTarget(0.995),
        ])
        await open("/slos/default/drafted")
        const edit = page.getByRole("link", { name: "Edit", exact: true })
        await edit.click()
        await field("Description").fill("Edited")
        // Back to the page, which has read the definition before.
        await page.goBack()
        await edit.waitFor()
        await api.apply([withTarget(0.999)])
        await edit.click()
        await says(changed)
        await expect.poll(() => field("Description").inputValue()).toBe("Edited")
        await page.getByRole("button", { name: "Objectives" }).click()
        await expect.poll(() => field("Target (%)").inputValue()).toBe("99.9")
        await page.getByRole("button", { name: "Review" }).click()

        // YAML is saved as it is.
        const yaml = field("Definitions as YAML")
        await yaml.fill((await yaml.inputValue()).replace("Edited", "Edited as YAML"))
        await api.apply([withTarget(0.99)])
        await page.reload()
        await says("Your YAML does not have these changes")
        await page.getByRole("button", { name: "Discard YAML changes" }).first().click()
        await page.getByRole("button", { name: "Objectives" }).click()
        await expect.poll(() => field("Target (%)").inputValue()).toBe("99")
        await page.getByRole("button", { name: "Review" }).click()
        await page.getByRole("button", { name: "Save SLO" }).click()
        await page.getByRole("heading", { level: 1, name: "The SLO drafted", exact: true }).waitFor()
        expect(await stored()).toMatchObject({ description: "Edited", objectives: [{ target: 0.99 }] })

        // Discarded, a draft leaves what is stored.
        await edit.click()
        await field("Description").fill("Not wanted")
        await api.apply([withTarget(0.98)])
        await page.reload()
        await says(changed)
        await page.getByRole("button", { name: "Discard draft" }).click()
        await expect.poll(() => field("Description").inputValue()).toBe("")
        await expect.poll(() => page.getByText(changed).count()).toBe(0)
      })
    })

    it("keep labels with commas, and find SLOs by them", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const slo = anSlo("labeled") as { metadata: object }
        const note = ["eu, us", 'say "hi", Jane']
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          { ...slo, metadata: { ...slo.metadata, labels: { note, team: ["payments"] } } },
        ])
        await open("/slos/default/labeled/edit")
        await field("Description").fill("Edited")
        await expect
          .poll(() => field("Labels").inputValue())
          .toBe('note="eu, us", note="say \\"hi\\", Jane", team=payments')
        await field("Labels").fill('note:"eu, us", note:Doe, Jane')
        await page.getByRole("button", { name: "Next" }).click()
        await says('Put a value with a comma in quotes, such as note="eu, us".')
        await field("Labels").fill('note:"eu, us", note:"Doe, Jane"')
        await page.getByRole("button", { name: "Review" }).click()
        await page.getByRole("button", { name: "Save SLO" }).click()
        await page.getByRole("heading", { level: 1, name: "The SLO labeled", exact: true }).waitFor()
        const [stored] = JSON.parse(await api.send("GET", "/api/get/slos?name=labeled", undefined, "default"))
        expect(stored.metadata.labels).toEqual({ note: ["eu, us", "Doe, Jane"] })
        expect(stored.spec.description).toBe("Edited")

        await open("/slos")
        await page.getByText("Any label").click()
        await page.getByRole("checkbox", { name: "note=eu, us 1" }).check()
        await says("1 SLO listed")
        await page.reload()
        await page.getByRole("link", { name: "The SLO labeled" }).waitFor()
        await page.getByText("note=eu, us").click()
        await page.getByRole("checkbox", { name: "note=eu, us 1" }).uncheck()
        await expect.poll(() => new URL(page.url()).search).toBe("")
      })
    })

    it("spec/console §13: import a Sloth file, with its notes, and leave out what is not wanted", async () => {
      const prometheus = await startMetrics()
      try {
        await visit(stage(), { width: 390 }, async ({ page, open, says, api }) => {
          await api.apply([source(prometheus.url)])
          await open("/slos/import")
          const documents = page.getByLabel("OpenSLO, Sloth or Pyrra as YAML")
          await documents.fill("slos: [")
          await says(/line \d/i)
          // The only data source of the project is used without being asked for.
          const dataSource = page.getByLabel("Data source", { exact: true })
          expect(await dataSource.inputValue()).toBe("metrics")
          await dataSource.selectOption("None")
          await documents.fill(sloth)
          await says("Nothing could be converted. See the notes below.")
          await says(/no document has the URL of the Prometheus server/)
          await dataSource.selectOption("metrics")
          const slo = page.getByLabel("SLO default/shop-requests", { exact: true })
          await slo.waitFor()
          await page.getByLabel("Service default/shop", { exact: true }).waitFor()
          await says("Some objects were not converted. See the notes below.")
          await says(/plugins are programs of Sloth/)
          expect(await findings(page)).toEqual([])
          expect(await overflowOf(page)).toBe(0)
          // An SLO needs its service.
          await page.getByLabel("Service default/shop", { exact: true }).uncheck()
          await says(/references a Service that does not exist: shop/i)
          await page.getByLabel("Service default/shop", { exact: true }).check()
          const submit = page.getByRole("button", { name: /^Import \d+ definitions?$/ })
          await expect.poll(() => submit.isEnabled()).toBe(true)
          // What someone else has created in the meantime is not replaced unasked.
          const theirs = {
            kind: "Service",
            metadata: { name: "shop", project: "default" },
            spec: { description: "Theirs" },
          }
          await api.apply([theirs])
          await submit.click()
          await says("These definitions already exist: Service shop.")
          expect(await api.send("GET", "/api/get/slos", undefined, "default")).toBe("[]\n")
          await says("will be updated")
          // Nor what someone else has changed since it was shown.
          await expect.poll(() => submit.isEnabled()).toBe(true)
          await api.apply([{ ...theirs, spec: { description: "Theirs again" } }])
          await submit.click()
          await says("Someone else has changed these definitions: Service shop.")
          expect(await api.send("GET", "/api/get/slos", undefined, "default")).toBe("[]\n")
          await page.getByLabel("Service default/shop", { exact: true }).uncheck()
          await expect.poll(() => submit.isEnabled()).toBe(true)
          await submit.click()
          await page.getByRole("heading", { level: 1, name: "SLOs", exact: true }).waitFor()
          await says("requests")
          const [stored] = JSON.parse(await api.send("GET", "/api/get/slos", undefined, "default"))
          expect(stored.spec.indicator.prometheus.dataSource.name).toBe("metrics")
          const [service] = JSON.parse(await api.send("GET", "/api/get/services", undefined, "default"))
          expect(service.spec).toEqual({ description: "Theirs again" })
        })
      } finally {
        await prometheus.close()
      }
    })

    it("spec/console §13: say to viewers why they cannot create one", async () => {
      await visit(stage(), { role: "viewer" }, async ({ page, open, says }) => {
        await open("/slos")
        expect(await page.getByRole("link", { name: "Create SLO" }).count()).toBe(0)
        for (const path of ["/slos/new", "/slos/import"]) {
          await open(path)
          await says("Your role is viewer")
        }
      })
    })
  })

const sloth = `version: prometheus/v1
service: shop
slos:
  - name: requests
    objective: 99.9
    sli:
      events:
        error_query: sum(rate(http_bad_total[{{.window}}]))
        total_query: sum(rate(http_requests_total[{{.window}}]))
    alerting:
      page_alert: { disable: true }
      ticket_alert: { disable: true }
  - name: plugged
    objective: 99
    sli:
      plugin: { id: some/plugin }
    alerting:
      page_alert: { disable: true }
      ticket_alert: { disable: true }
`
