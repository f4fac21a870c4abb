import { describe, expect, it } from "vitest"
import { aMethod } from "./sign-in-suite.ts"
import { seriousFindings, type Stage, visit } from "./stage.ts"

/** Tests, deliveries and alerts. */
export const deliverySuite = (stage: () => Stage) =>
  describe("sending", () => {
    it("tests an alert method, shows the request and the response, and reports each kind of failure", async () => {
      const { receiver } = stage().server
      const { port } = new URL(receiver.url)
      receiver.answer("/missing", 404)
      receiver.answer("/silent", undefined)
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        const urls = {
          fine: `${receiver.url}/fine`,
          nowhere: "https://nowhere.example.com/",
          refused: "https://hooks.example.com:1/",
          misnamed: `${receiver.misnamedUrl}/`,
          missing: `${receiver.url}/missing`,
          blocked: `https://blocked.example.com:${port}/`,
          silent: `${receiver.url}/silent`,
        }
        await api.apply(Object.entries(urls).map(([name, url]) => aMethod(name, url)))
        const test = async (name: string): Promise<void> => {
          await open(`/alert-methods/default/${name}`)
          await page.getByRole("button", { name: "Send test" }).click()
        }
        await test("fine")
        await says("Test completed successfully!")
        await says("Response status 204")
        expect(await page.getByRole("region", { name: "Request", exact: true }).innerText()).toContain(
          "Notification-Event: test",
        )
        for (const [name, detail] of [
          ["nowhere", /host name of the URL was not found/i],
          ["refused", /refused the connection/i],
          ["misnamed", /certificate/i],
          ["missing", /responded with 404/i],
          ["blocked", /not public/i],
          ["silent", /did not respond in time/i],
        ] as const) {
          await test(name)
          await says("Test failed")
          await says(detail)
        }
      })
    })

    it("shows an alert and its delivery without a reload, with the attempts, and resends it", async () => {
      const { receiver } = stage().server
      receiver.answer("/shaky", 500)
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await open("/deliveries")
        await says("No deliveries yet")
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
          aMethod("shaky", `${receiver.url}/shaky`),
          aMethod("steady", `${receiver.url}/steady`),
        ])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout-latency", project: "default" },
          objective: "fast",
          alertMethods: [
            { name: "shaky", project: "default" },
            { name: "steady", project: "default" },
          ],
          severity: "High",
          conditions: ["Remaining error budget is below 10%"],
          alertId: "burn-1",
        })
        // The page was not reloaded.
        const log = page.getByRole("table", { name: /Deliveries/ })
        await log.getByText("Delivered").waitFor()
        await log.getByText("Retrying").waitFor()
        await page.reload()
        await log.getByText("On call").first().waitFor()
        // Objects are called by their display names, with the key beside it.
        const [row = ""] = await log.getByRole("row").filter({ hasText: "Retrying" }).allInnerTexts()
        expect(row).toMatch(/The SLO checkout-latency\s+default\/checkout-latency/)
        expect(row).toMatch(/On call\s+default\/shaky/)
        await page
          .getByRole("option", { name: "On call (default/shaky)", includeHidden: true })
          .waitFor({ state: "attached" })

        await page.getByLabel("Status").selectOption("delivered")
        await log.getByText("Retrying").waitFor({ state: "detached" })
        // The previous rows stay until the new ones are there.
        await expect.poll(() => log.getByRole("row").count()).toBe(2)
        await page.getByLabel("Status").selectOption("failed")
        await says("No matching deliveries")
        await page.getByRole("button", { name: "Clear filters" }).click()
        await page.getByLabel("Alert method").selectOption("default/shaky")
        await log.getByText("Delivered").waitFor({ state: "detached" })
        await page.getByLabel("Created").selectOption("1h")
        await log.getByRole("link").click()

        await page.locator("header").getByRole("link", { name: "On call" }).waitFor()
        await page.getByRole("link", { name: "The SLO checkout-latency" }).waitFor()
        await says("Response status 500")
        await page.getByRole("button", { name: "Retry now" }).waitFor()
        await says("the receiver says 500")
        await says("Wait for response")
        receiver.answer("/shaky", 204)
        await page.getByRole("button", { name: "Retry now" }).click()
        await says("The notification is being resent with the same ID.")
        await page.locator("header").getByText("Delivered").waitFor()
        await says("Response status 204")
        const ids = receiver.received
          .filter(({ path }) => path === "/shaky")
          .map(({ headers }) => headers.get("notification-id"))
        expect(ids.length).toBeGreaterThan(1)
        expect(new Set(ids).size).toBe(1)

        await page.getByRole("link", { name: "burn-1" }).click()
        await page.getByRole("heading", { name: "Alert on The SLO checkout-latency" }).waitFor()
        await says("Remaining error budget is below 10%")
        await page.getByRole("table", { name: "Notifications" }).getByText("steady").waitFor()
        const acknowledge = page.getByRole("button", { name: "Acknowledge alert" })
        await acknowledge.first().click()
        await page.getByRole("dialog").getByRole("button", { name: "Acknowledge alert" }).click()
        await expect.poll(() => acknowledge.count()).toBe(0)
        await says("Acknowledged by")
        await page.getByRole("link", { name: "Alerts" }).first().click()
        await page.getByRole("table", { name: "Open alerts" }).getByText("The SLO checkout-latency").waitFor()
        await api.send("POST", "/api/alerts", {
          status: "resolved",
          slo: { name: "checkout-latency", project: "default" },
          alertId: "burn-1",
        })
        await says("No open alerts")
      })
    })

    it("shows the notifications of an alert with an earlier time, and links to all of them in the log", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
          aMethod("on-call", `${receiver.url}/late`),
          aMethod("chat", `${receiver.url}/late`),
        ])
        const slo = { name: "checkout-latency", project: "default" }
        const trigger = (alertId: string, name: string, at = new Date()) =>
          api.send("POST", "/api/alerts", {
            status: "triggered",
            slo,
            alertMethods: [{ name, project: "default" }],
            alertId,
            at: at.toISOString(),
          })
        // A late evaluator reports what happened two days ago.
        await trigger("late&%41/+?", "on-call", new Date(Date.now() - 2 * 86_400_000))
        await trigger("other", "chat")
        await open(`/alerts/${encodeURIComponent("late&%41/+?")}`)
        const sent = page.getByRole("table", { name: "Notifications" })
        await sent.getByText("Delivered").waitFor()
        await expect.poll(() => sent.getByRole("row").count()).toBe(2)

        await page.getByRole("link", { name: "View all deliveries" }).click()
        await page.getByRole("heading", { level: 1, name: "Deliveries", exact: true }).waitFor()
        const log = page.getByRole("table", { name: /Deliveries/ })
        await log.getByText("on-call").waitFor()
        await expect.poll(() => log.getByRole("row").count()).toBe(2)
        expect(await seriousFindings(page)).toEqual([])
        await page.getByLabel("Status").selectOption("exhausted")
        await says("No matching deliveries")
        await page.getByLabel("Status").selectOption("")
        await log.getByText("on-call").waitFor()
        await page.getByRole("button", { name: "Remove filter: alert late&%41/+?" }).click()
        await log.getByText("chat").waitFor()
        expect(await page.getByRole("button", { name: /Remove filter/ }).count()).toBe(0)
        await expect.poll(() => page.url()).not.toContain("alert=")
      })
    })

    it("shows why an alert was canceled, also when its SLO was deleted", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          anSlo("checkout-latency"),
          aMethod("on-call", `${receiver.url}/deleted`, {
            templateFields: ["slo_name"],
            sendResolution: true,
          }),
        ])
        await api.send("POST", "/api/alerts", {
          status: "triggered",
          slo: { name: "checkout-latency", project: "default" },
          alertMethods: [{ name: "on-call", project: "default" }],
          alertId: "void",
        })
        await open("/alerts/void")
        await page.getByRole("table", { name: "Notifications" }).getByText("Delivered").waitFor()
        await api.send("DELETE", "/api/delete/slo?name=checkout-latency", undefined, "default")
        await says("Canceled: its SLO or alert policy was deleted. No notification was sent.")
        await page.locator("header").getByText("Canceled").waitFor()
        await open("/alerts")
        const past = page.getByRole("table", { name: "Past alerts" })
        await past.getByText("No notification was sent.").waitFor()
        // Deliveries are inserted in the transaction that changes the alert.
        const { data } = JSON.parse(await api.send("GET", "/api/deliveries?alertId=void")) as {
          readonly data: ReadonlyArray<{ readonly event: string }>
        }
        expect(data.map(({ event }) => event)).toEqual(["alert.triggered"])
      })
    })

    it("pauses, resumes and deletes an alert method", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([aMethod("on-call", `${receiver.url}/paused`)])
        await open("/alert-methods/default/on-call")
        await page.getByRole("button", { name: "Pause deliveries" }).click()
        await says("Deliveries are paused.")
        await page.getByRole("button", { name: "Resume deliveries" }).click()
        await page.getByRole("button", { name: "Pause deliveries" }).waitFor()
        await page.getByRole("button", { name: "Delete method" }).click()
        await page.getByLabel(/^Type .* to confirm$/).fill("on-call")
        await page.getByRole("dialog").getByRole("button", { name: "Delete method" }).click()
        await says("No alert methods yet")
      })
    })
  })

/** A definition of an SLO of the service `checkout`. */
export const anSlo = (name: string, more: object = {}) => ({
  kind: "SLO",
  metadata: { name, project: "default", displayName: `The SLO ${name}` },
  spec: {
    service: "checkout",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 7, isRolling: true }],
    objectives: [{ name: "fast", displayName: "Fast enough", target: 0.99 }],
    ...more,
  },
})
