import { readFileSync } from "node:fs"
import type { BrowserContext, Page, Response } from "playwright-core"
import { describe, expect, it } from "vitest"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { aMethod } from "./sign-in-suite.ts"
import { anSlo } from "./delivery-suite.ts"
import { clientSecret, type TestApi } from "./console-server.ts"
import {
  eventually,
  findings,
  isFocused,
  overflowOf,
  signIn,
  type Stage,
  visit,
  watchFaults,
  watchRequests,
} from "./stage.ts"

/** Every page: finding, reading and using it, also by keyboard and on a phone. */
export const pagesSuite = (stage: () => Stage) =>
  describe("the pages", () => {
    it("find SLOs by a part of their name, project and service, and show which have no data", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await open("/slos")
        await says("No SLOs yet")
        await fill(api, "https://hooks.example.com/")
        await open("/slos")
        const list = page.getByRole("table", { name: "SLOs" })
        await list.getByText("The SLO checkout-latency").waitFor()
        const latency = list.getByRole("row").filter({ hasText: "The SLO checkout-latency" })
        await eventually(async () =>
          expect(await latency.innerText()).toMatch(/98\.000%[\s\S]*−100\.0%[\s\S]*2\.00×/),
        )
        const silent = list.getByRole("row").filter({ hasText: "The SLO mail-delivery" })
        await expect.poll(() => silent.innerText()).toContain("No data")

        await page.getByLabel("Search").fill("MAIL")
        await latency.waitFor({ state: "detached" })
        await expect.poll(() => page.url()).toContain("search=MAIL")
        await page.getByLabel("Search").fill("")
        await latency.waitFor()
        await page.getByText("All services").click()
        await page.getByRole("checkbox", { name: /^[Mm]ail/ }).check()
        await latency.waitFor({ state: "detached" })
        await silent.waitFor()
        await open("/slos?project=other")
        await says("No matching SLOs")
        await page.getByRole("button", { name: "Clear filters" }).click()
        await silent.waitFor()
      })
    })

    it("show an SLO with its charts, alerts, policies and definition", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await fill(api, "https://hooks.example.com/")
        await open("/slos/default/checkout-latency")
        await says("Below the target of 99")
        // Its budget is a number of events, not a time.
        expect(await page.getByText("Overspent by").count()).toBe(0)
        const chart = page.getByRole("img", { name: /Good and bad events/ })
        await chart.focus()
        // The last step may have begun after the counts came.
        await page.keyboard.press("End")
        await page.keyboard.press("ArrowLeft")
        await says(/Good\s*[\d,]+/)
        const figure = page.getByRole("figure").filter({ hasText: "Each step" })
        await figure.getByRole("button", { name: "Show table" }).click()
        await figure.getByRole("row").filter({ hasText: "98.000" }).first().waitFor()
        await page.getByText("Custom", { exact: true }).click()
        await page.getByLabel("From", { exact: true }).fill("2020-01-01T00:00")
        await says("A range must not exceed 400 days.")
        await page.getByLabel("To", { exact: true }).fill("2020-01-02T00:00")
        await says("No data in this time range.")
        await page.getByText("7 d", { exact: true }).click()
        await chart.waitFor()

        await page.getByRole("button", { name: "Add annotation" }).click()
        await page.getByLabel("Title").fill("checkout 4.2.0")
        await page.getByRole("button", { name: "Add", exact: true }).click()
        const annotations = page.getByRole("list", { name: "Annotations" })
        await annotations.getByText("checkout 4.2.0").waitFor()
        await annotations.getByText("Alert", { exact: true }).first().waitFor()
        await page.locator('svg [data-kind="deployment"]').first().waitFor({ state: "attached" })

        await page.getByRole("tab", { name: "Alert policies" }).click()
        await says("average burn rate ≥ 2 over 15m")
        await page.getByRole("button", { name: "Explain" }).click()
        await says("Average burn rate is at least 2 over the last 15 minutes")
        await says("; at least 2 is required.")
        await expect.poll(() => page.url()).toContain("explain=fast-burn")
        await page.reload()
        await says("; at least 2 is required.")
        const detail = "The latest minute with counts ended more than an hour before this evaluation"
        await page.route(/\/explain\?/, async (route) => {
          const response = await route.fetch()
          const explained = (await response.json()) as { readonly minutes: ReadonlyArray<object> }
          const minutes = explained.minutes.map((minute) => ({
            ...minute,
            objectives: [
              { name: "held", isMet: true, held: { reason: "counts_old", detail }, conditionGroups: [] },
            ],
          }))
          await route.fulfill({ response, json: { ...explained, minutes } })
        })
        await page.reload()
        await says("Alert held: the latest counts are more than an hour old.")
        await says(`${detail}.`)
        await page.unroute(/\/explain\?/)
        await page.getByRole("button", { name: "Backtest" }).click()
        const backtest = page.getByRole("region", { name: /^Backtest of / })
        await backtest.getByText(/^The policy would have opened \d+ alerts?, [\d.]+ in 30 days\.$/).waitFor()
        await backtest.getByRole("table", { name: /^Alerts that .* would have opened$/ }).waitFor()
        const shorter = page.waitForResponse((response) => response.url().endsWith("/backtest"))
        await backtest.getByLabel("Range").selectOption("7")
        const { from, to } = (await (await shorter).json()) as { readonly from: string; readonly to: string }
        expect(Date.parse(to) - Date.parse(from)).toBe(7 * 86_400_000)
        await backtest.getByText(/^The policy would have opened /).waitFor()
        await page.getByRole("tab", { name: "Overview" }).click()
        await page.getByRole("button", { name: "Propose targets" }).click()
        const targets = page.getByRole("table", { name: "Proposed targets" })
        await targets.getByText("7 days").first().waitFor()
        await page.getByRole("tab", { name: "Alerts" }).click()
        await page
          .getByRole("table", { name: /Alerts of this SLO/ })
          .getByText("Triggered", { exact: true })
          .first()
          .waitFor()
        await page.getByRole("tab", { name: "Definition" }).click()
        await eventually(async () =>
          expect(await page.getByRole("region", { name: "Definition as YAML" }).innerText()).toContain(
            "kind: SLO",
          ),
        )
        await page.getByRole("tab", { name: "Alert policies" }).click()
        await page.getByRole("link", { name: "On call" }).click()
        await page.getByRole("heading", { level: 1, name: "On call", exact: true }).waitFor()
        await open("/slos/default/no-such-slo")
        await says("SLO no-such-slo was not found in project default.")
      })
    })

    it("spec/backtests §2: backtest one of many objectives", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await fill(api, "https://hooks.example.com/")
        const objectives = Array.from({ length: 11 }, (_, n) => ({ name: `number-${n}`, target: 0.9 }))
        await api.apply([anSlo("many", { objectives, alertPolicies: ["fast-burn"] })])
        await open("/slos/default/many?tab=policies")
        await page.getByRole("button", { name: "Backtest" }).click()
        const backtest = page.getByRole("region", { name: "Backtest of fast-burn" })
        await backtest.getByText("The policy would have opened no alerts.").waitFor()
        const response = page.waitForResponse((each) => each.url().endsWith("/backtest"))
        await backtest.getByLabel("Objective").selectOption("number-10")
        expect(await (await response).json()).toMatchObject({ objectives: [{ name: "number-10" }] })
        await backtest.getByText("The policy would have opened no alerts.").waitFor()
      })
    })

    it("spec/data-sources §10: backfill a range of an SLO, with its progress, and cancel and resume it", async () => {
      let isUp = true
      const prometheus = await startPrometheus(({ end }) =>
        // The present minutes are read in any case.
        isUp || end * 1_000 > Date.now() - 1_800_000
          ? () => 10
          : { status: 503, contentType: "text/plain", body: "not now" },
      )
      try {
        await visit(stage(), {}, async ({ page, open, says, api }) => {
          const indicator = { prometheus: { url: prometheus.url, good: "good", total: "total" } }
          await api.apply([
            { kind: "Service", metadata: { name: "checkout", project: "default" } },
            anSlo("read", { indicator }),
            anSlo("sent"),
          ])
          await open("/slos/default/sent")
          await page.getByText("Definition", { exact: true }).waitFor()
          expect(await page.getByRole("button", { name: "Start backfill" }).count()).toBe(0)
          await open("/slos/default/read")
          await says("Read a range again from the data source")
          await page.getByRole("button", { name: "Start backfill" }).click()
          await says("Is required.")
          await eventually(async () => {
            const state = await api.send("GET", "/api/slos/read/indicator", undefined, "default")
            expect(Date.now() - Date.parse(JSON.parse(state).readTo ?? 0)).toBeLessThan(120_000)
          })
          isUp = false
          const localText = (daysAgo: number) =>
            new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 16)
          await page.getByLabel("Backfill from", { exact: true }).fill(localText(3))
          await page.getByLabel("Backfill to", { exact: true }).fill(localText(-1))
          await page.getByRole("button", { name: "Start backfill" }).click()
          await says("Must be at most ")
          await page.getByLabel("Backfill to", { exact: true }).fill(localText(2))
          await page.getByRole("button", { name: "Start backfill" }).click()
          await says("Running, 0% read")
          const progress = page.getByRole("progressbar", { name: "Progress of the backfill" })
          await expect.poll(() => progress.getAttribute("aria-valuenow")).toBe("0")
          await page.getByRole("button", { name: "Cancel backfill" }).click()
          await says("Canceled, on request, 0% read")
          isUp = true
          await page.getByRole("button", { name: "Resume backfill" }).click()
          await says("Complete")
        })
      } finally {
        await prometheus.close()
      }
    })

    it("render few of 10,000 SLOs at any scroll position", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([{ kind: "Service", metadata: { name: "checkout", project: "default" } }])
        for (let block = 0; block < 10; block++) {
          await api.apply(
            Array.from({ length: 1_000 }, (_, at) =>
              anSlo(`slo-${String(block * 1_000 + at).padStart(5, "0")}`),
            ),
          )
        }
        await open("/slos")
        // Of which the first 100 are drawn before.
        await says("10,000 SLOs listed")
        const list = page.getByRole("table", { name: "SLOs" })
        const rows = list.getByRole("row")
        await list.getByText("The SLO slo-00000").waitFor()
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        await list.getByText("The SLO slo-09999").waitFor()
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
        await list
          .getByText(/The SLO slo-0(49|50)/)
          .first()
          .waitFor()
        await expect.poll(() => rows.count()).toBeLessThan(60)
        expect(await list.getAttribute("aria-rowcount")).toBe("10001")
        await page.getByLabel("Search").fill("slo-0999")
        // The row of the headers is one of them.
        await expect.poll(() => rows.count()).toBe(11)
        await list.getByText("The SLO slo-09999").waitFor()
      })
    })

    it("are accessible and fit in light, in dark and on a phone: every page, and no request fails", async () => {
      const { receiver } = stage().server
      await visit(stage(), { role: "admin" }, async ({ page, open, api }) => {
        await fill(api, `${receiver.url}/looks`)
        const { data } = JSON.parse(await api.send("GET", "/api/deliveries")) as {
          readonly data: ReadonlyArray<{ readonly id: string }>
        }
        const minute = Math.floor(Date.now() / 60_000) * 60_000
        const lastHour = {
          from: new Date(minute - 3_600_000).toISOString(),
          to: new Date(minute).toISOString(),
        }
        const report = JSON.parse(
          await api.send("POST", "/api/reports", {
            project: "default",
            slo: "checkout-latency",
            ...lastHour,
          }),
        ) as { readonly id: string }
        const review = JSON.parse(
          await api.send("POST", "/api/reviews", { project: "default", ...lastHour }),
        ) as { readonly id: string }
        const incident = JSON.parse(
          await api.send("POST", "/api/incidents", {
            title: "Checkout fails",
            severity: "critical",
            alerts: ["burn-1"],
            post: "We are looking into it.",
          }),
        ) as { readonly id: string }
        await api.apply([
          {
            kind: "DataSource",
            metadata: { name: "metrics", project: "default" },
            spec: {
              prometheus: {
                url: "http://127.0.0.1:1/a-path-that-is-as-long-as-those-of-some-clusters/select/0/prometheus",
                basic: { username: "tocsin", password: "7c21e4" },
                headers: [{ name: "X-Key", value: "3f9a77", isSecret: true }],
              },
            },
          },
          anSlo("away", {
            indicator: { prometheus: { dataSource: { name: "metrics" }, good: "good", total: "total" } },
          }),
          {
            kind: "BudgetAdjustment",
            metadata: { name: "migration", project: "default" },
            spec: {
              reason: "The database was moved.",
              slos: [{ project: "default", name: "checkout-latency" }],
              period: { startTime: new Date(minute - 1_800_000).toISOString(), duration: "5m" },
            },
          },
          {
            kind: "Report",
            metadata: { name: "budgets" },
            spec: { filters: { projects: ["default"] }, errorBudgetStatus: {} },
          },
        ])
        await eventually(async () =>
          expect(await api.send("GET", "/api/datasources")).toContain('"state":"unavailable"'),
        )
        const looksFine = async (): Promise<void> => {
          const look = async (rules?: ReadonlyArray<string>) =>
            expect({
              at: page.url(),
              findings: await findings(page, rules),
              overflow: await overflowOf(page),
            }).toEqual({ at: page.url(), findings: [], overflow: 0 })
          await look()
          await page.emulateMedia({ colorScheme: "dark" })
          await look(["color-contrast"])
          await page.setViewportSize({ width: 390, height: 840 })
          await look()
          await page.setViewportSize({ width: 1280, height: 840 })
          await page.emulateMedia({ colorScheme: "light" })
        }
        const faults = watchRequests(page)
        const names: Readonly<Record<string, string>> = {
          "/slos": "default/checkout-latency",
          "/data-sources": "default/metrics",
          "/alerts": "burn-1",
          "/incidents": incident.id,
          "/reviews": review.id,
          "/silences": "default/night",
          "/alert-policies": "default/fast-burn",
          "/budget-adjustments": "default/migration",
          "/services": "default/checkout",
          "/projects": "other",
          "/deliveries": data[0]?.id ?? "",
          "/alert-methods": "default/on-call",
          "/reports": report.id,
          "/saved-reports": "budgets",
        }
        const paths = pagePaths().map((path) =>
          path.replace(/^(\/[a-z-]+)\/:\w+(?:\/:\w+)?/, (_, list: string) => `${list}/${names[list]}`),
        )
        expect(paths.length).toBeGreaterThan(35)
        expect(paths.join()).not.toMatch(/:|undefined/)
        for (const path of [
          ...paths,
          "/slos?group=service&label=&state=breached,noData",
          ...["alerts", "policies", "adjustments", "reports", "definition"].map(
            (tab) => `/slos/default/checkout-latency?tab=${tab}`,
          ),
          "/slos/default/away",
          "/deliveries?alert=burn-1",
          "/no-such-page",
        ]) {
          await open(path)
          await looksFine()
        }
        expect(faults).toEqual([])
        // What comes up on these pages: the editor with a mistake, errors at fields, a dialog.
        await open("/alert-methods/new")
        await page.getByText("Custom JSON").click()
        await page.getByRole("textbox", { name: "Template" }).click()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("$")
        // The list of variables, which the keys of the editor walk through, is closed before anything else is done.
        await page.getByRole("listbox").waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("listbox").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Add header" }).click()
        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByText("Line ").first().waitFor()
        await looksFine()
        await open("/signing")
        await page.getByRole("button", { name: "Create key" }).click()
        await looksFine()
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByRole("form", { name: "Sign in" }).waitFor()
        await looksFine()
      })
    })

    it("work with the keyboard alone, from sign-in to a test", async () => {
      const { browser, server } = stage()
      const context = await browser.newContext({ baseURL: server.url })
      const page = await context.newPage()
      const faults = watchFaults(page)
      await page.goto("/alert-methods")
      // The first field has the focus already.
      await page.getByLabel("Organization").waitFor()
      await page.keyboard.type(server.newOrganization())
      await page.keyboard.press("Tab")
      await page.keyboard.type("editor")
      await page.keyboard.press("Tab")
      await page.keyboard.type(clientSecret)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "No alert methods yet" }).waitFor()
      await tabTo(page, "Create alert method")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Create alert method" }).waitFor()
      await tabTo(page, "Display name")
      await page.keyboard.type("Keys")
      await tabTo(page, "URL")
      await page.keyboard.type(`${server.receiver.url}/keys`)
      await tabTo(page, "Predefined details")
      await page.keyboard.press("ArrowRight")
      await page.getByRole("textbox", { name: "Template" }).waitFor()
      // Tab leaves the editor again.
      await tabTo(page, "Template")
      await tabTo(page, "Notify when an alert is resolved")
      await page.keyboard.press("Space")
      await tabTo(page, "Create alert method")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Keys", exact: true }).waitFor()
      await tabTo(page, "Send test")
      await page.keyboard.press("Enter")
      await page.getByText("Test completed successfully!").waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

    it("list past alerts page by page, the latest first: all of them, and those of an SLO", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          silentPolicy,
          anSlo("checkout-latency"),
          anSlo("search-latency"),
        ])
        // Whose IDs say nothing of their order.
        const minutesAgo = Array.from({ length: 70 }, (_, at) => 1 + ((at * 37) % 70))
        const now = Date.now()
        for (const minutes of minutesAgo) {
          const alert = {
            slo: { name: minutes > 60 ? "search-latency" : "checkout-latency", project: "default" },
            alertPolicy: { name: "silent", project: "default" },
            conditions: [`It was ${minutes} minutes ago`],
            alertId: `alert-${(minutes * 31) % 71}`,
            at: new Date(now - minutes * 60_000).toISOString(),
          }
          await api.send("POST", "/api/alerts", { ...alert, status: "triggered" })
          await api.send("POST", "/api/alerts", { ...alert, status: "resolved", at: undefined })
        }
        const showsFirst = (name: string | RegExp, count: number) =>
          eventually(async () => {
            const texts = await page
              .getByRole("table", { name })
              .getByText(/^It was \d+ minutes ago$/)
              .allInnerTexts()
            expect(texts).toEqual(Array.from({ length: count }, (_, at) => `It was ${at + 1} minutes ago`))
          })
        const older = page.getByRole("button", { name: "Load older alerts" })
        await open("/alerts")
        await showsFirst("Past alerts", 50)
        await older.click()
        await showsFirst("Past alerts", 70)
        await older.waitFor({ state: "detached" })

        await open("/slos/default/checkout-latency?tab=alerts")
        await showsFirst(/Alerts of this SLO/, 50)
        await older.click()
        await showsFirst(/Alerts of this SLO/, 60)
        await older.waitFor({ state: "detached" })
      })
    })

    it("report when there are more open alerts than are listed", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ open, says, api, page }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
          aMethod("on-call", `${receiver.url}/many`),
        ])
        for (let count = 0; count < 201; count++) {
          await api.send("POST", "/api/alerts", {
            status: "triggered",
            slo: { name: "checkout-latency", project: "default" },
            alertMethods: [{ name: "on-call", project: "default" }],
            conditions: [`Burns for the ${count}. time`],
            alertId: `open-${count}`,
            at: new Date(Date.now() - 1_000 * (201 - count)).toISOString(),
          })
        }
        await open("/alerts")
        await says("Active (200+)")
        await says("Showing the 200 most recent open alerts.")
        const table = page.getByRole("table", { name: "Open alerts" })
        await table.getByText("Burns for the 200. time").waitFor()
        expect(await table.getByText("Burns for the 0. time").count()).toBe(0)
      })
    })

    it("show the public keys, create and delete the organization's, and give receivers with this server's address in them", async () => {
      const { server } = stage()
      await visit(stage(), {}, async ({ page, open, says }) => {
        await open("/signing")
        const { publicKeyPem } = (await (
          await page.request.get("/api/notifications/v1/webhook-http-signature/public-key")
        ).json()) as { readonly publicKeyPem: string }
        await says("Active")
        await eventually(async () =>
          expect(await page.getByRole("region", { name: /^Public key/ }).innerText()).toBe(
            publicKeyPem.trim(),
          ),
        )
        for (const name of ["Node", "Express", "Fastify", "Fetch"]) {
          await page.getByRole("tab", { name }).click()
          await eventually(async () => {
            const code = await page.getByRole("region", { name: `Receiver for ${name}` }).innerText()
            expect(code).toContain(`"@tocsin/receiver/${name.toLowerCase()}"`)
            expect(code).toContain(`TOCSIN_BASE_URL = "${server.url}"`)
          })
        }
        const confirm = async (name: string) => {
          await page.getByRole("button", { name }).click()
          await page.getByRole("dialog").getByRole("button", { name }).click()
        }
        await says("This organization does not have its own signing key")
        const create = page.getByRole("button", { name: "Create key" })
        await create.click()
        await eventually(async () =>
          expect(await isFocused(page.getByRole("dialog").getByRole("button", { name: "Cancel" }))).toBe(
            true,
          ),
        )
        await page.keyboard.press("Escape")
        await eventually(async () => expect(await isFocused(create)).toBe(true))
        await confirm("Create key")
        await says("Scheduled")
        await says(/Active in [789] min/)
        await page.getByText("?organization=").waitFor()
        await confirm("Delete key")
        await says(/Deleted in 1[6-9] min/)
        await confirm("Keep key")
        await page.getByRole("button", { name: "Rotate key" }).waitFor()
        expect(await page.getByRole("button", { name: "Revoke key" }).count()).toBe(0)
      })
    })

    it("spec/signatures §18: revoke a signing key as an admin", async () => {
      const { server } = stage()
      const organization = server.newOrganization()
      const api = await server.api(organization)
      const { keyId } = JSON.parse(await api.send("POST", "/api/signingkeys")) as { readonly keyId: string }
      await visit(stage(), { role: "admin", organization }, async ({ page, open, says }) => {
        await open("/signing")
        await says(keyId)
        // The server's key is the operator's.
        await page.getByRole("button", { name: "Revoke key" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByText(keyId).waitFor()
        await dialog.getByRole("button", { name: "Revoke key" }).click()
        await dialog.waitFor({ state: "detached" })
        await eventually(async () => expect(await page.getByText(keyId).count()).toBe(0))
        await says("Scheduled")
      })
    })

    it("load at most 200 KB in total for sign-in and the list, and for an SLO that is opened first", async () => {
      const { browser, server } = stage()
      const organization = server.newOrganization()
      const api = await server.api(organization)
      await api.apply([
        { kind: "Service", metadata: { name: "checkout", project: "default" } },
        anSlo("checkout-latency"),
      ])
      const at = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
      const counts = [{ objective: "fast", at, good: 900, total: 1_000 }]
      await api.send("POST", "/api/slos/checkout-latency/counts", counts, "default")
      const loaded = async (
        path: string,
        shown: string,
        cookies: Awaited<ReturnType<BrowserContext["cookies"]>>,
      ) => {
        const context = await browser.newContext({ baseURL: server.url })
        await context.addCookies(cookies)
        const page = await context.newPage()
        const answers: Array<Response> = []
        page.on("response", (answer) => answers.push(answer))
        if (cookies.length === 0) await signIn(page, { organization, clientId: "editor", clientSecret }, path)
        else await page.goto(path)
        await page.locator(shown).first().waitFor()
        const sizes = await Promise.all(answers.map((answer) => answer.request().sizes()))
        const session = await context.cookies()
        await context.close()
        return { bytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0), session }
      }
      const list = await loaded("/slos", "text=checkout-latency", [])
      const slo = await loaded("/slos/default/checkout-latency", "main figure svg", list.session)
      for (const { bytes } of [list, slo]) {
        expect(bytes).toBeGreaterThan(0)
        expect(bytes).toBeLessThanOrEqual(200_000)
      }
    })

    it("load at most 200 KB before the first content, from this server alone, without inline styles or scripts", async () => {
      const { browser, server } = stage()
      const context = await browser.newContext({ baseURL: server.url })
      const page = await context.newPage()
      const answers: Array<Response> = []
      page.on("response", (answer) => answers.push(answer))
      const faults = watchFaults(page)
      await signIn(page, { organization: server.newOrganization(), clientId: "editor", clientSecret })
      await page.getByText("No SLOs yet").waitFor()
      const files = answers.filter((answer) => !new URL(answer.url()).pathname.startsWith("/api/"))
      const sizes = await Promise.all(files.map((file) => file.request().sizes()))
      const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThanOrEqual(200_000)
      expect(new Set(answers.map((answer) => new URL(answer.url()).origin))).toEqual(new Set([server.url]))
      const policy = files[0]?.headers()["content-security-policy"]
      expect(policy).toContain("style-src 'self'")
      expect(policy).not.toContain("unsafe")
      expect(faults).toEqual([])
      await context.close()
    })
  })

/** Definitions of every kind, counts that overspend one budget, an open alert and its delivery. */
const fill = async (api: TestApi, hook: string): Promise<void> => {
  await api.apply([
    { kind: "Project", metadata: { name: "other" } },
    { kind: "Service", metadata: { name: "checkout", project: "default" } },
    { kind: "Service", metadata: { name: "mail", project: "default" } },
    aMethod("on-call", hook),
    {
      kind: "AlertPolicy",
      metadata: { name: "fast-burn", project: "default" },
      spec: {
        severity: "High",
        conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "15m" }],
        alertMethods: [{ metadata: { name: "on-call", project: "default" } }],
      },
    },
    anSlo("checkout-latency", { alertPolicies: ["fast-burn"] }),
    anSlo("mail-delivery", { service: "mail" }),
    {
      kind: "AlertSilence",
      metadata: { name: "night", project: "default" },
      spec: { slo: "mail-delivery", period: { startTime: "2100-01-01T00:00:00Z", duration: "1h" } },
    },
  ])
  const now = Math.floor(Date.now() / 60_000)
  const counts = Array.from({ length: 120 }, (_, back) => ({
    objective: "fast",
    at: new Date((now - back) * 60_000).toISOString(),
    good: 980,
    total: 1_000,
  }))
  await api.send("POST", "/api/slos/checkout-latency/counts", counts, "default")
  await api.send("POST", "/api/alerts", {
    status: "triggered",
    slo: { name: "checkout-latency", project: "default" },
    objective: "fast",
    alertMethods: [{ name: "on-call", project: "default" }],
    severity: "High",
    conditions: ["Average burn rate is at least 2 for 15m"],
    alertId: "burn-1",
  })
}

/** The paths of all pages, as the console has them. */
const pagePaths = (): ReadonlyArray<string> => {
  const app = readFileSync(new URL("../../apps/console/src/App.tsx", import.meta.url), "utf8")
  return [...app.matchAll(/\[\s*"(\/[^"]*)",\s*(?:page\(|HomePage\])/g)].map(([, path = ""]) => path)
}

/** An alert policy without alert methods. */
const silentPolicy = {
  kind: "AlertPolicy",
  metadata: { name: "silent", project: "default" },
  spec: {
    severity: "Low",
    conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "15m" }],
    alertMethods: [],
  },
}

/** Presses Tab until something of a name has the focus, as somebody without a mouse does. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  const passed: Array<string> = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab")
    const focused = await page.evaluate<string>(`(() => {
      const deepest = (root) => root.activeElement?.shadowRoot?.activeElement ? deepest(root.activeElement.shadowRoot) : root.activeElement
      const element = deepest(document)
      return element?.getAttribute("aria-label") ?? element?.labels?.[0]?.innerText ?? element?.innerText ?? ""
    })()`)
    if (focused.trim().split("\n")[0] === name) return
    passed.push(focused)
  }
  throw new Error(`Tab never came to ${name}, but to ${passed.join(", ")}`)
}
