import { minuteMs } from "@tocsin/domain/codec"
import { isSourceFailure, MetricSource, type NameQuery, type SeriesQuery } from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { describeWith, expect } from "./EffectTest.ts"
import { sourceUrlOf } from "./ParsedValues.ts"

/** A series that a server has: a cumulative counter if its name ends in `_total`, else a gauge. */
export interface MetricHistory {
  /** Of the metric. */
  readonly name: string
  /** Without the name. */
  readonly labels: Readonly<Record<string, string>>
  /** In order; times in Unix milliseconds. */
  readonly samples: ReadonlyArray<{ readonly at: number; readonly value: number }>
}

/**
 * What every `MetricSource` does.
 *
 * `serve` starts a server that the source can query and that has these series, for as long as its scope, and gives its URL.
 * The series are a few hours old. They are queried in PromQL by `sum`, `increase(…[1m])` and their names.
 */
export const metricSourceContract = <E>(
  name: string,
  layer: Layer.Layer<MetricSource, E>,
  serve: (history: ReadonlyArray<MetricHistory>) => Effect.Effect<string, never, Scope.Scope>,
): void => {
  const start = Math.floor(Date.now() / minuteMs) * minuteMs - 6 * 60 * minuteMs
  const served = Layer.effect(ServerUrl, serve(historyFrom(start)))
  describeWith(Layer.merge(layer, served), { timeout: 60_000 })(`metric source, ${name}`, (it) => {
    /** The end of a minute, which has the sample of that minute. */
    const end = (minute: number): number => start + (minute + 1) * minuteMs

    const asked = Effect.fnUntraced(function* (
      expression: string,
      [first, last]: readonly [number, number],
      options: Partial<SeriesQuery> = {},
    ) {
      const url = yield* ServerUrl
      return {
        organization: "acme",
        server: { url: sourceUrlOf(url), headers: [] },
        expression,
        from: end(first),
        to: end(last),
        ...options,
      } satisfies SeriesQuery
    })
    const read = (...query: Parameters<typeof asked>) =>
      Effect.gen(function* () {
        return yield* (yield* MetricSource).readSeries(yield* asked(...query))
      })
    const gaps = (expression: string, lookbackMs: number) =>
      Effect.gen(function* () {
        return yield* (yield* MetricSource).readGaps({ ...(yield* asked(expression, [0, 29])), lookbackMs })
      })
    const names = (query: Partial<NameQuery>) =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        return yield* (yield* MetricSource).readNames({
          organization: "acme",
          server: { url: sourceUrlOf(url), headers: [] },
          from: start,
          to: end(30),
          ...query,
        })
      })

    it.effect("reads a value at each instant, both ends included", () =>
      Effect.gen(function* () {
        expect(yield* read("contract_value", [2, 5], { isValue: true })).toEqual(
          [2, 3, 4, 5].map((minute) => ({ at: end(minute), value: minute / 4 })),
        )
        const twoMinutes = { isValue: true, stepMs: 2 * minuteMs }
        expect(yield* read("contract_value", [2, 5], twoMinutes)).toEqual(
          [2, 4].map((minute) => ({ at: end(minute), value: minute / 4 })),
        )
      }),
    )

    it.effect("reads the events of each minute", () =>
      Effect.gen(function* () {
        expect(yield* read("sum(increase(contract_requests_total[1m]))", [1, 4])).toEqual(
          [1, 2, 3, 4].map((minute) => ({ at: end(minute), value: 30 })),
        )
      }),
    )

    it.effect("reads the events of a counter that is returned as it is", () =>
      Effect.gen(function* () {
        expect(yield* read("sum(contract_requests_total)", [1, 3], { isCumulative: true })).toEqual(
          [1, 2, 3].map((minute) => ({ at: end(minute), value: 30 })),
        )
      }),
    )

    it.effect("reads the series of each group", () =>
      Effect.gen(function* () {
        const expression = "sum by (region) (increase(contract_requests_total[1m]))"
        const samples = yield* read(expression, [1, 2], { groupBy: ["region"] })
        expect(samples).toHaveLength(4)
        for (const [region, value] of [
          ["eu", 10],
          ["us", 20],
        ] as const) {
          expect(samples.filter(({ group }) => group?.[0] === region)).toEqual(
            [1, 2].map((minute) => ({ at: end(minute), value, group: [region] })),
          )
        }
      }),
    )

    it.effect("reads nothing where there is no series", () =>
      Effect.gen(function* () {
        expect(yield* read("contract_absent", [0, 9], { isValue: true })).toEqual([])
        expect(yield* read("sum(increase(contract_absent_total[1m]))", [0, 9])).toEqual([])
        expect(yield* gaps("sum(increase(contract_absent_total[1m]))", 60 * minuteMs)).toEqual([])
      }),
    )

    it.effect("reads what a counter gained over a gap in the minute in which it comes back", () =>
      Effect.gen(function* () {
        const expression = "sum(increase(contract_gap_total[1m]))"
        expect(yield* read(expression, [18, 21])).toEqual([
          { at: end(20), value: 55 },
          { at: end(21), value: 5 },
        ])
        const gap = { at: end(20), events: 55, from: start + 9 * minuteMs + minuteMs / 2 }
        expect(yield* gaps(expression, 60 * minuteMs)).toEqual([gap])
        // The gap is longer.
        expect(yield* gaps(expression, 5 * minuteMs)).toEqual([])
        expect(yield* gaps("sum(increase(contract_requests_total[1m]))", 60 * minuteMs)).toEqual([])
      }),
    )

    it.effect("takes a counter that falls a little for one that was not reset, and says so", () =>
      Effect.gen(function* () {
        const expression = "sum(increase(contract_fall_total[1m]))"
        expect(yield* read(expression, [14, 17])).toEqual(
          [1_000, 1_000, 1_010, 1_000].map((value, index) => ({ at: end(14 + index), value })),
        )
        const fall = { at: end(15), events: 0, from: end(14) }
        expect(yield* gaps(expression, 60 * minuteMs)).toEqual([fall])
        // What falls by more was reset.
        expect(yield* read("sum(increase(contract_reset_total[1m]))", [14, 16])).toEqual(
          [1_000, 9_000, 1_000].map((value, index) => ({ at: end(14 + index), value })),
        )
      }),
    )

    it.effect("fails for an expression that yields several series, lacks the labels, or is invalid", () =>
      Effect.gen(function* () {
        const by = { groupBy: ["zone"] }
        const expression = "sum by (region) (increase(contract_requests_total[1m]))"
        for (const [query, options, reason] of [
          ["contract_requests_total", { isValue: true }, "several_series"],
          [expression, {}, "several_series"],
          [expression, by, "labels_missing"],
          ["sum(contract_value", { isValue: true }, "query_invalid"],
        ] as const) {
          const failure = yield* Effect.flip(read(query, [1, 4], options))
          expect(failure._tag).toBe("MetricsAreUnavailable")
          expect(failure.reason, query).toBe(reason)
          expect(failure.detail.length).toBeGreaterThan(10)
          expect(isSourceFailure(failure.reason)).toBe(false)
        }
      }),
    )

    it.effect("fails when the server cannot be reached, with words that name no address", () =>
      Effect.gen(function* () {
        const source = yield* MetricSource
        const query = yield* asked("contract_value", [0, 1])
        // The discard port, at which nothing listens.
        const server = { ...query.server, url: sourceUrlOf("http://127.0.0.1:9") }
        const failures = [
          yield* Effect.flip(source.readSeries({ ...query, server })),
          yield* Effect.flip(
            source.readGaps({
              ...query,
              server,
              expression: "sum(increase(contract_gap_total[1m]))",
              lookbackMs: 60 * minuteMs,
            }),
          ),
          yield* Effect.flip(source.readNames({ ...query, server })),
        ]
        for (const { reason, detail } of failures) {
          expect(isSourceFailure(reason), reason).toBe(true)
          expect(detail).not.toContain("127.0.0.1")
        }
      }),
    )

    it.effect("reads the names of metrics and labels, and the values of these", () =>
      Effect.gen(function* () {
        const listed = (query: Partial<NameQuery>) => Effect.map(names(query), (list) => list.names)
        const metrics = [
          "contract_fall_total",
          "contract_gap_total",
          "contract_requests_total",
          "contract_reset_total",
          "contract_value",
        ]
        expect(yield* names({ label: "__name__", containing: "contract_" })).toEqual({
          names: metrics,
          isComplete: true,
        })
        expect(yield* listed({ label: "__name__", containing: "CT_GAP" })).toEqual(["contract_gap_total"])
        // The text is no pattern.
        expect(yield* listed({ label: "__name__", containing: "contract.gap" })).toEqual([])
        expect(yield* listed({ metric: "contract_requests_total" })).toEqual(["__name__", "region"])
        expect(yield* listed({ label: "region", metric: "contract_requests_total" })).toEqual(["eu", "us"])
        expect(yield* listed({ label: "region", metric: "contract_value" })).toEqual([])
        const before = { from: start - 20 * minuteMs, to: start - 10 * minuteMs }
        expect(yield* listed({ label: "region", ...before })).toEqual([])
      }),
    )

    it.effect("answers many queries at once, each with its own series", () =>
      Effect.gen(function* () {
        const minutes = Array.from({ length: 20 }, (_, minute) => minute)
        const samples = yield* Effect.forEach(
          minutes,
          (minute) => read("contract_value", [minute, minute], { isValue: true }),
          { concurrency: "unbounded" },
        )
        expect(samples).toEqual(minutes.map((minute) => [{ at: end(minute), value: minute / 4 }]))
      }),
    )
  })
}

class ServerUrl extends Context.Service<ServerUrl, string>()(
  "@tocsin/testing/internal/contract/metric-source/ServerUrl",
) {}

/** Half an hour of series with a sample in the middle of each minute, and a counter that misses ten of them. */
const historyFrom = (start: number): ReadonlyArray<MetricHistory> => {
  const minutes = Array.from({ length: 30 }, (_, minute) => minute)
  const series = (
    name: string,
    labels: Readonly<Record<string, string>>,
    value: (minute: number) => number,
    at = minutes,
  ): MetricHistory => ({
    name,
    labels,
    samples: at.map((minute) => ({ at: start + (minute + 0.5) * minuteMs, value: value(minute) })),
  })
  return [
    series("contract_value", {}, (minute) => minute / 4),
    series("contract_requests_total", { region: "eu" }, (minute) => 10 * (minute + 1)),
    series("contract_requests_total", { region: "us" }, (minute) => 20 * (minute + 1)),
    // 15,000 after 14 minutes, then 14,990, or 9,000.
    series(
      "contract_fall_total",
      {},
      (minute) => 1_000 * (minute + (minute < 15 ? 1 : 0)) - (minute === 15 ? 10 : 0),
    ),
    series("contract_reset_total", {}, (minute) => 1_000 * (minute < 15 ? minute + 1 : minute - 6)),
    series(
      "contract_gap_total",
      {},
      (minute) => 5 * (minute + 1),
      minutes.filter((minute) => minute < 10 || minute >= 20),
    ),
  ]
}
