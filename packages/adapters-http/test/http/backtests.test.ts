import { durationOf } from "@tocsin/domain/codec"
import { CountStore, RateLimiter } from "@tocsin/domain/ports"
import { vi } from "vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { BacktestTurns, backtestTurns } from "../../src/backtests/BacktestsHandlers.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import { inTurn, makeTurns } from "@tocsin/domain/rate-limit"
import * as Layer from "effect/Layer"
import { apiPorts } from "../../../../test/http/api-ports.ts"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const key = { project: "shop", name: "checkout" }

const now = Date.UTC(2026, 0, 30, 12)

const minute = 60_000

const backtest = (headers: Readonly<Record<string, string>>, body: unknown, name = "checkout") =>
  send(`/api/slos/${name}/backtest`, {
    method: "POST",
    headers: { project: "shop", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

/** What each limit was charged. */
const charged = new Map<string, number>()

const recordingServer = Layer.provideMerge(
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }),
  Layer.provideMerge(
    Layer.effect(
      RateLimiter,
      Effect.map(RateLimiter, (limiter) => ({
        ...limiter,
        take: (...[organization, policy, subject, amount = 1]: Parameters<typeof limiter.take>) => {
          charged.set(policy.name, (charged.get(policy.name) ?? 0) + amount)
          return limiter.take(organization, policy, subject, amount)
        },
      })),
    ),
    apiPorts,
  ),
)

const recordedLimits = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    charged.clear()
    return Effect.map(request, () => ({ limits: new Map(charged) }))
  })

/** 10 events in each of the last 120 minutes, those from 60 to 50 minutes ago all bad. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const fast = {
    measurement: "averageBurnRate",
    op: "gte",
    value: 5,
    alertingWindow: durationOf("5m"),
  } as const
  yield* putDefinitions("acme", [
    aPolicy([fast], { alertMethods: [] }),
    anSlo(key, {
      timeWindow: { unit: "Minute", count: 60 },
      objectives: [
        { name: "good", target: 0.9 },
        { name: "great", target: 0.5 },
      ],
    }),
  ])
  const counts = ["good", "great"].flatMap((objective) =>
    Array.from({ length: 120 }, (_, index) => ({
      objective,
      at: now - (120 - index) * minute,
      good: index >= 60 && index < 70 ? 0 : 10,
      total: 10,
    })),
  )
  yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
})

const proposed = (spec: object) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "AlertPolicy",
  metadata: { name: "proposed" },
  spec: { severity: "Low", ...spec },
})

describe("POST /api/slos/{name}/backtest", () => {
  it.effect("spec/backtests §3: returns the alerts of a stored policy, to a viewer too", () =>
    Effect.gen(function* () {
      yield* prepare
      const viewer = yield* headersOf("acme", "viewer")
      const response = yield* backtest(viewer, { alertPolicy: "fast-burn", from: "2026-01-30T10:00:00Z" })
      expect([response.status, JSON.parse(response.text)]).toEqual([
        200,
        {
          from: "2026-01-30T10:00:00.000Z",
          to: "2026-01-30T12:00:00.000Z",
          alertCount: 1,
          alertsPerMonth: 360,
          objectives: [
            { name: "good", alertCount: 1, burned: 1.52542372881 },
            { name: "great", alertCount: 0, burned: 0.305084745763 },
          ],
          alerts: [
            {
              objective: "good",
              // Of the last 5 minutes, the one under way has no counts yet: 2 of 4 are bad, then 2 of 4 good.
              triggeredAt: "2026-01-30T11:02:00.000Z",
              closedAt: "2026-01-30T11:18:00.000Z",
              burnedAtTrigger: 0.338983050847,
              burnedAtEnd: 1.69491525424,
            },
          ],
        },
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/backtests §2: takes a policy that is not stored, an objective and a range", () =>
    Effect.gen(function* () {
      yield* prepare
      const headers = yield* headersOf("acme")
      const definition = proposed({
        conditions: [{ measurement: "burnedBudget", value: 0.25 }],
        alertMethods: [{ metadata: { name: "none" } }],
      })
      const range = { from: "2026-01-30T10:30:30Z", to: "2026-01-30T11:30:59Z" }
      const response = yield* backtest(headers, { definition, objective: "great", ...range })
      expect(response.status).toBe(200)
      const { from, to, objectives, alerts } = JSON.parse(response.text)
      expect([from, to]).toEqual(["2026-01-30T10:30:00.000Z", "2026-01-30T11:30:00.000Z"])
      expect(objectives).toEqual([{ name: "great", alertCount: 1, burned: expect.any(Number) }])
      expect(alerts).toEqual([
        {
          objective: "great",
          // 8 of 59 minutes are 0.27 of the budget.
          triggeredAt: "2026-01-30T11:08:00.000Z",
          burnedAtTrigger: 0.271186440678,
          burnedAtEnd: 0.338983050847,
        },
      ])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/backtests §2: reports every issue of a request", () =>
    Effect.gen(function* () {
      yield* prepare
      const headers = yield* headersOf("acme")
      const codes = (body: unknown) =>
        Effect.map(backtest(headers, body), (response) => [
          response.status,
          ...errorsOf(response).map(({ code, source }) => [source?.propertyName, code]),
        ])
      expect(yield* codes({})).toEqual([400, ["alertPolicy", "required"]])
      expect(yield* codes({ alertPolicy: "fast-burn", definition: proposed({}), from: "yesterday" })).toEqual(
        [
          400,
          [undefined, "mutually_exclusive"],
          ["definition.spec.conditions", "required"],
          ["from", "invalid_format"],
        ],
      )
      expect(
        yield* codes({
          alertPolicy: "none",
          objective: "none",
          from: "2024-01-01T00:00:00Z",
          to: "2026-01-30T12:01:00Z",
        }),
      ).toEqual([
        400,
        ["alertPolicy", "not_found"],
        ["from", "out_of_range"],
        ["from", "out_of_range"],
        ["objective", "not_found"],
        ["to", "out_of_range"],
      ])
      expect(yield* codes({ definition: { ...proposed({}), kind: "Service" } })).toEqual([
        400,
        ["definition.spec.severity", "unknown_property"],
      ])
      const missing = yield* backtest(headers, { alertPolicy: "fast-burn" }, "none")
      expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([404, "slo_not_found"])
      const foreign = yield* backtest(yield* headersOf("other"), { alertPolicy: "fast-burn" })
      expect([foreign.status, errorsOf(foreign)[0]?.code]).toEqual([404, "slo_not_found"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/backtests §2: requires an objective of more than 10, and reads a limited number of minutes",
    () =>
      Effect.gen(function* () {
        yield* prepare
        const many = Array.from({ length: 11 }, (_, n) => ({ name: `o-${n}`, target: 0.9 }))
        const components = many.map(({ name }) => ({
          slo: { project: "shop", name: "many" },
          objective: name,
          weight: 1,
          whenDelayed: "Ignore" as const,
        }))
        yield* putDefinitions("acme", [
          anSlo(
            { project: "shop", name: "many" },
            { objectives: many, timeWindow: { unit: "Day", count: 400 } },
          ),
          anSlo(
            { project: "shop", name: "all" },
            {
              timeWindow: { unit: "Day", count: 400 },
              objectives: [
                { name: "all", target: 0.9, composite: { maxDelay: durationOf("5m"), components } },
              ],
            },
          ),
        ])
        const headers = yield* headersOf("acme")
        const issues = (name: string) =>
          Effect.map(backtest(headers, { alertPolicy: "fast-burn" }, name), (response) =>
            errorsOf(response).map(({ code, source }) => [source?.propertyName, code]),
          )
        expect(yield* issues("many")).toEqual([["objective", "required"]])
        expect(yield* issues("all")).toEqual([["from", "out_of_range"]])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/backtests §4: runs few at a time, of which some can wait, and counts as 10 costly reads",
    () => {
      const turns = makeTurns(backtestTurns)
      const ports = Layer.mergeAll(apiPorts, Layer.succeed(BacktestTurns, turns))
      const server = Layer.provideMerge(NodeApiServer.layer({ host: "127.0.0.1", port: 0 }), ports)
      return Effect.gen(function* () {
        yield* prepare
        const headers = yield* headersOf("acme")
        const run = backtest(headers, { alertPolicy: "fast-burn", from: "2026-01-30T11:59:00Z" })
        const isDone = yield* Deferred.make<void>()
        const busy = (organization: string, count: number) =>
          Effect.forEach(Array.from({ length: count }), () =>
            Effect.forkChild(inTurn(turns, organization)(Deferred.await(isDone)), { startImmediately: true }),
          )
        yield* busy("acme", 7)
        const waiting = yield* Effect.forkChild(run, { startImmediately: true })
        yield* Effect.promise(() =>
          vi.waitUntil(() => turns.inProgress.byOrganization.get("acme") === 8, { timeout: 60_000 }),
        )
        const rejected = yield* run
        expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([429, "concurrency_limit_exceeded"])
        yield* busy("globex", 8)
        yield* busy("initech", 8)
        yield* busy("umbrella", 8)
        const other = yield* backtest(yield* headersOf("hooli"), { alertPolicy: "fast-burn" })
        expect(other.status).toBe(429)
        yield* Deferred.succeed(isDone, undefined)
        expect((yield* Fiber.join(waiting)).status).toBe(200)
        let accepted = 1
        while ((yield* run).status === 200) accepted++
        expect([accepted, turns.inProgress.total, turns.byOrganization.size]).toEqual([30, 0, 0])
      }).pipe(Effect.provide(server))
    },
  )
})

describe("the price of a backtest", () => {
  it.effect("spec/backtests §4: grows with its minutes, objectives and conditions, and is paid before", () =>
    Effect.gen(function* () {
      yield* prepare
      const headers = yield* headersOf("acme")
      const priced = (body: object) =>
        Effect.gen(function* () {
          const { limits } = yield* recordedLimits(
            backtest(headers, { ...body, to: "2026-01-30T12:00:00Z", from: "2026-01-29T12:00:00Z" }),
          )
          return limits.get("backtests")
        })
      // 1,440 minutes, with a quarter more for each condition, of two objectives or of one.
      expect(yield* priced({ alertPolicy: "fast-burn" })).toBe(Math.ceil((1_440 * 2 * 1.25) / 2_000))
      expect(yield* priced({ alertPolicy: "fast-burn", objective: "good" })).toBe(1)
    }).pipe(Effect.provide(recordingServer)),
  )
})

describe("GET /api/slos/{name}/proposals", () => {
  const propose = (headers: Readonly<Record<string, string>>, name = "checkout") =>
    send(`/api/slos/${name}/proposals`, { headers: { project: "shop", ...headers } })

  it.effect("spec/backtests §5: returns the time windows of each objective, the shortest first", () =>
    Effect.gen(function* () {
      yield* prepare
      const day = 86_400_000
      const counts = Array.from({ length: 36 }, (_, n) => ({
        objective: "great",
        at: now - 9 * day + (n * day) / 4,
        good: 600,
        total: 1_000,
      }))
      yield* (yield* CountStore).record("acme", [{ slo: key, counts }])
      const viewer = yield* headersOf("acme", "viewer")
      const { status, text } = yield* propose(viewer)
      expect(status).toBe(200)
      const { from, to, objectives } = JSON.parse(text) as {
        readonly from: string
        readonly to: string
        readonly objectives: ReadonlyArray<{
          readonly name: string
          readonly target: number
          readonly proposals: ReadonlyArray<object>
        }>
      }
      expect([from, to]).toEqual(["2026-01-21T12:00:00.000Z", "2026-01-30T12:00:00.000Z"])
      expect(objectives.map(({ name, target }) => [name, target])).toEqual([
        ["good", 0.9],
        ["great", 0.5],
      ])
      expect(objectives[0]?.proposals[0]).toEqual({ minutes: 60, windows: 1 })
      expect(objectives[1]?.proposals).toEqual([
        { minutes: 60, windows: 1 },
        {
          minutes: 7 * 1_440,
          windows: 9,
          worst: 0.6,
          fifthPercentile: 0.6,
          median: 0.6,
          metShare: 1,
          proposedTarget: 0.5,
        },
        { minutes: 28 * 1_440, windows: 0 },
        { minutes: 30 * 1_440, windows: 0 },
      ])
      expect((yield* propose(viewer, "missing")).status).toBe(404)
      const other = yield* propose(yield* headersOf("other", "viewer"))
      expect(errorsOf(other)[0]?.code).toBe("slo_not_found")
    }).pipe(Effect.provide(apiServer)),
  )
})
