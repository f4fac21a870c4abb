import { BacktestTurns, backtestTurns } from "../../src/backtests/BacktestsHandlers.ts"
import { inTurn, makeTurns } from "@tocsin/domain/rate-limit"
import { NodeApiServer } from "@tocsin/adapters-http"
import { durationOf } from "@tocsin/domain/codec"
import { CountStore, metricFailureText, type SeriesQuery } from "@tocsin/domain/ports"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"
import { proposedSlo, sampleSource } from "../../../../test/indicator/SampleSource.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"

const minute = 60_000
const now = Date.UTC(2026, 0, 30, 12)

/** The end of what is read: values settle for a while. */
const end = now - minute

/** A server over a data source with a value of each minute, given by its minutes before `end`; `undefined`: the query fails. */
const serverOf = (
  valueOf: (expression: string, minutesAgo: number) => number | undefined,
  queries: Array<SeriesQuery> = [],
  turns = makeTurns(backtestTurns),
) => {
  const source = sampleSource(({ expression }, at) => valueOf(expression, (end - at) / minute), queries)
  const ports = Layer.mergeAll(apiPorts, source, Layer.succeed(BacktestTurns, turns))
  return Layer.provideMerge(NodeApiServer.layer({ host: "127.0.0.1", port: 0 }), ports)
}

const objectives = [
  { name: "good", target: 0.9 },
  { name: "lax", target: 0.2 },
]

const anSlo = (spec: object = {}, prometheus: object = {}) =>
  proposedSlo({ good: "good", total: "total", ...prometheus }, { objectives, ...spec })

const proposed = {
  definition: {
    apiVersion: "tocsin/v1alpha",
    kind: "AlertPolicy",
    metadata: { name: "proposed", project: "shop" },
    spec: {
      severity: "Low",
      conditions: [{ measurement: "averageBurnRate", value: 9, alertingWindow: "30m" }],
      alertMethods: [{ metadata: { name: "none" } }],
    },
  },
}

const stored = { alertPolicy: "fast-burn" }

const backtest = (headers: Readonly<Record<string, string>>, body: unknown) =>
  send("/api/indicators/backtest", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const fast = {
    measurement: "averageBurnRate",
    op: "gte",
    value: 5,
    alertingWindow: durationOf("10m"),
  } as const
  yield* putDefinitions("acme", [aPolicy([fast], { alertMethods: [] })])
  return yield* headersOf("acme")
})

describe("POST /api/indicators/backtest", () => {
  it.effect("spec/backtests §6: evaluates policies over the last day of an SLO that is not stored", () => {
    const queries: Array<SeriesQuery> = []
    return Effect.gen(function* () {
      const headers = yield* prepare
      const response = yield* backtest(headers, { definition: anSlo(), policies: [stored, proposed] })
      expect(response.status, response.text).toBe(200)
      const { minutesWithCounts, problem, backtests } = JSON.parse(response.text)
      expect([minutesWithCounts, problem]).toEqual([1_440, undefined])
      expect(backtests.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual(
        backtests.map(() => ["2026-01-29T11:59:00.000Z", "2026-01-30T11:59:00.000Z"]),
      )
      const [fast, slow] = backtests
      expect(fast).toMatchObject({
        alertCount: 1,
        objectives: [
          { name: "good", alertCount: 1 },
          { name: "lax", alertCount: 0 },
        ],
        alerts: [
          {
            objective: "good",
            // Of the last 10 minutes, the one under way has no counts yet: 5 of 9 are bad, and 4 of 9 from 10:25 on.
            triggeredAt: "2026-01-30T10:05:00.000Z",
            closedAt: "2026-01-30T10:30:00.000Z",
          },
        ],
      })
      // 20 of 30 minutes are no burn rate of 9.
      expect(slow.alerts).toEqual([])
      // Nothing is stored, so there is nothing to see under its name.
      expect(
        (yield* send("/api/v2/slos/checkout", { headers: { ...headers, project: "shop" } })).status,
      ).toBe(404)
      expect(yield* (yield* CountStore).hours([hoursOfSlo])).toEqual([[]])
      expect(queries.every(({ organization }) => organization === "acme")).toBe(true)
    }).pipe(
      Effect.provide(
        serverOf(
          // All events are bad for 20 minutes, from 10:00 on.
          (expression, ago) => (expression === "good" && ago < 119 && ago >= 99 ? 0 : 10),
          queries,
        ),
      ),
    )
  })

  it.effect("spec/backtests §6: reports every issue, and reads nothing", () => {
    const queries: Array<SeriesQuery> = []
    return Effect.gen(function* () {
      const headers = yield* prepare
      const codes = (body: unknown) =>
        Effect.map(backtest(headers, body), (response) => [
          response.status,
          ...errorsOf(response).map(({ code, source }) => [source?.propertyName, code]),
        ])
      expect(yield* codes({})).toEqual([400, ["definition", "required"], ["policies", "required"]])
      expect(yield* codes({ definition: anSlo(), policies: [] })).toEqual([400, ["policies", "too_few"]])
      const eleven = Array.from({ length: 11 }, () => stored)
      expect(yield* codes({ definition: anSlo({ indicator: undefined }), policies: eleven })).toEqual([
        400,
        ["definition.spec.indicator.prometheus", "required"],
        ["policies", "too_many"],
      ])
      expect(
        yield* codes({
          definition: anSlo(
            { objectives: Array.from({ length: 11 }, (_, at) => ({ name: `o-${at}`, target: 0.9 })) },
            { url: undefined, dataSource: { name: "none" }, groupBy: ["region"] },
          ),
          policies: [stored, { alertPolicy: "none" }],
        }),
      ).toEqual([
        400,
        ["definition.spec.indicator.prometheus.dataSource", "not_found"],
        ["definition.spec.indicator.prometheus.groupBy", "not_allowed_value"],
        ["definition.spec.objectives", "too_many"],
        ["policies[1].alertPolicy", "not_found"],
      ])
      expect(queries).toEqual([])
    }).pipe(Effect.provide(serverOf(() => 1, queries)))
  })

  it.effect("spec/backtests §6: evaluates nothing when part of the day cannot be read", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const { status, text } = yield* backtest(headers, { definition: anSlo(), policies: [stored] })
      expect([status, JSON.parse(text)]).toEqual([
        200,
        {
          minutesWithCounts: 1_080,
          problem: { reason: "query_failed", detail: metricFailureText.query_failed },
          backtests: [],
        },
      ])
    }).pipe(Effect.provide(serverOf((_, ago) => (ago < 180 ? undefined : 10)))),
  )

  it.effect("spec/backtests §6: evaluates nothing without counts, and says how many minutes have some", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const run = (total: string) =>
        Effect.map(
          backtest(headers, { definition: anSlo({}, { good: total, total }), policies: [stored] }),
          ({ text }) => JSON.parse(text),
        )
      expect(yield* run("none")).toEqual({ minutesWithCounts: 0, backtests: [] })
      const hour = yield* run("hour")
      expect([hour.minutesWithCounts, hour.backtests[0].alertCount]).toEqual([60, 0])
    }).pipe(Effect.provide(serverOf((expression, ago) => (expression === "hour" && ago < 60 ? 10 : NaN)))),
  )

  it.effect("spec/backtests §6: leaves composite objectives out", () =>
    Effect.gen(function* () {
      const headers = yield* prepare
      const composite = {
        name: "both",
        target: 0.9,
        composite: {
          maxDelay: "5m",
          components: {
            objectives: [
              { project: "shop", slo: "other", objective: "good", weight: 1, whenDelayed: "Ignore" },
            ],
          },
        },
      }
      const definition = anSlo({ objectives: [...objectives, composite] })
      const { text, status } = yield* backtest(headers, { definition, policies: [stored] })
      expect(status, text).toBe(200)
      expect(JSON.parse(text).backtests[0].objectives.map(({ name }: { name: string }) => name)).toEqual([
        "good",
        "lax",
      ])
    }).pipe(Effect.provide(serverOf(() => 10))),
  )

  it.effect("spec/backtests §6: is for editors, within the limits of tests and of backtests", () => {
    const turns = makeTurns({ ...backtestTurns, waiting: 1 })
    const queries: Array<SeriesQuery> = []
    return Effect.gen(function* () {
      const headers = yield* prepare
      const body = { definition: anSlo(), policies: [stored] }
      expect((yield* backtest(yield* headersOf("acme", "viewer"), body)).status).toBe(403)
      expect(queries).toEqual([])
      const isDone = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(inTurn(turns, "globex")(Deferred.await(isDone)), {
        startImmediately: true,
      })
      const busy = yield* backtest(headers, body)
      expect([busy.status, errorsOf(busy)[0]?.code]).toEqual([429, "concurrency_limit_exceeded"])
      yield* Deferred.succeed(isDone, undefined)
      yield* Fiber.join(first)
      let accepted = 0
      let last = yield* backtest(headers, body)
      for (; last.status === 200; last = yield* backtest(headers, body)) accepted++
      expect([accepted, errorsOf(last)[0]?.code, turns.inProgress.total]).toEqual([
        4,
        "rate_limit_exceeded",
        0,
      ])
      // Another organization has limits of its own, and not the policies of this one.
      const foreign = yield* backtest(yield* headersOf("globex"), body)
      expect(errorsOf(foreign)[0]?.source?.propertyName).toBe("policies[0].alertPolicy")
    }).pipe(Effect.provide(serverOf(() => 10, queries, turns)))
  })
})

const hoursOfSlo = {
  organization: "acme",
  slo: { project: "shop", name: "checkout" },
  range: { from: now - 1_440 * minute, to: now },
  tracks: new Set(["good", "lax"]),
}
