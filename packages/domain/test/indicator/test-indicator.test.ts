import { MemoryStores } from "@tocsin/adapters-memory"
import { promqlAdvisor } from "@tocsin/promql"
import { anyAddress } from "@tocsin/domain/delivery"
import { testIndicator } from "@tocsin/domain/features/data-source"
import {
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
  type SeriesQuery,
} from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { organization } from "../../../../test/http/delivery-client.ts"
import { proposedSlo, sampleSource } from "../../../../test/indicator/SampleSource.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const minute = 60_000
const now = Date.parse("2026-01-30T12:02:30.000Z")

const definition = (prometheus: object, objectives: ReadonlyArray<object> = [{ target: 0.99 }]) =>
  proposedSlo(prometheus, { objectives })

const events = { good: "good", total: "total" }

/** Tests against a server that has a sample for each instant. */
const run = (
  body: object,
  valueOf: (query: SeriesQuery, at: number) => number | undefined,
  queries: Array<SeriesQuery> = [],
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const options = { vendorPrefix: "tocsin", addressPolicy: anyAddress, promqlAdvisor }
    return yield* testIndicator(organization, body, options)
  }).pipe(Effect.provide(Layer.mergeAll(MemoryStores.layer, sampleSource(valueOf, queries))))

describe("testing an indicator", () => {
  it.effect("spec/data-sources §9: reads a day in parts, and adds its minutes up in steps of 5", () => {
    const queries: Array<SeriesQuery> = []
    return Effect.gen(function* () {
      const test = yield* run(
        { definition: definition(events, [{ target: 0.99 }, { target: 0.999 }]), range: "day" },
        ({ expression }) => (expression === "good" ? 9 : 10),
        queries,
      )
      expect([test.range, test.stepMinutes, test.problem]).toEqual([
        { from: Date.parse("2026-01-29T12:00:00.000Z"), to: Date.parse("2026-01-30T12:00:00.000Z") },
        5,
        undefined,
      ])
      expect(test.counts).toHaveLength(288)
      expect(test.counts.slice(0, 2)).toMatchObject([
        { at: Date.parse("2026-01-29T12:00:00.000Z"), good: 45, total: 50 },
        { at: Date.parse("2026-01-29T12:05:00.000Z"), good: 45, total: 50 },
      ])
      expect(test.counts.reduce((sum, { total }) => sum + total, 0)).toBe(14_400)
      expect(Math.max(...queries.map(({ from, to }) => to - from))).toBeLessThan(6 * 60 * minute)
    })
  })

  it.effect(
    "spec/data-sources §9: compares a metric for each objective, and keeps what was read before a failure",
    () =>
      Effect.gen(function* () {
        const objectives = [
          { name: "fast", target: 0.9, op: "lte", value: 1 },
          { name: "slow", target: 0.9, op: "lte", value: 3 },
        ]
        const body = { definition: definition({ metric: "latency" }, objectives), range: "day" }
        const whole = yield* run(body, () => 2)
        expect(whole.isPerObjective).toBe(true)
        const goodOf = (name: string) =>
          whole.counts.filter(({ objective }) => objective === name).reduce((sum, { good }) => sum + good, 0)
        expect([goodOf("fast"), goodOf("slow") > 0]).toEqual([0, true])
        const half = yield* run(body, (_, at) => (at > now - 720 * minute ? undefined : 2))
        expect(half.counts.length).toBeGreaterThan(0)
        expect(half.counts.length).toBeLessThan(whole.counts.length)
        expect(half.problem?.reason).toBe("query_failed")
      }),
  )

  it.effect(
    "spec/data-sources §9: reads an hour by default, and rejects a day of groups and of many objectives",
    () =>
      Effect.gen(function* () {
        const hour = yield* run({ definition: definition(events) }, () => 1)
        expect([hour.counts.length, hour.stepMinutes]).toEqual([60, 1])
        const many = Array.from({ length: 21 }, (_, at) => ({ target: 0.9, op: "lt", value: at }))
        for (const each of [
          definition({ ...events, groupBy: ["region"] }),
          definition({ metric: "m" }, many),
        ]) {
          const { issues } = (yield* Effect.flip(run({ definition: each, range: "day" }, () => 1))) as {
            readonly issues?: unknown
          }
          expect(issues).toMatchObject([{ path: "range", code: "not_allowed_value" }])
        }
      }),
  )
})

describe("spec/definitions §14: warnings of a test of an indicator", () => {
  const base = "definition.spec.indicator.prometheus"

  it.effect("say which metric the server does not have", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const names = { names: ["requests_total"], isComplete: true }
      const source = { ...(yield* MetricSource), readNames: () => Effect.succeed(names) }
      const queries = { good: "sum(increase(requests_total[1m]))", total: "sum(increase(request_total[1m]))" }
      const options = { vendorPrefix: "tocsin", addressPolicy: anyAddress, promqlAdvisor }
      const { warnings } = yield* testIndicator(
        organization,
        { definition: definition(queries) },
        options,
      ).pipe(Effect.provideService(MetricSource, source))
      expect(warnings).toMatchObject([
        {
          path: `${base}.total`,
          code: "no_series",
          message: expect.stringContaining("no samples of request_total; did you mean requests_total?"),
        },
      ])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          MemoryStores.layer,
          sampleSource(() => Number.NaN),
        ),
      ),
    ),
  )

  it.effect("name the queries that can return several series, with their sums", () => {
    const reason = "several_series"
    const several = sampleSource(() => 1).pipe(
      Layer.flatMap((context) =>
        Layer.succeed(MetricSource, {
          ...Context.get(context, MetricSource),
          readSeries: () =>
            Effect.fail(new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] })),
        }),
      ),
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const queries = { good: "sum by (job) (increase(a[1m]))", total: "sum(increase(b[1m]))" }
      const options = { vendorPrefix: "tocsin", addressPolicy: anyAddress, promqlAdvisor }
      const { warnings } = yield* testIndicator(organization, { definition: definition(queries) }, options)
      expect(warnings).toMatchObject([
        { path: `${base}.good`, code: "several_series", suggestion: "sum(increase(a[1m]))" },
      ])
      const rates = { good: "rate(a[5m])", total: "sum(increase(b[1m]))" }
      const rated = yield* testIndicator(organization, { definition: definition(rates) }, options)
      expect(rated.warnings.map(({ code, suggestion }) => [code, suggestion])).toEqual([
        ["rate_not_count", undefined],
        ["several_series", "sum(increase(a[1m]))"],
      ])
    }).pipe(Effect.provide(Layer.mergeAll(MemoryStores.layer, several)))
  })

  it.effect("suggest to swap queries only where none of them is a rate", () =>
    Effect.gen(function* () {
      const valueOf = ({ expression }: SeriesQuery) => (expression.includes("good") ? 12 : 0.22)
      const rate = { good: "sum(increase(good[1m]))", total: "sum(rate(total[5m]))" }
      const rated = yield* run({ definition: definition(rate) }, valueOf)
      expect(rated.warnings).toMatchObject([
        {
          path: `${base}.good`,
          code: "good_above_total",
          message: expect.stringContaining("Correct it first"),
        },
        { path: `${base}.total`, code: "rate_not_count", suggestion: "sum(increase(total[1m]))" },
      ])
      expect(JSON.stringify(rated)).not.toContain("swapped")
      const right = yield* run(
        { definition: definition({ ...rate, total: "sum(increase(total[1m]))" }) },
        valueOf,
      )
      expect(right.warnings).toMatchObject([
        { path: `${base}.good`, code: "good_above_total", message: expect.stringContaining("not swapped") },
      ])
    }),
  )

  it.effect("are those of the definition where everything was read", () =>
    Effect.gen(function* () {
      const rates = { bad: "sum(rate(bad[5m]))", total: "sum(rate(total[5m]))" }
      const { warnings } = yield* run({ definition: definition(rates) }, () => 0.2)
      expect(warnings).toMatchObject([
        { path: `${base}.bad`, code: "rate_not_count", suggestion: "sum(increase(bad[1m]))" },
        { path: `${base}.total`, code: "rate_not_count" },
      ])
    }),
  )
})
