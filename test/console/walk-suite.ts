import { createNotificationVerifier } from "@tocsin/receiver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeStandingClock } from "../e2e/clocked-server.ts"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { clientSecret, startConsoleServer } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { dragOver } from "./slo-suite.ts"
import { eventually, signIn, type Stage, visit, watchRequests } from "./stage.ts"

/** Whole jobs, as somebody does them who knows only what the pages say. Nothing fails on the way. */
export const walkSuite = (stage: () => Stage) =>
  describe("walks", () => {
    it("lead from an empty organization to a verified notification, without the command line", async () => {
      const { browser, server } = stage()
      const prometheus = await startPrometheus(
        ({ query }) =>
          () =>
            query.includes("good") ? 999 : 1_000,
      )
      const context = await browser.newContext({ baseURL: server.url, reducedMotion: "reduce" })
      try {
        const page = await context.newPage()
        const faults = watchRequests(page)
        const field = (label: string) => page.getByLabel(label, { exact: true })
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
        const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
        // The check-list is what leads on.
        const step = async (action: string) => {
          await page.getByRole("link", { name: "Home", exact: true }).first().click()
          await page.getByRole("listitem").getByRole("link", { name: action, exact: true }).click()
        }
        const organization = server.newOrganization()
        await signIn(page, { organization, clientId: "editor", clientSecret })
        await says("0 of 5 done")

        await step("Create data source")
        await field("Name").fill("metrics")
        await field("URL").fill(prometheus.url)
        await button("Test connection").click()
        await says(/The server responded after/)
        await button("Create data source").click()
        await heading("metrics")

        await step("Create alert method")
        await field("Display name").fill("On call")
        await field("URL").fill(`${server.receiver.url}/walk`)
        await button("Create alert method").click()
        await heading("On call")

        await step("Create SLO")
        await field("Display name").fill("Checkout works")
        await field("Service").fill("checkout")
        await field("Data source").selectOption("default/metrics")
        await button("Next").click()
        await field("Good events").fill("sum(increase(good[1m]))")
        await field("All events").fill("sum(increase(total[1m]))")
        await says("99.900%")
        await button("Next").click()
        await field("Target (%)").fill("99.5")
        await button("Next").click()
        await field("Fast burn (page)").check()
        await page
          .getByRole("combobox", { name: /alert method/i })
          .first()
          .selectOption("default/on-call")
        await button("Next").click()
        await says("The server accepts these definitions. Nothing is saved yet.")
        await button("Create SLO").click()
        await heading("Checkout works")
        await says("99.900%")

        await step("Send test")
        await page.getByRole("link", { name: "On call" }).click()
        await heading("On call")
        await button("Send test").click()
        await says("Test completed successfully!")
        await page.getByRole("link", { name: "Home", exact: true }).first().click()
        await page.getByText("First steps").waitFor({ state: "detached" })

        // What the receiver got is what the service signed.
        const got = server.receiver.received.find(({ path }) => path === "/walk")
        const authority = new URL(server.receiver.url).host
        const verified = await createNotificationVerifier({ baseUrl: server.url, authority }).verify({
          method: "POST",
          authority,
          target: "/walk",
          headers: [...(got?.headers ?? [])],
          body: new TextEncoder().encode(got?.body ?? ""),
        })
        expect(verified.event).toBe("test")

        // And the console says so of what it shows.
        await page.getByRole("link", { name: "Deliveries", exact: true }).first().click()
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByRole("link")
          .first()
          .click()
        await heading("Test")
        await field("URL of the alert method").fill(`${server.receiver.url}/walk`)
        await page.getByLabel("Signature header").fill(got?.headers.get("signature") ?? "")
        await button("Verify request").click()
        await says("A receiver accepts this request.")
        expect(faults).toEqual([])
      } finally {
        await context.close()
        await prometheus.close()
      }
    })

    it("lead from an alert through its acknowledgement and the exclusion of its range to its end and a report", async () => {
      const now = Math.floor(Date.now() / minuteMs) * minuteMs
      const start = now - 30 * minuteMs
      const { clock, setTime } = makeStandingClock(await Effect.runPromise(Clock.Clock), start)
      const server = await startConsoleServer(undefined, clock)
      try {
        await visit({ ...stage(), server }, { timezoneId: "UTC" }, async ({ page, open, says, api }) => {
          const link = (name: string) => page.getByRole("link", { name, exact: true }).first()
          const button = (name: string) => page.getByRole("button", { name, exact: true })
          const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()
          const region = (name: string) => page.getByRole("region", { name, exact: true })
          const dialog = page.getByRole("dialog")
          const budget = page.locator("dl div", { hasText: "Error budget remaining" })
          await api.apply([
            { kind: "Service", metadata: { name: "checkout", project: "default" } },
            aMethod("on-call", `${server.receiver.url}/incident`, {
              sendResolution: true,
              templateFields: ["slo_name"],
            }),
            {
              kind: "AlertPolicy",
              metadata: { name: "fast", project: "default" },
              spec: {
                severity: "High",
                conditions: [{ measurement: "burnedBudget", value: 1, op: "gte" }],
                alertMethods: [{ metadata: { name: "on-call", project: "default" } }],
              },
            },
            anSlo("checkout", { alertPolicies: ["fast"] }),
          ])
          const count = (from: number, to: number, bad: number) =>
            api.send(
              "POST",
              "/api/slos/checkout/counts",
              Array.from({ length: to - from }, (_, at) => ({
                objective: "fast",
                at: new Date(start + (from + at) * minuteMs).toISOString(),
                bad,
                total: 100,
              })),
              "default",
            )
          const faults = watchRequests(page)
          // Of an hour, the last ten minutes failed.
          await count(-60, -10, 0)
          await count(-10, 0, 100)
          await open("/")
          await region("Lowest error budgets").getByText("Breached").waitFor()
          await region("Open alerts").getByRole("link", { name: "The SLO checkout" }).click()
          await heading("Alert on The SLO checkout")
          const alert = new URL(page.url()).pathname
          await says("Delivered to On call")
          setTime(start + minuteMs)
          await button("Acknowledge alert").click()
          await dialog.getByLabel("Note").fill("A bad release, rolled back")
          await dialog.getByRole("button", { name: "Acknowledge alert" }).click()
          await says("A bad release, rolled back")

          await link("View SLO at that time").click()
          await heading("The SLO checkout")
          await budget.getByText("1,566.7%").waitFor()
          await dragOver(page, 0.4, 0.8)
          const bar = page.getByRole("toolbar", { name: "Selection" })
          await bar.getByRole("button", { name: "Exclude this range" }).click()
          await dialog
            .getByRole("region", { name: "Effect on error budgets" })
            .getByText("→ 100.0%")
            .waitFor()
          await dialog.getByLabel("Reason").fill("The release was rolled back.")
          await dialog.getByRole("button", { name: "Exclude range" }).click()
          await says("The range is excluded by the budget adjustment")
          await budget.getByText("100.0%", { exact: true }).waitFor()

          // The alert ends once its condition has not been met for the cool-down.
          setTime(start + 10 * minuteMs)
          await count(0, 10, 0)
          let minute = 10
          await eventually(async () => {
            setTime(start + Math.min(++minute, 29) * minuteMs)
            expect(await api.send("GET", "/api/get/alert?status=resolved", undefined, "*")).not.toBe("[]")
          })
          await link("Home").click()
          await says("Nothing needs attention.")
          await link("Alerts").click()
          await page.locator(`main a[href="${alert}"]`).first().click()
          const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem")
          await eventually(async () =>
            expect(await events.locator("strong").allInnerTexts()).toEqual([
              "Alert triggered with severity High",
              "Notification sent to On call",
              "Delivered to On call",
              "Acknowledged by editor",
              "Alert resolved",
              "Resolution sent to On call",
              "Delivered to On call",
            ]),
          )

          await link("SLOs").click()
          await page.getByRole("table", { name: "SLOs" }).getByRole("link").first().click()
          await page.getByRole("tab", { name: "Reports" }).click()
          await button("Create report").click()
          await dialog.getByLabel("Period from").fill(inputOf(start - 120 * minuteMs))
          await dialog.getByLabel("Period to").fill(inputOf(start))
          await dialog.getByRole("button", { name: "Create report" }).click()
          await heading("SLO report: The SLO checkout")
          await says("The signature is valid")
          // An hour of the two has counts.
          await page.getByRole("table", { name: "Objectives" }).getByText("Insufficient data").waitFor()
          await link("The release was rolled back.").waitFor()
          await page
            .getByRole("table", { name: "Budget adjustments" })
            .getByText("Excluded", { exact: true })
            .waitFor()
          expect(faults).toEqual([])
        })
      } finally {
        await server.stop()
      }
    })
  })

const minuteMs = 60_000

/** A time, as the fields of times in UTC have it. */
const inputOf = (time: number): string => new Date(time).toISOString().slice(0, 16)
