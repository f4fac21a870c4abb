import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { run, urlOf } from "../crash/CrashDatabase.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { startConsoleServer } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, seriousFindings, type Stage, visit, watchFaults } from "./stage.ts"

/** The way through the console once more, on PostgreSQL. */
export const postgresSuite = (stage: () => Stage) =>
  describe("on PostgreSQL", () => {
    it("an alert method is created, tested and notified, and every page shows it", async () => {
      const server = await startConsoleServer({
        kind: "postgres",
        url: Redacted.make(urlOf(await newDatabase("schema"))),
        masterKey: Redacted.make(new Uint8Array(32).fill(9)),
      })
      await visit({ ...stage(), server }, {}, async ({ page, open, says, api }) => {
        await open("/alert-methods/new")
        await page.getByLabel("Display name").fill("On call")
        await page.getByLabel("URL").fill(`${server.receiver.url}/pg`)
        await page.getByRole("button", { name: "Create alert method" }).click()
        await page.getByRole("heading", { level: 1, name: "On call", exact: true }).waitFor()
        await page.getByRole("button", { name: "Send test" }).click()
        await says("Test completed successfully!")
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
        ])
        await open("/deliveries")
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout-latency", project: "default" },
          alertMethods: [{ name: "on-call", project: "default" }],
        })
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByText("Delivered")
          .waitFor()
        await open("/alert-methods")
        await says("Healthy")
        await open("/slos?search=latency")
        await says("No data")
        await open("/alerts")
        await page
          .getByRole("table", { name: "Open alerts" })
          .getByRole("link", { name: "The SLO checkout-latency" })
          .waitFor()
      })
      await server.stop()
    })

    it("spec/reports §6: an SLO shows its reports, of which each opens as a page for printing", async () => {
      const connection = await newDatabase("schema")
      const start = () =>
        startConsoleServer({
          kind: "postgres",
          url: Redacted.make(urlOf(connection)),
          masterKey: Redacted.make(new Uint8Array(32).fill(9)),
        })
      const before = await start()
      const organization = before.newOrganization()
      await (
        await before.api(organization)
      ).apply([
        { kind: "Service", metadata: { name: "checkout", project: "default" } },
        anSlo("checkout-latency"),
      ])
      await before.stop()
      // As if the SLO had been created in the month before. A server that starts makes what is due at once.
      const now = new Date()
      const monthStart = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
      await run(
        connection,
        `UPDATE report_schedules SET period_from = ${monthStart(-1)}, period_to = ${monthStart(0)}, due_at = 0`,
      )
      const server = await start()
      await visit({ ...stage(), server }, { organization }, async ({ page, context, open, says, api }) => {
        await api.apply([anSlo("checkout-errors")])
        await open("/slos/default/checkout-errors?tab=reports")
        await says("No reports yet.")
        await eventually(async () => {
          const { data } = JSON.parse(await api.send("GET", "/api/reports"))
          expect(data).toHaveLength(1)
        })
        await open("/slos/default/checkout-latency?tab=reports")
        const year = new Date(monthStart(-1)).getUTCFullYear()
        const opened = context.waitForEvent("page")
        await page.getByRole("link", { name: "Print version" }).click()
        const report = await opened
        // A page that is still opening can't be reloaded.
        await report.waitForURL(`**/api/reports/*?format=html&organization=${organization}`)
        const faults = watchFaults(report)
        await report.reload()
        await report.getByRole("heading", { level: 1, name: /^SLO report:/ }).waitFor()
        expect(await report.evaluate("getComputedStyle(document.body).maxWidth")).not.toBe("none")
        expect(await seriousFindings(report)).toEqual([])
        expect(faults).toEqual([])
        const download = page.waitForEvent("download")
        await page.getByRole("button", { name: "CSV" }).click()
        expect((await download).suggestedFilename()).toMatch(/^report-[0-9a-f-]{36}\.csv$/)
        await page.getByRole("link", { name: `${year}` }).click()
        await page.getByRole("heading", { level: 1, name: /^SLO report: / }).waitFor()
        await says("The signature is valid")
        await says(
          /^The figures cover the whole period\. .* Below 90%, an objective is missed or has insufficient data/,
        )
        const result = page.getByRole("table", { name: "Objectives" }).getByText("Insufficient data")
        await result.waitFor()
        await says("No budget adjustments change the figures.")
        expect(await seriousFindings(page)).toEqual([])

        // Another one, of a period of one's own; the same period has one report.
        await page.goBack()
        for (const expected of [2, 2]) {
          await page.getByRole("button", { name: "Create report" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Period to").fill("2999-01-01T00:00")
          await dialog.getByRole("button", { name: "Create report" }).click()
          await dialog.getByText("Must not be in the future.").waitFor()
          await dialog.getByLabel("Period from").fill(`${year}-01-01T00:00`)
          await dialog.getByLabel("Period to").fill(`${year}-01-02T00:00`)
          await dialog.getByRole("button", { name: "Create report" }).click()
          await says("No alerts triggered in this period.")
          await page.goBack()
          const { data } = JSON.parse(await api.send("GET", "/api/reports"))
          expect(data).toHaveLength(expected)
        }
      })
      await server.stop()
    })

    it("a delivery that is exhausted after eleven attempts stands out, says how to fix it, and can be resent", async () => {
      const connection = await newDatabase("schema")
      const server = await startConsoleServer({
        kind: "postgres",
        url: Redacted.make(urlOf(connection)),
        masterKey: Redacted.make(new Uint8Array(32).fill(9)),
      })
      await visit({ ...stage(), server }, {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
          aMethod("refused", "https://hooks.example.com:1/"),
        ])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout-latency", project: "default" },
          alertMethods: [{ name: "refused", project: "default" }],
        })
        await open("/deliveries")
        await page.getByRole("table").getByText("Retrying").waitFor()
        // Two days of failing are not waited for: the next attempt is the eleventh, and it is due.
        let moved: ReadonlyArray<{ readonly id: string }> = []
        await eventually(async () => {
          moved = await run(
            connection,
            `WITH moved AS (
               UPDATE delivery_queue SET attempt = 10, attempts_used = 10, due_at = now_ms() WHERE sending IS NULL
               RETURNING organization, project, name, id
             ), woken AS (
               INSERT INTO delivery_wakes (organization, project, name, at)
               SELECT organization, project, name, now_ms() FROM moved
             )
             SELECT id FROM moved`,
          )
          expect(moved).toHaveLength(1)
        })
        const row = page.getByRole("row").filter({ hasText: "Exhausted" })
        await row.getByText("11", { exact: true }).waitFor()
        await page.getByLabel("Status").selectOption("exhausted")
        await row.getByRole("link").click()
        await says("All attempts failed, and no further attempts are scheduled.")
        await page.getByRole("region", { name: "Attempt 11", exact: true }).waitFor()
        await says("The receiver refused the connection")
        await says("Check that the receiver is running")

        await api.apply([aMethod("refused", `${server.receiver.url}/fixed`)])
        await page.getByRole("button", { name: "Resend notification" }).click()
        await says("The notification is being resent with the same ID.")
        await page.locator("header").getByText("Delivered").waitFor()
        await page.getByRole("region", { name: "Attempt 12", exact: true }).waitFor()
        expect(server.receiver.received.map(({ headers }) => headers.get("notification-id"))).toEqual([
          moved[0]?.id,
        ])
      })
      await server.stop()
    })
  })
