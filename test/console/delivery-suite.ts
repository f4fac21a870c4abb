import { describe, expect, it } from "vitest"
import { aMethod } from "./sign-in-suite.ts"
import { type Stage, visit } from "./stage.ts"

/** What was sent and how it went: tests, deliveries and alerts. */
export const deliverySuite = (stage: () => Stage) =>
  describe("sending", () => {
    it("tests an alert method, with the request and the answer, and says each way in which it can fail", async () => {
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
          await page.getByRole("button", { name: "Test", exact: true }).click()
        }
        await test("fine")
        await says("Test completed successfully!")
        await says("Answered 204")
        expect(await page.getByRole("region", { name: "Request" }).innerText()).toContain(
          "Notification-Event: test",
        )
        for (const [name, detail] of [
          ["nowhere", /name of the URL was not found/i],
          ["refused", /refused the connection/i],
          ["misnamed", /certificate/i],
          ["missing", /answered 404/i],
          ["blocked", /not public/i],
          ["silent", /did not answer in time/i],
        ] as const) {
          await test(name)
          await says("Test failed")
          await says(detail)
        }
      })
    })

    it("shows an alert and its delivery by themselves, with the attempts, and sends again", async () => {
      const { receiver } = stage().server
      receiver.answer("/shaky", 500)
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await open("/deliveries")
        await says("Nothing was sent yet")
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
        // Nobody has touched the page since.
        const log = page.getByRole("table", { name: /Deliveries/ })
        await log.getByText("Delivered").waitFor()
        await log.getByText("Retrying").waitFor()

        await page.getByLabel("State").selectOption("delivered")
        await log.getByText("Retrying").waitFor({ state: "detached" })
        // The others stay until these are there: the log never is empty in between.
        expect(await log.getByRole("row").count()).toBe(2)
        await page.getByLabel("State").selectOption("failed")
        await says("No delivery fits these filters")
        await page.getByRole("button", { name: "Show all deliveries" }).click()
        await page.getByLabel("Alert method").selectOption("default/shaky")
        await log.getByText("Delivered").waitFor({ state: "detached" })
        await page.getByLabel("Created").selectOption("1h")
        await log.getByRole("link").click()

        await says("Answered 500")
        await says("the receiver says 500")
        await says("Waiting for the answer")
        receiver.answer("/shaky", 204)
        await page.getByRole("button", { name: "Resend" }).click()
        await says("It is sent again, under the same ID.")
        await page.locator("header").getByText("Delivered").waitFor()
        await says("Answered 204")
        const ids = receiver.received
          .filter(({ path }) => path === "/shaky")
          .map(({ headers }) => headers.get("notification-id"))
        expect(ids.length).toBeGreaterThan(1)
        expect(new Set(ids).size).toBe(1)

        await page.getByRole("link", { name: "burn-1" }).click()
        await page.getByRole("heading", { name: "Alert on checkout-latency" }).waitFor()
        await says("Remaining error budget is below 10%")
        await page.getByRole("table", { name: "What was sent" }).getByText("steady").waitFor()
        await page.getByRole("link", { name: "Alerts" }).first().click()
        await page.getByRole("table", { name: "Open alerts" }).getByText("checkout-latency").waitFor()
        await api.send("POST", "/api/alerts", {
          status: "resolved",
          slo: { name: "checkout-latency", project: "default" },
          alertId: "burn-1",
        })
        await says("Nothing is in danger now")
      })
    })

    it("makes what is exhausted stand out, and says what to do", async () => {
      await visit(stage(), {}, async ({ page, open, says, api }) => {
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
        // Two days of failing are not waited for: the server's answers say that they are over.
        await page.route(/\/api\/deliveries/, async (route) => {
          const answer = await route.fetch()
          const text = (await answer.text()).replaceAll('"state":"pending"', '"state":"exhausted"')
          await route.fulfill({ response: answer, body: text })
        })
        const row = page.getByRole("row").filter({ hasText: "Exhausted" })
        await row.getByRole("link").click()
        await says("Every attempt failed, and no more is made by itself.")
        await says("The receiver refused the connection")
        await says("Start the receiver; check the port and the firewall.")
        await page.getByRole("button", { name: "Resend" }).waitFor()
      })
    })

    it("pauses, resumes and deletes an alert method", async () => {
      const { receiver } = stage().server
      await visit(stage(), {}, async ({ page, open, says, api }) => {
        await api.apply([aMethod("on-call", `${receiver.url}/paused`)])
        await open("/alert-methods/default/on-call")
        await page.getByRole("button", { name: "Pause" }).click()
        await says("It is paused")
        await page.getByRole("button", { name: "Resume" }).click()
        await page.getByRole("button", { name: "Pause" }).waitFor()
        await page.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await says("No alert method yet")
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
