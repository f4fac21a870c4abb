import { MemoryStores } from "@tocsin/adapters-memory"
import { type DataSource, polledIndicatorOf } from "@tocsin/domain/adapter"
import { minuteMs } from "@tocsin/domain/codec"
import type { MetricAgent } from "@tocsin/domain/definitions"
import { pollIndicators } from "@tocsin/domain/features/data-source"
import { CountStore, IndicatorStore, MetricSource, type SeriesQuery } from "@tocsin/domain/ports"
import { findSource } from "../../src/data-source/FindSource.ts"
import type { PlainObjective } from "../../src/slo/Slo.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, changeDefinitions, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12)
const key = { project: "shop", name: "checkout" }
const agentKey = { project: "shop", name: "scraper" }

const promql = (text: string) => ({ prometheus: { promql: text } })

const agent: MetricAgent = {
  kind: "Agent",
  metadata: agentKey,
  spec: { source: { prometheus: { url: sourceUrlOf("http://a.example.com") } } },
}

const dataSource: DataSource = {
  kind: "DataSource",
  metadata: agentKey,
  spec: {
    prometheus: {
      url: sourceUrlOf("https://b.example.com"),
      headers: [],
      bearer: { token: Redacted.make("t0ken") },
    },
  },
}

const objectives: ReadonlyArray<PlainObjective> = [
  {
    name: "good",
    target: 0.9,
    countMetrics: { incremental: true, good: promql("good"), total: promql("total") },
  },
  {
    name: "bad",
    target: 0.9,
    countMetrics: { incremental: true, bad: promql("bad"), total: promql("total") },
  },
  {
    name: "events",
    target: 0.9,
    countMetrics: { incremental: false, good: promql("good"), total: promql("other") },
  },
  { name: "fast", target: 0.9, op: "lt", value: 1, rawMetric: { query: promql("latency") } },
  { name: "usable", target: 0.9, op: "lt", value: 3, rawMetric: { query: promql("latency") } },
]

const slo = (of = objectives) =>
  anSlo(key, { objectives: [...of], indicator: { metricSource: { kind: "Agent", ...agentKey } } })

/** A server whose series have these values at every minute; `latency` is 0, 1, 2 and 3 in each. */
const makeServer = (values: Readonly<Record<string, number>>) => {
  const asked: Array<SeriesQuery> = []
  const readSeries: MetricSource["Service"]["readSeries"] = (query) => {
    asked.push(query)
    const { expression, from, to, stepMs = minuteMs } = query
    const samples = []
    for (let at = from; at <= to; at += stepMs) {
      const value = expression === "latency" ? (at / stepMs) % 4 : values[expression]
      if (value !== undefined) samples.push({ at, value })
    }
    return Effect.succeed(samples)
  }
  return { asked, readSeries }
}

const test = (
  what: string,
  readSeries: MetricSource["Service"]["readSeries"],
  effect: Effect.Effect<void, unknown, Layer.Success<typeof MemoryStores.layer> | MetricSource>,
): void =>
  it.effect(what, () =>
    Effect.andThen(TestClock.setTime(start), effect).pipe(
      Effect.provide(
        Layer.mergeAll(
          MemoryStores.layer,
          Layer.succeed(MetricSource, {
            readSeries,
            readGaps: () => Effect.succeed([]),
            readNames: () => Effect.succeed({ names: [], isComplete: true }),
          }),
        ),
      ),
    ),
  )

const sums = Effect.flatMap(CountStore, (store) =>
  Effect.map(
    store.sums([{ organization, slo: key, ranges: [{ from: start - 60 * minuteMs, to: start }] }]),
    ([found]) =>
      (found?.sums[0] ?? []).map(({ objective, good, total, minutes }) => [objective, good, total, minutes]),
  ),
)

const problem = Effect.flatMap(IndicatorStore, (store) =>
  Effect.map(store.find(organization, key), (found) => Option.getOrThrow(found).problem),
)

describe("polling queries that objectives have of their own", () => {
  const whole = makeServer({ good: 9, bad: 2, total: 10, other: 12 })
  test(
    "spec/data-sources §15: counts each objective by its queries, and asks what several of them need once",
    whole.readSeries,
    Effect.gen(function* () {
      yield* putDefinitions(organization, [agent, slo()])
      yield* Effect.forkChild(pollIndicators)
      yield* TestClock.adjust(60_000)
      expect((yield* sums).toSorted()).toEqual([
        ["bad", 480, 600, 60],
        ["events", 540, 720, 60],
        ["fast", 60, 240, 60],
        ["good", 540, 600, 60],
        ["usable", 180, 240, 60],
      ])
      expect(yield* problem).toBeUndefined()
      // Once for each part of the history.
      const parts = whole.asked.filter(({ expression }) => expression === "latency").length
      const times = (expression: string, isCumulative: boolean | undefined) =>
        whole.asked.filter((query) => query.expression === expression && query.isCumulative === isCumulative)
          .length
      expect([times("total", true), times("good", true), times("bad", true)]).toEqual([parts, parts, parts])
      expect([times("other", undefined), times("good", undefined)]).toEqual([parts, parts])
      expect(new Set(whole.asked.map(({ server }) => server.url.href))).toEqual(
        new Set(["http://a.example.com/"]),
      )
    }),
  )

  const short = makeServer({ total: 10 })
  test(
    "spec/data-sources §15: bad events without a value are reported by their name, and the minute has no count",
    short.readSeries,
    Effect.gen(function* () {
      yield* putDefinitions(organization, [agent, slo(objectives.slice(1, 2))])
      yield* Effect.forkChild(pollIndicators)
      yield* TestClock.adjust(60_000)
      expect(yield* sums).toEqual([])
      expect((yield* problem)?.reason).toBe("good_missing")
      expect((yield* problem)?.detail).toMatch(/^bad had no value in .* where no series means no bad events/)
    }),
  )

  test(
    "spec/data-sources §16: is read as a DataSource of the same name says, if there is one, and else at the Agent",
    whole.readSeries,
    Effect.gen(function* () {
      yield* putDefinitions(organization, [agent, slo()])
      const indicator = polledIndicatorOf(slo())
      if (indicator === undefined) throw new Error("has queries")
      const read = findSource(organization, indicator)
      expect((yield* read)?.url.href).toBe("http://a.example.com/")
      yield* putDefinitions(organization, [dataSource])
      expect(yield* read).toEqual(dataSource.spec.prometheus)
      yield* changeDefinitions(organization, [], [{ kind: "DataSource", ...agentKey }])
      expect((yield* read)?.url.href).toBe("http://a.example.com/")
      yield* changeDefinitions(organization, [], [{ kind: "Agent", ...agentKey }])
      expect(yield* read).toBeUndefined()
    }),
  )
})
