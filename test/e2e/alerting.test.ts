import { expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeCertificates } from "../egress/certificates.ts"
import { type Answered, eventually, startClockedServer, startStoringServer } from "./clocked-server.ts"
import { methodYaml } from "./definitions.ts"
import { headerOf, type Received, startReceiver } from "./https-receiver.ts"

const minuteMs = 60_000

const definitions = (url: string, severity: string): string =>
  `
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: default }
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: fast-burn, project: default }
spec:
  severity: ${severity}
  conditions: [{ measurement: averageBurnRate, value: 5, alertingWindow: 5m }]
  alertMethods: [{ metadata: { name: on-call } }]
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Hour, count: 1, isRolling: true }]
  objectives: [{ name: good, target: 0.9 }]
  alertPolicies: [fast-burn]
---${methodYaml(
    "on-call",
    `${url}/hook`,
    "templateFields: [alert_status, severity, alert_policy_conditions_text, alert_id]",
    "sendResolution: true",
  )}`

const startTls = Effect.gen(function* () {
  const certificates = yield* Effect.promise(() => makeCertificates())
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => startReceiver(certificates)),
    ({ close }) => Effect.promise(close),
  )
  return { receiver, caPem: certificates.ca }
})

interface Server {
  readonly send: (method: string, path: string, init?: RequestInit) => Effect.Effect<Answered>
  readonly login: Effect.Effect<Readonly<Record<string, string>>>
}

const clientOf = ({ send, login }: Server) =>
  Effect.map(login, (headers) => ({
    apply: (yaml: string) =>
      Effect.map(
        send("PUT", "/api/apply", {
          headers: { ...headers, "content-type": "application/yaml" },
          body: yaml,
        }),
        ({ status }) => expect(status).toBe(200),
      ),
    /** Sends the good events of 10 in minutes that end with the one under way, the oldest first. */
    count: (...good: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const now = Math.floor((yield* Clock.currentTimeMillis) / minuteMs) * minuteMs
        const counts = good.map((events, index) => ({
          objective: "good",
          at: new Date(now - (good.length - 1 - index) * minuteMs).toISOString(),
          good: events,
          total: 10,
        }))
        const answer = yield* send("POST", "/api/slos/checkout/counts", {
          headers: { ...headers, project: "default", "content-type": "application/json" },
          body: JSON.stringify(counts),
        })
        expect(answer.status).toBe(204)
      }),
    alerts: Effect.map(send("GET", "/api/get/alert?slo=checkout", { headers }), ({ json }) =>
      (json as ReadonlyArray<{ spec: { status: string; resolutionReason?: string } }>).map(({ spec }) =>
        spec.status === "Canceled" ? spec.resolutionReason : spec.status,
      ),
    ),
  }))

const arrived = (received: ReadonlyArray<Received>) =>
  received.map((each) => [headerOf(each, "notification-event"), JSON.parse(each.body.toString())])

it.live("spec/alerting §3: bad counts notify over TLS at once, and the resolution is sent", () =>
  Effect.gen(function* () {
    const { receiver, caPem } = yield* startTls
    const store = { kind: "memory", masterKey: Redacted.make(new Uint8Array(32).fill(3)) } as const
    const client = yield* clientOf(yield* startStoringServer({ caPem, store }))
    yield* client.apply(definitions(receiver.url, "High"))
    yield* client.count(10, 10, 10, 0)
    expect(yield* client.alerts).toEqual([])
    yield* client.count(10, 10, 10, 0, 0, 0)
    const conditions = "Average burn rate is at least 5 over the last 5 minutes"
    const [first] = yield* Effect.promise(() => receiver.until(1, "/hook"))
    expect(arrived(first === undefined ? [] : [first])).toMatchObject([
      [
        "alert.triggered",
        { alert_status: "triggered", severity: "high", alert_policy_conditions_text: conditions },
      ],
    ])
    expect(yield* client.alerts).toEqual(["Triggered"])
    yield* client.apply(definitions(receiver.url, "Low"))
    const all = yield* Effect.promise(() => receiver.until(3, "/hook"))
    expect(
      arrived(all)
        .map(([event, { severity }]) => [event, severity])
        .toSorted(),
    ).toEqual([
      ["alert.resolved", "high"],
      ["alert.triggered", "high"],
      ["alert.triggered", "low"],
    ])
    expect((yield* client.alerts).toSorted()).toEqual(["AlertCanceledAlertPolicyHasChanged", "Triggered"])
  }),
)

it.effect(
  "spec/alerting §3: an incident notifies when it begins and when it is resolved, by the server's own clock checks",
  () =>
    Effect.gen(function* () {
      const { receiver, caPem } = yield* startTls
      const client = yield* clientOf(yield* startClockedServer({ caPem }))
      yield* client.apply(definitions(receiver.url, "High"))
      // Half a minute into a minute, so that nothing depends on when the test runs.
      const now = yield* Clock.currentTimeMillis
      yield* TestClock.adjust(minuteMs + minuteMs / 2 - (now % minuteMs))
      yield* client.count(10, 10, 0, 0, 0)
      yield* Effect.promise(() => receiver.until(1, "/hook"))
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* client.count(10)
      }
      // 2 of 5 minutes are bad, which is a rate of 4: the cool-down of 5 minutes has begun.
      yield* TestClock.adjust("4 minutes")
      expect(yield* client.alerts).toEqual(["Triggered"])
      yield* TestClock.adjust("2 minutes")
      yield* eventually(client.alerts, ([status]) => status === "Resolved")
      const all = yield* Effect.promise(() => receiver.until(2, "/hook"))
      expect(arrived(all).map(([event, { alert_status: status }]) => [event, status])).toEqual([
        ["alert.triggered", "triggered"],
        ["alert.resolved", "resolved"],
      ])
      expect(new Set(arrived(all).map(([, { alert_id: id }]) => id)).size).toBe(1)
    }),
)
