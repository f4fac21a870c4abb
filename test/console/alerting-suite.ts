import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { anSlo } from "./delivery-suite.ts"
import { makeProgramFolder, verifyPrograms } from "./programs.ts"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, findings, overflowOf, seriousFindings, type Stage, visit } from "./stage.ts"

const service = { kind: "Service", metadata: { name: "checkout", project: "default" } }

const trigger = (alertId: string, slo: string, severity: string, alertMethod = "on-call") => ({
  status: "triggered",
  slo: { name: slo, project: "default" },
  objective: "fast",
  alertMethods: [{ name: alertMethod, project: "default" }],
  severity,
  conditions: [`Burned by ${alertId}`],
  alertId,
})

/** What an on-call engineer does with alerts, deliveries and the definitions behind them. */
export const alertingSuite = (stage: () => Stage) =>
  describe("alerting", () => {
    it("spec/alerting §24: shows above the alerts, and on the page of the SLO, which are held and why", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const conditions = [{ measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: "6h" }]
        const spec = { severity: "High", conditions, alertMethods: [] }
        await api.apply([
          service,
          { kind: "AlertPolicy", metadata: { name: "slow-burn", project: "default" }, spec },
          anSlo("checkout", { alertPolicies: ["slow-burn"] }),
        ])
        const now = Math.floor(Date.now() / 60_000)
        const post = (from: number, to: number, good: number) =>
          api.send(
            "POST",
            "/api/slos/checkout/counts",
            Array.from({ length: to - from }, (_, index) => ({
              objective: "fast",
              at: new Date((now + from + index) * 60_000).toISOString(),
              good,
              total: 10,
            })),
            "default",
          )
        await post(-60, 0, 10)
        await post(-240, -180, 0)
        await open("/alerts")
        await says(/Alerts of slow-burn for checkout · fast have been held since/)
        await says(/Changed most recently at .* Without the change, the conditions are not met/)
        expect(await seriousFindings(page)).toEqual([])
        await open("/slos/default/checkout")
        await says(/Alerts of slow-burn have been held since/)
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("spec/console §8: filters alerts in the address, and acknowledges several at once", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          service,
          anSlo("checkout"),
          anSlo("search"),
          aMethod("on-call", `${stage().server.receiver.url}/filtered`, { templateFields: ["slo_name"] }),
        ])
        await api.send("POST", "/api/alerts", trigger("a-1", "checkout", "High"))
        await api.send("POST", "/api/alerts", trigger("a-2", "search", "High"))
        await api.send("POST", "/api/alerts", {
          ...trigger("a-3", "search", "Low"),
          objective: undefined,
        })
        await open("/alerts")
        const rows = page.getByRole("table", { name: "Open alerts" }).getByRole("row")
        await expect.poll(() => rows.count()).toBe(4)
        await page.getByLabel("Severity").selectOption("High")
        await expect.poll(() => rows.count()).toBe(3)
        await expect.poll(() => page.url()).toContain("severity=High")
        await page.getByLabel("SLO", { exact: true }).fill("search")
        await expect.poll(() => rows.count()).toBe(2)
        await expect.poll(() => page.url()).toContain("slo=search")
        await page.reload()
        await expect.poll(() => rows.count()).toBe(2)
        expect(await page.getByLabel("SLO", { exact: true }).inputValue()).toBe("search")
        await open("/alerts")
        await page.getByRole("checkbox", { name: "Select alert a-1 on The SLO checkout" }).click()
        await page.getByRole("checkbox", { name: "Select alert a-3 on The SLO search" }).click()
        expect(await seriousFindings(page)).toEqual([])
        const dialog = page.getByRole("dialog")
        const bar = page.getByRole("toolbar", { name: "Selected items" })
        await bar.getByText("2 selected").waitFor()
        await bar.getByRole("button", { name: "Acknowledge" }).click()
        await dialog.getByLabel("Note").fill("Rolling back release 41")
        expect(await seriousFindings(page)).toEqual([])
        await dialog.getByLabel("Note").press("Enter")
        const noted = page.getByText("Acknowledged by editor: Rolling back release 41")
        await expect.poll(() => noted.count()).toBe(2)
        await says("2 items changed.")
        expect(
          await page.getByRole("checkbox", { name: "Select alert a-1 on The SLO checkout" }).isDisabled(),
        ).toBe(true)
        await page.getByRole("checkbox", { name: "Select alert a-2 on The SLO search" }).click()
        await bar.getByRole("button", { name: "Acknowledge" }).click()
        await dialog.getByText("The SLO search default/search · fast · a-2").waitFor()
        expect(await dialog.getByLabel("Note").inputValue()).toBe("")
        await dialog.getByRole("button", { name: "Acknowledge" }).click()
        await page.getByText("Acknowledged by editor.").waitFor()
        await page.getByLabel("Status", { exact: true }).selectOption("resolved")
        await says("No alerts were resolved or canceled in this time range.")
        expect(await page.getByRole("table", { name: "Open alerts" }).count()).toBe(0)
      })
    })

    it("spec/console §16: marks policies that notify nobody, and lists the SLOs without a policy or a method", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const conditions = [{ measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: "15m" }]
        await api.apply([
          service,
          {
            kind: "AlertPolicy",
            metadata: { name: "mute", project: "default" },
            spec: { severity: "High", conditions, alertMethods: [] },
          },
          anSlo("bare"),
          anSlo("checkout", { alertPolicies: ["mute"] }),
        ])
        await open("/")
        const silent = page.getByRole("region", { name: "Alert policies that notify nobody" })
        await silent.getByText("Notifies nobody").waitFor()
        await silent.getByRole("link", { name: /^View all/ }).click()
        await page.getByRole("heading", { level: 1, name: "Alert coverage" }).waitFor()
        await says("SLOs without an alert policy (1)")
        await page.getByRole("link", { name: "The SLO bare" }).waitFor()
        await says("SLOs whose alerts notify nobody (1)")
        await page.getByRole("table", { name: "Alert policies" }).getByText("None in 30 days").waitFor()
        expect(await seriousFindings(page)).toEqual([])
        for (const path of [
          "/alert-policies",
          "/alert-policies/default/mute",
          "/slos/default/checkout?tab=policies",
        ]) {
          await open(path)
          await says("Notifies nobody")
        }
        await open("/slos/default/checkout/edit?step=alerts")
        await says("Notifies nobody")
        await open("/slos/default/checkout/edit?step=review")
        await says("names mute, whose alerts notify nobody")
      })
    })

    it("spec/console §8: excludes from the onset of an alert, with the bad events that no longer count", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const conditions = [{ measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: "30m" }]
        await api.apply([
          service,
          {
            kind: "AlertPolicy",
            metadata: { name: "burns", project: "default" },
            spec: { severity: "High", conditions, alertMethods: [] },
          },
          anSlo("checkout", { alertPolicies: ["burns"] }),
        ])
        const now = Math.floor(Date.now() / 60_000)
        const onset = (now - 10) * 60_000
        const counts = Array.from({ length: 20 }, (_, index) => ({
          objective: "fast",
          at: new Date((now - 20 + index) * 60_000).toISOString(),
          good: index < 10 ? 100_000 : 90_000,
          total: 100_000,
        }))
        await api.send("POST", "/api/slos/checkout/counts", counts, "default")
        await eventually(async () => expect(await api.send("GET", "/api/get/alert")).toContain('"burns"'))
        const [alert] = JSON.parse(await api.send("GET", "/api/get/alert")) as ReadonlyArray<{
          readonly metadata: { readonly name: string }
        }>
        await open(`/alerts/${alert?.metadata.name}`)
        const link = page.getByRole("link", { name: "Exclude this range" })
        await expect
          .poll(async () => {
            const href = (await link.getAttribute("href")) ?? ""
            return Date.parse(new URLSearchParams(href.slice(href.indexOf("?"))).get("from") ?? "")
          })
          .toBe(onset)
        await link.click()
        await page.getByRole("heading", { name: "Create budget adjustment" }).waitFor()
        await page.getByLabel("Display name").fill("Outage")
        await page.getByLabel("Reason").fill("Not ours.")
        const effects = page.getByRole("table", { name: "Effects on error budgets" })
        await effects.getByText("Bad events removed").first().waitFor()
        await effects.getByText("100,000", { exact: true }).waitFor()
        await says(/→/)
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("spec/console §8: says in headers, the tab and the list that an alert is open, and who has acknowledged it", async () => {
      await visit(stage(), {}, async ({ page, open, api }) => {
        const minute = Math.floor(Date.now() / 60_000) * 60_000 - 60_000
        await api.apply([
          service,
          anSlo("checkout"),
          aMethod("on-call", `${stage().server.receiver.url}/state`, { templateFields: ["slo_name"] }),
        ])
        const counts = [{ objective: "fast", at: new Date(minute).toISOString(), good: 1_000, total: 1_000 }]
        await api.send("POST", "/api/slos/checkout/counts", counts, "default")
        await api.send("POST", "/api/alerts", trigger("s-1", "checkout", "High"))
        const header = page.locator("main header")
        await open("/alerts/s-1")
        await header.getByText("Nobody has acknowledged it").waitFor()
        await open("/slos/default/checkout")
        await header.getByText("1 open alert", { exact: true }).waitFor()
        await header.getByText("Alert open").waitFor()
        expect(await page.getByText("Healthy").count()).toBe(0)
        await expect.poll(() => page.title()).toBe("Alert: The SLO checkout – Tocsin")
        expect(await seriousFindings(page)).toEqual([])
        await open("/slos")
        const row = page.getByRole("row").filter({ hasText: "The SLO checkout" })
        await row.getByText("Alert open").waitFor()

        await api.send("POST", "/api/alerts/s-1/acknowledge", {})
        const period = { startTime: new Date(minute).toISOString(), duration: "2h" }
        await api.apply([
          {
            kind: "AlertSilence",
            metadata: { name: "move", project: "default" },
            spec: { slo: "checkout", period },
          },
        ])
        await open("/alerts/s-1")
        await header.getByText("Acknowledged by editor").waitFor()
        await header.getByText(/^Silenced until /).waitFor()
        expect(await seriousFindings(page)).toEqual([])
        await open("/slos/default/checkout")
        await header.getByText("1 open alert, acknowledged by editor").waitFor()
        await header.getByText("Alert acknowledged").waitFor()
        await api.send("POST", "/api/alerts", {
          status: "resolved",
          slo: { name: "checkout", project: "default" },
          alertId: "s-1",
        })
        await expect.poll(() => page.title()).toBe("The SLO checkout – Tocsin")
        await header.getByText("Healthy").waitFor()
      })
    })

    it("filters by the name of an SLO while it is typed", async () => {
      await visit(stage(), {}, async ({ page, open }) => {
        await open("/alerts?slo=search")
        const filter = page.getByLabel("SLO", { exact: true })
        await filter.fill("checkout")
        await page.waitForURL("**/alerts?slo=checkout")
        await page.keyboard.type("-latency ")
        await page.waitForURL("**/alerts?slo=checkout-latency")
        expect(await filter.inputValue()).toBe("checkout-latency ")
        await page.getByRole("button", { name: "Clear filters" }).click()
        await expect.poll(() => filter.inputValue()).toBe("")
      })
    })

    it("shows what happened to an alert in order, and leads to its exclusion and its silence", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          service,
          anSlo("checkout"),
          aMethod("on-call", `${receiver.url}/timeline`, {
            sendResolution: true,
            templateFields: ["slo_name"],
          }),
        ])
        await api.send("POST", "/api/alerts", trigger("t-1", "checkout", "High", "on-call"))
        await open("/alerts/t-1")
        const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem")
        await page.getByRole("button", { name: "Acknowledge alert" }).click()
        await page.getByRole("dialog").getByLabel("Note").fill("The cache is cold")
        await page.getByRole("dialog").getByRole("button", { name: "Acknowledge alert" }).click()
        await events.getByText("Acknowledged by editor").waitFor()
        await events.getByText("The cache is cold").waitFor()
        await api.send("POST", "/api/alerts", {
          status: "resolved",
          slo: { name: "checkout", project: "default" },
          alertId: "t-1",
        })
        await events.getByText("Resolution sent to On call").waitFor()
        await eventually(async () => expect(await events.getByText("Delivered to On call").count()).toBe(2))
        await events.getByText("Alert resolved").waitFor()
        const titles = await events.locator("strong").allInnerTexts()
        expect(titles.slice(0, 2)).toEqual([
          "Alert triggered with severity High",
          "Notification sent to On call",
        ])
        expect(new Set(titles)).toEqual(
          new Set([
            "Alert triggered with severity High",
            "Notification sent to On call",
            "Delivered to On call",
            "Acknowledged by editor",
            "Alert resolved",
            "Resolution sent to On call",
          ]),
        )
        await says("Burned by t-1")
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("link", { name: "Exclude this range" }).click()
        await page.getByRole("heading", { name: "Create budget adjustment" }).waitFor()
        await page.getByRole("list", { name: "SLOs" }).getByText("default/checkout").waitFor()
        expect(await page.getByLabel("Start").inputValue()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)
        await page.getByLabel("Display name").fill("Move of the data center")
        await page.getByLabel("End").fill("")
        await page.getByLabel("Duration").fill("30m")
        await page.getByRole("button", { name: "Create budget adjustment" }).click()
        await says("Is required.")
        await page.getByLabel("Reason").fill("Customers had been told.")
        await page.getByRole("button", { name: "Create budget adjustment" }).click()
        await page.getByRole("heading", { level: 1, name: "Move of the data center" }).waitFor()
        await says("Changes and their effects")
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("button", { name: "Delete budget adjustment" }).click()
        const remove = page.getByRole("dialog").getByRole("button", { name: "Delete budget adjustment" })
        expect(await remove.isDisabled()).toBe(true)
        expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel")
        await page.getByLabel(/Type .* to confirm/).fill("move-of-the-data-center")
        await remove.click()
        await says("No budget adjustments yet")
      })
    })

    it("spec/console §9: shows what an attempt sent, and verifies a request in the browser", async () => {
      const { receiver } = stage().server
      await visit(stage(), { width: 390, colorScheme: "dark" }, async ({ page, open, says, api }) => {
        const url = `${receiver.url}/verified`
        await api.apply([
          aMethod("on-call", url, {
            headers: [{ name: "X-Key", value: "s3cret", isSecret: true }],
            templateFields: ["slo_name"],
          }),
        ])
        await open("/alert-methods/default/on-call")
        await page.getByRole("button", { name: "Send test" }).click()
        await says("Test completed successfully!")
        await page.getByLabel("URL of the alert method").fill(url)
        await page.getByRole("button", { name: "Verify request" }).click()
        await says("A receiver accepts this request.")
        const steps = page.getByRole("list", { name: "Steps of the verification" }).getByRole("listitem")
        expect(await steps.count()).toBe(7)
        await page.getByLabel("URL of the alert method").fill(`${url}/another`)
        await page.getByRole("button", { name: "Verify request" }).click()
        await says("A receiver rejects this request.")
        expect(await overflowOf(page)).toBe(0)
        expect(await seriousFindings(page)).toEqual([])

        await page.getByRole("link", { name: "View test in the delivery log" }).click()
        await page.getByRole("heading", { level: 1, name: "Test" }).waitFor()
        expect(await page.getByRole("button", { name: /Resend|Retry/ }).count()).toBe(0)
        await page.getByText("Request", { exact: true }).click()
        const headers = page.getByRole("region", { name: "Request headers" })
        await headers.getByText("Signature: [not stored]").waitFor()
        const sent = receiver.received.findLast(({ path }) => path === "/verified")
        const shown = await headers.innerText()
        expect(shown).toContain(`Signature-Input: ${sent?.headers.get("signature-input")}`)
        expect(shown).toContain("X-Key: [hidden]")
        expect(shown).not.toContain("s3cret")
        expect(await page.getByRole("region", { name: "Request body" }).innerText()).toBe(sent?.body)
        await page.getByLabel("URL of the alert method").fill(url)
        await page.getByRole("button", { name: "Verify request" }).click()
        await says("Some steps need values that are not stored here.")
        await page.getByLabel("Signature header").fill(sent?.headers.get("signature") ?? "")
        await page.getByRole("button", { name: "Verify request" }).click()
        await says("A receiver accepts this request.")
        // The programs have the values of this request, and run as they are.
        const { hasRuntime, runProgram, remove } = makeProgramFolder()
        for (const program of verifyPrograms.slice(0, 2).filter(hasRuntime)) {
          await page.getByRole("tab", { name: program.name }).click()
          const code = await page.getByRole("region", { name: `Program in ${program.name}` }).innerText()
          expect(runProgram(program, code)).toEqual({ status: 0, said: "verified" })
          const [name = ""] = Object.keys(JSON.parse(sent?.body ?? "{}") as object)
          expect(runProgram(program, code.replace(`{\\"${name}`, `{\\"x${name}`))).toEqual({
            status: 1,
            said: "rejected: the body does not match Content-Digest",
          })
        }
        remove()
        await page.getByRole("tab", { name: "Rust" }).click()
        await expect.poll(() => page.url()).toContain("program=Rust")
        await page.reload()
        expect(await page.getByRole("region", { name: "Program in Rust" }).innerText()).toContain(
          "verify_strict",
        )
        expect(await overflowOf(page)).toBe(0)
        expect(await seriousFindings(page)).toEqual([])
        await open("/deliveries?event=test")
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByText("Sample values")
          .waitFor()
      })
    })

    it("shows a resent delivery as sending, and resends failed ones in bulk with their progress", async () => {
      const { receiver } = stage().server
      receiver.answer("/gone", 410)
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          service,
          anSlo("checkout"),
          aMethod("fine", `${receiver.url}/resent`, { templateFields: ["slo_name"] }),
          aMethod("gone", `${receiver.url}/gone`, { templateFields: ["slo_name"] }),
        ])
        await api.send("POST", "/api/alerts", trigger("r-1", "checkout", "High", "fine"))
        await open("/deliveries?state=delivered")
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByRole("link")
          .click()
        await page.getByRole("button", { name: "Resend notification" }).waitFor()
        // Nothing is sent while the alert method is paused, so that the resent delivery waits.
        await api.send("POST", "/api/alertmethods/fine/pause", undefined, "default")
        await page.getByRole("button", { name: "Resend notification" }).click()
        await page.locator("header").getByText("Sending").waitFor()
        expect(await page.getByText("Retrying").count()).toBe(0)
        expect(await page.getByRole("button", { name: /Resend|Retry/ }).count()).toBe(0)
        await api.send("POST", "/api/alertmethods/fine/resume", undefined, "default")
        await page.locator("header").getByText("Delivered").waitFor()

        await api.send("POST", "/api/alerts", trigger("r-2", "checkout", "High", "gone"))
        await open("/deliveries")
        await page
          .getByRole("table", { name: /Deliveries/ })
          .getByText("Failed", { exact: true })
          .waitFor()
        receiver.answer("/gone", 204)
        await api.send("POST", "/api/alertmethods/gone/enable", undefined, "default")
        await page.getByRole("button", { name: "Resend failed deliveries" }).click()
        await says("1 delivery matches.")
        await page.getByRole("button", { name: "Resend deliveries", exact: true }).click()
        await says("1 of 1 resent")
        await page.getByRole("list", { name: "Bulk resends" }).getByText("Done").waitFor()
        expect(await seriousFindings(page)).toEqual([])
      })
    })

    it("spec/alerting §25: creates an alert policy of too few events and of fewer than usual", async () => {
      await visit(stage(), { width: 390, colorScheme: "dark" }, async ({ page, open, says }) => {
        await open("/alert-policies/new")
        await page.getByLabel("Display name").fill("No traffic")
        await page.getByText("My own", { exact: true }).click()
        await page.getByRole("button", { name: "No traffic for 15 minutes" }).click()
        await page.getByLabel("Value of condition 1").fill("2")
        expect(await page.getByLabel("Minimum events of condition 1").count()).toBe(0)
        await page.getByRole("button", { name: "Add condition" }).click()
        await page.getByLabel("Measurement of condition 2").selectOption("fewerThanUsual")
        await page.getByLabel("Value of condition 2").fill("2")
        await page.getByLabel("Window of condition 2").fill("30m")
        await says(/more than 0.*at most 1/i)
        expect(await findings(page)).toEqual([])
        await page.getByLabel("Value of condition 2").fill("0.25")
        await page.getByLabel("Past weeks of condition 2").fill("3")
        await page.getByLabel("Minimum usual events of condition 2").fill("40")
        const yaml = page.getByLabel("Definition as YAML", { exact: true })
        await eventually(async () =>
          expect(parse(await yaml.inputValue()).spec.conditions).toEqual([
            { fewerThan: { events: 2, per: "15m" } },
            { fewerThan: { ofUsual: 0.25, per: "30m", weeks: 3, minUsual: 40 } },
          ]),
        )
        expect(await overflowOf(page)).toBe(0)
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Create alert policy" }).click()
        await page.getByRole("heading", { level: 1, name: "No traffic" }).waitFor()
        await says("fewer than 2 events in 15m")
        await says(/fewer than 25\s?% of the usual events in 30m/)
        expect(await findings(page)).toEqual([])
      })
    })

    it("spec/console §10: creates an alert policy beside its YAML, and edits and deletes it", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([service, anSlo("checkout"), aMethod("on-call", "https://hooks.example.com/")])
        await open("/alert-policies")
        await says("No alert policies yet")
        await page.getByRole("link", { name: "Create alert policy" }).click()
        const yaml = page.getByLabel("Definition as YAML", { exact: true })
        await expect.poll(() => yaml.inputValue()).toContain("sreWorkbook: page")
        await page.getByRole("button", { name: "Create alert policy" }).click()
        await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("metadata.name")
        await page.getByLabel("Display name").fill("Fast burn")
        await page.getByLabel("Labels").fill("team=payments")
        await page.getByRole("button", { name: "Add annotation" }).click()
        await page.getByLabel("Key of annotation 1").fill("example.com/runbook")
        await page.getByLabel("Value of annotation 1").fill("burn")
        await page.getByText("My own", { exact: true }).click()
        await page.getByRole("button", { name: "Slow burn (6× in 6 h)" }).click()
        await page.getByLabel("Value of condition 1").fill("six")
        await says("Must be a number")
        await page.getByLabel("Value of condition 1").fill("6")
        await page.getByRole("button", { name: "Remove condition 2" }).click()
        await page.getByLabel("Cool-down").fill("1m")
        await says("Must be at least 5 minutes")
        await page.getByLabel("Cool-down").fill("10m")
        await page.getByLabel("Add alert method").first().selectOption("default/on-call")
        await page.getByLabel("SLO", { exact: true }).fill("default/checkout")
        await says("0 alerts")
        expect(await seriousFindings(page)).toEqual([])
        const written = await yaml.inputValue()
        await page.getByRole("button", { name: "Create alert policy" }).click()
        await page.getByRole("heading", { level: 1, name: "Fast burn" }).waitFor()
        // What is shown beside the form is what was applied.
        const applied = await api.send("PUT", "/api/apply?dry_run=true", parse(written))
        expect(JSON.parse(applied)).toMatchObject({ data: [{ outcome: "unchanged" }] })
        await says("burn rate ≥ 6 over 6h")
        await page.getByRole("link", { name: "Edit alert policy" }).click()
        await page.getByRole("heading", { level: 1, name: "Edit Fast burn" }).waitFor()
        await expect.poll(() => page.getByLabel("Cool-down").inputValue()).toBe("10m")
        await page.getByRole("button", { name: "Or: add a group" }).click()
        await page.getByRole("button", { name: "Save alert policy" }).click()
        await says("burn rate ≥ 14.4 over 1h")
        await open("/alert-policies?search=fast")
        await page.getByRole("checkbox", { name: "Select default/fast-burn" }).click()
        const bulk = page.getByRole("toolbar", { name: "Selected items" })
        await bulk.getByText("1 selected").waitFor()
        await bulk.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
        await says("No alert policies yet")
      })
    })

    it("creates projects and services, and tests an alert method before it is saved", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api, organization }) => {
        await open("/projects/new")
        await page.getByLabel("Display name").fill("Shop")
        await page.getByRole("button", { name: "Create project" }).click()
        await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor()
        expect(await page.getByRole("link", { name: "View status page" }).count()).toBe(0)
        await open("/services/new?project=shop")
        await page.getByLabel("Display name").fill("Checkout")
        await page.getByLabel("Labels").fill("team=payments, tier=gold")
        await page.getByRole("button", { name: "Create service" }).click()
        await page.getByRole("heading", { level: 1, name: "Checkout" }).waitFor()
        await open("/services")
        const services = page.getByRole("table", { name: "Services" })
        await services.getByText("shop/checkout").waitFor()
        await services.getByText("No SLOs").waitFor()
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole("tab", { name: "Projects" }).click()
        await page.getByRole("link", { name: "Shop" }).click()
        await page.getByRole("link", { name: "Edit project" }).click()
        const slug = `shop-${organization}`
        await page.getByLabel("Slug").fill("Not a slug")
        await says(/lowercase/i)
        await page.getByLabel("Slug").fill(slug)
        await page.getByLabel("Title", { exact: true }).fill("Our shop")
        await page.getByLabel("Add component").selectOption("checkout")
        expect(await findings(page)).toEqual([])
        await page.getByRole("button", { name: "Save project" }).click()
        const published = page.getByRole("link", { name: "View status page" })
        expect(await published.getAttribute("href")).toBe(`/status/${slug}`)
        expect(JSON.parse(await api.send("GET", "/api/get/projects?name=shop"))[0].spec).toEqual({
          statusPage: { slug, title: "Our shop", components: [{ service: "checkout" }] },
        })
        await page.getByRole("button", { name: "Delete project" }).click()
        await page.getByLabel(/Type .* to confirm/).fill("shop")
        await page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click()
        await page.getByRole("dialog").getByRole("alert").waitFor()

        await open("/alert-methods/new")
        await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/proposed`)
        await page.getByRole("button", { name: "Send test" }).click()
        await says("Test completed successfully!")
        expect(receiver.received.some(({ path }) => path === "/proposed")).toBe(true)
        expect(JSON.parse(await api.send("GET", "/api/get/alertmethod"))).toEqual([])
      })
    })

    it("is read-only for viewers", async () => {
      await visit(stage(), { role: "viewer" }, async ({ open, says, page }) => {
        for (const path of ["/alert-policies", "/budget-adjustments", "/services"]) {
          await open(path)
          expect(await page.getByRole("link", { name: /^Create/ }).count()).toBe(0)
          await open(`${path}/new`)
          await says("Your role is viewer")
        }
      })
    })
  })
