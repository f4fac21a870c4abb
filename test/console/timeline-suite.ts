import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeStandingClock } from "../e2e/clocked-server.ts"
import { startConsoleServer } from "./console-server.ts"
import { anSlo } from "./delivery-suite.ts"
import { aMethod } from "./sign-in-suite.ts"
import { eventually, findings, overflowOf, type Stage, visit } from "./stage.ts"

const minuteMs = 60_000

/** Every event of an alert that the evaluation makes, on a clock that is moved by minutes. */
export const timelineSuite = (stage: () => Stage) =>
  describe("the timeline of an alert", () => {
    it("spec/console §8: has repetitions, escalations, failures, the acknowledgement and the end in order, and charts that are read", async () => {
      const start = Math.floor(Date.now() / minuteMs - 600) * minuteMs
      const { clock, setTime } = makeStandingClock(await Effect.runPromise(Clock.Clock), start)
      const server = await startConsoleServer(undefined, clock)
      server.receiver.answer("/gone", 410)
      await visit({ ...stage(), server }, {}, async ({ page, open, says, api }) => {
        await api.apply([
          { kind: "Service", metadata: { name: "checkout", project: "default" } },
          aMethod("on-call", `${server.receiver.url}/on-call`, {
            sendResolution: true,
            templateFields: ["slo_name"],
          }),
          nameless(aMethod("gone", `${server.receiver.url}/gone`)),
          nameless(aMethod("pager", `${server.receiver.url}/pager`)),
          policy,
          anSlo("checkout", { alertPolicies: ["fast-burn"] }),
          anSlo("search", { alertPolicies: ["fast-burn"] }),
          {
            kind: "AlertSilence",
            metadata: { name: "move", project: "default" },
            spec: { slo: "search", period: { startTime: iso(start - minuteMs), duration: "2h" } },
          },
        ])
        const count = (slo: string, from: number, to: number, good: number) =>
          api.send(
            "POST",
            `/api/slos/${slo}/counts`,
            Array.from({ length: to - from }, (_, at) => ({
              objective: "fast",
              at: iso(start + (from + at) * minuteMs),
              good,
              total: 1_000,
            })),
            "default",
          )
        const alertOf = async (slo: string): Promise<string> => {
          let id = ""
          await eventually(async () => {
            const [found] = JSON.parse(
              await api.send("GET", `/api/get/alert?slo=${slo}`, undefined, "default"),
            ) as ReadonlyArray<{ readonly metadata: { readonly name: string } }>
            expect(found).toBeDefined()
            id = found?.metadata.name ?? ""
          })
          return id
        }
        await count("search", -30, 0, 500)
        await count("checkout", -30, -3, 1_000)
        await count("checkout", -3, 0, 500)
        const id = await alertOf("checkout")
        const sent = (count: number) =>
          eventually(async () => {
            const { data } = JSON.parse(await api.send("GET", `/api/deliveries?alertId=${id}`)) as {
              readonly data: ReadonlyArray<{ readonly settledAt?: string }>
            }
            expect(data.filter(({ settledAt }) => settledAt !== undefined)).toHaveLength(count)
          })
        await sent(2)
        setTime(start + minuteMs + 1_000)
        await sent(4)
        setTime(start + 2.5 * minuteMs)
        await sent(7)
        setTime(start + 3 * minuteMs)
        await api.send("POST", `/api/alerts/${id}/acknowledge`, { note: "Rolling back release 41" })
        setTime(start + 20 * minuteMs)
        await count("checkout", 0, 20, 1_000)
        // It is resolved once the conditions were not met in evaluations that are the cool-down apart.
        let minute = 20
        await eventually(async () => {
          setTime(start + ++minute * minuteMs)
          expect(
            JSON.parse(await api.send("GET", "/api/get/alert?status=resolved", undefined, "*")),
          ).toHaveLength(1)
        })
        await sent(8)
        await open(`/alerts/${id}`)
        const events = page.getByRole("list", { name: "Timeline" }).getByRole("listitem")
        const titled = (title: RegExp) => events.filter({ has: page.locator("strong", { hasText: title }) })
        await events.getByText("Rolling back release 41").waitFor()
        await eventually(async () => {
          const titles = await events.locator("strong").allInnerTexts()
          expect(titles.filter((title) => !/^(Delivered|Not delivered|Resent)/.test(title))).toEqual([
            "All conditions met",
            "Alert triggered with severity High",
            "Notification sent to gone",
            "Notification sent to On call",
            "Sent again to gone",
            "Sent again to On call",
            "Escalated to pager",
            "Sent again to gone",
            "Sent again to On call",
            "Acknowledged by editor",
            "Alert resolved",
            "Resolution sent to On call",
          ])
        })

        // The charts are those of the SLO: they are read with the pointer and the keyboard, and explain a minute.
        const chart = page.getByRole("img", { name: /^Burn rate/ })
        const reading = page
          .getByRole("figure")
          .filter({ has: page.getByRole("heading", { name: "Burn rate" }) })
          .getByText(/Burn rate over 5m (\d|no data)/)
        await expect.poll(() => reading.innerText()).toMatch(/Burn rate over 5m \d/)
        await chart.press("Home")
        await expect.poll(() => reading.innerText()).toBe("Burn rate over 5m no data")
        await says("5m, threshold 5.00×")
        // The threshold is within the axis, and the line reaches it where the alert triggered.
        const isWithinAxis = () =>
          chart.evaluate((svg) => {
            const top = (selector: string) =>
              svg.querySelector(selector)?.getBoundingClientRect().top ?? Number.NaN
            const threshold = top("line[class*=threshold]")
            return threshold > svg.getBoundingClientRect().top && top("path[class*=line]") <= threshold
          })
        await expect.poll(isWithinAxis).toBe(true)
        await page.getByRole("img", { name: /^Good and bad events/ }).hover()
        await says(/^Total/)
        await chart.press("Home")
        await chart.press("Enter")
        await expect.poll(() => page.url()).toContain("at=")
        await page.getByRole("button", { name: "Explain here" }).click()
        await page.getByRole("dialog").getByText("Conditions at").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
        expect(await findings(page)).toEqual([])
        expect(await overflowOf(page)).toBe(0)

        // What was measured stays, beside what an exclusion makes of it. A notification that is resent was delivered when it first was.
        const measured = page.getByRole("list", { name: "Measured conditions" })
        const figures = /1,500 of 5,000 events were bad|1,500 of 4,000 events were bad/
        await measured.getByText(figures).first().waitFor()
        const then = await measured.innerText()
        const deliveries = async () =>
          (await titled(/^Delivered to On call/).allInnerTexts()).map((text) =>
            text.replace(/\s*1 attempt$/, ""),
          )
        const deliveredAt = await deliveries()
        await api.apply([
          {
            kind: "BudgetAdjustment",
            metadata: { name: "drill", project: "default" },
            spec: {
              reason: "A drill",
              slos: [{ name: "checkout", project: "default" }],
              period: { startTime: iso(start - 3 * minuteMs), duration: "2m" },
            },
          },
        ])
        const { data } = JSON.parse(await api.send("GET", `/api/deliveries?alertId=${id}`)) as {
          readonly data: ReadonlyArray<{ readonly id: string; readonly state: string }>
        }
        setTime(start + ++minute * minuteMs)
        const first = data.findLast(({ state }) => state === "delivered")
        await api.send("POST", `/api/deliveries/${first?.id}/resend`)
        await open(`/alerts/${id}`)
        await measured.getByText(/^After the adjustment of A drill: /).waitFor()
        expect((await measured.innerText()).replace(/\n+After the adjustment .*/, "")).toBe(then)
        await titled(/^Resent and delivered again to On call/).waitFor()
        expect(await deliveries()).toEqual(deliveredAt)

        await open(`/alerts/${await alertOf("search")}`)
        await events.getByText("Silenced").waitFor()
        await says("Silenced: no notifications were sent.")
      })
      await server.stop()
    })
  })

const iso = (time: number): string => new Date(time).toISOString()

/** Repeats every minute, and escalates after two. */
const policy = {
  kind: "AlertPolicy",
  metadata: { name: "fast-burn", project: "default" },
  spec: {
    severity: "High",
    coolDown: "5m",
    conditions: [{ measurement: "averageBurnRate", alertingWindow: "5m", op: "gte", value: 5 }],
    alertMethods: [
      { metadata: { name: "on-call", project: "default" } },
      { metadata: { name: "gone", project: "default" } },
    ],
    renotify: { every: "1m", atMost: 2 },
    then: [{ after: "2m", alertMethods: [{ metadata: { name: "pager", project: "default" } }] }],
  },
}

/** A method that is called by its name. */
const nameless = (method: ReturnType<typeof aMethod>) => ({
  ...method,
  metadata: { ...method.metadata, displayName: undefined },
})
