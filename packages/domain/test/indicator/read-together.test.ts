import { minuteOf } from "@tocsin/domain/codec"
import {
  type Answer,
  type AnswerInTime,
  type CounterGap,
  type GapQuery,
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
  type Sample,
  type SeriesQuery,
} from "@tocsin/domain/ports"
import { anSlo, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type IndicatorRead,
  readCountsTogether,
  readEachTogether,
} from "../../src/data-source/ReadTogether.ts"
import { polledIndicatorOf } from "../../src/slo/PolledIndicator.ts"

const minute = 60_000
const from = minuteOf(Date.UTC(2026, 0, 30, 12))
const range = { from, to: from + 120 * minute }
const server = { url: sourceUrlOf("http://a.example.com"), headers: [] }

const readOf = (name: string, good: string, total: string): IndicatorRead => {
  const slo = anSlo(
    { project: "shop", name },
    { indicator: { prometheus: { url: server.url, good, total } } },
  )
  const indicator = polledIndicatorOf(slo)
  if (indicator === undefined) throw new Error("has no indicator")
  return { organization: "acme", slo, indicator, server, range, oldest: 0 }
}

const samplesOf = ({ expression, from, to }: SeriesQuery): Answer<Sample> => {
  if (expression.startsWith("fails")) {
    return Result.fail(
      new MetricsAreUnavailable({ reason: "query_failed", detail: metricFailureText.query_failed }),
    )
  }
  const samples: Array<Sample> = []
  for (let at = from; at <= to; at += minute) {
    // From 12:30 to 12:40 the counters of some have no samples.
    if (expression.includes("gap") && at > range.from + 30 * minute && at <= range.from + 40 * minute)
      continue
    samples.push({ at, value: expression.startsWith("good") ? 7 : 9 })
  }
  return Result.succeed(samples)
}

/** Counters of some come back at 12:41; those of the others have fallen a little at 12:50. */
const gapsOf = ({ expression, from, to }: GapQuery): Answer<CounterGap> => {
  const at = range.from + (expression.includes("gap") ? 41 : 50) * minute
  if (at < from || at > to) return Result.succeed([])
  const gap = { at, events: expression.includes("gap") ? 110 : 0, from: at - 11 * minute }
  return expression.includes("plain") ? Result.succeed([]) : Result.succeed([gap])
}

describe("reading indicators together", () => {
  it.effect("spec/data-sources §2: gives each what it has alone, also where answers raise questions", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const many =
        <Q, A>(one: (query: Q) => Answer<A>) =>
        (queries: ReadonlyArray<Q>) =>
          Effect.sync(() => {
            asked.push(queries.length)
            return queries.map(one)
          })
      const alone = {
        readSeries: (query: SeriesQuery) => Effect.fromResult(samplesOf(query)),
        readGaps: (query: GapQuery) => Effect.fromResult(gapsOf(query)),
        readNames: () => Effect.succeed({ names: [], isComplete: true }),
      }
      const reads = [
        readOf("plain", "good plain", "total plain"),
        readOf("gap", "good gap", "total gap"),
        readOf("failing", "fails", "total plain"),
        readOf("fallen", "good", "total"),
        readOf("gap-in-good", "good gap", "total plain"),
        { ...readOf("gone", "good", "total"), server: undefined },
      ]
      const read = (source: MetricSource["Service"]) =>
        Effect.provideService(readCountsTogether(reads), MetricSource, source)
      const together = yield* read({
        ...alone,
        together: { readSeries: many(samplesOf), readGaps: many(gapsOf) },
      })
      expect(together).toEqual(yield* read(alone))
      expect(
        together.map(
          (each) => each && (Result.isSuccess(each) ? each.success.problem?.reason : each.failure.reason),
        ),
      ).toEqual([
        undefined,
        undefined,
        "query_failed",
        "value_invalid",
        "good_above_total",
        "reader_unavailable",
      ])
      const [, gap] = together
      expect(gap !== undefined && Result.isSuccess(gap) && gap.success.gaps).toEqual([
        { from: range.from + 30 * minute, to: range.from + 41 * minute },
      ])
      // All queries of a round at once: two series of five, and the gaps of their totals.
      expect(asked.slice(0, 2)).toEqual([10, 5])
      expect(asked.length).toBeLessThanOrEqual(8)
    }),
  )

  it.effect("spec/data-sources §2: what was not answered has failed, and is not without samples", () =>
    Effect.gen(function* () {
      const results = yield* Effect.provideService(
        readCountsTogether([readOf("one", "good", "total"), readOf("two", "good plain", "total plain")]),
        MetricSource,
        sourceOf((queries) => queries.slice(0, -1).map(samplesOf)),
      )
      const failures = results.map((each) => each && Result.isFailure(each) && each.failure.reason)
      expect(failures).toEqual([false, "reader_unavailable"])
    }),
  )

  it.effect(
    "spec/data-sources §2: what is too much together is read a few at a time, and one alone however much it is",
    () =>
      Effect.gen(function* () {
        const asked: Array<number> = []
        const many = Array.from({ length: 160_000 }, (_, index) => ({ at: range.to + index, value: 9 }))
        const source = sourceOf((queries) => {
          asked.push(queries.length)
          return queries.map((query) => Result.map(samplesOf(query), (samples) => [...samples, ...many]))
        })
        const names = ["a", "b", "c"]
        const used: Array<string> = []
        const planned = names.map((name) => ({
          name,
          range,
          read: readOf(name, "good plain", "total plain"),
        }))
        yield* Effect.provideService(
          readEachTogether(
            [...planned, { name: "nothing", read: readOf("nothing", "good", "total") }],
            ({ name }, result, { to }) =>
              Effect.sync(() => {
                const counts = Result.isSuccess(result) ? result.success.counts.length : 0
                used.push(`${name} ${counts} ${to === range.to} ${asked.length}`)
              }),
            { usedAtOnce: 2 },
          ),
          MetricSource,
          source,
        )
        // Two series of each: the first one fits, and then one at a time, which is read as if it were alone.
        expect(used[0]).toBe("a 240 true 1")
        expect(used.map((each) => each.slice(0, "a 240 true".length))).toEqual(
          names.map((name) => `${name} 240 true`),
        )
        expect(asked).toEqual([6])
      }),
  )

  it.effect("spec/data-sources §2: asks no more in a round once what it has read is enough", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const many = Array.from({ length: 13_000 }, (_, index) => ({
        at: from + 10_000 * minute + index,
        value: 9,
      }))
      const days = { from, to: from + 1_440 * minute }
      const source = sourceOf((queries) => {
        asked.push(`series ${queries.length}`)
        // Ten times as many as are expected.
        return queries.map((query) => Result.map(samplesOf(query), (samples) => [...samples, ...many]))
      }, asked)
      const reads = Array.from({ length: 120 }, (_, index) => ({
        ...readOf(`slo-${index}`, "good plain", "total plain"),
        range: days,
      }))
      const results = yield* Effect.provideService(
        readCountsTogether(reads, { queriesAtOnce: 2 }),
        MetricSource,
        source,
      )
      // 104 of the 120 are 300,000 expected samples; the gaps are asked afterwards.
      expect(asked.slice(0, 2)).toEqual(["series 208", "gaps 104"])
      expect(asked.filter((each) => each.startsWith("series"))).toHaveLength(1)
      const read = results.filter((each) => each !== undefined)
      expect(read.length).toBeGreaterThan(10)
      expect(read.length).toBeLessThan(30)
      expect(results.slice(read.length).every((each) => each === undefined)).toBe(true)
    }),
  )

  it.effect(
    "spec/data-sources §10: what was not asked in time has no result, unless nothing else has one",
    () =>
      Effect.gen(function* () {
        const reads = ["a", "b", "c"].map((name) => readOf(name, `good plain ${name}`, `total plain ${name}`))
        const read = (
          answers: (queries: ReadonlyArray<SeriesQuery>) => ReadonlyArray<AnswerInTime<Sample>>,
        ) =>
          Effect.map(
            Effect.provideService(
              readCountsTogether(reads, { queriesAtOnce: 2, endsAt: 1_000 }),
              MetricSource,
              sourceOf(answers),
            ),
            (results) =>
              results.map((each) => each && (Result.isSuccess(each) ? "read" : each.failure.reason)),
          )
        const isOf = (name: string) => (query: SeriesQuery) =>
          query.expression.endsWith(name) ? samplesOf(query) : "not_asked"
        expect(yield* read((queries) => queries.map(isOf("a")))).toEqual(["read", undefined, undefined])
        expect(yield* read((queries) => queries.map(() => "not_asked"))).toEqual([
          "timeout",
          undefined,
          undefined,
        ])
        const failed = Result.fail(
          new MetricsAreUnavailable({ reason: "timeout", detail: metricFailureText.timeout }),
        )
        expect(
          yield* read((queries) =>
            queries.map((query) => (query.expression.endsWith("b") ? failed : "not_asked")),
          ),
        ).toEqual([undefined, "timeout", undefined])
      }),
  )
})

/** A source that answers together. */
const sourceOf = (
  answers: (queries: ReadonlyArray<SeriesQuery>) => ReadonlyArray<AnswerInTime<Sample>>,
  asked: Array<string> = [],
): MetricSource["Service"] => ({
  readSeries: (query) => Effect.fromResult(samplesOf(query)),
  readGaps: (query) => Effect.fromResult(gapsOf(query)),
  readNames: () => Effect.succeed({ names: [], isComplete: true }),
  together: {
    readSeries: (queries) => Effect.sync(() => answers(queries)),
    readGaps: (queries) =>
      Effect.sync(() => {
        asked.push(`gaps ${queries.length}`)
        return queries.map(gapsOf)
      }),
  },
})
