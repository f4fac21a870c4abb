import { MemoryStores } from "@tocsin/adapters-memory"
import { polledIndicatorOf } from "@tocsin/domain/adapter"
import { readCounts } from "@tocsin/domain/features/data-source"
import { MetricSource, type SeriesQuery } from "@tocsin/domain/ports"
import { anSlo, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const minute = 60_000
const start = Date.UTC(2026, 0, 30, 12)
const url = sourceUrlOf("https://metrics.example.com")
const key = { project: "shop", name: "checkout" }

/** What `bad` and `total` count of minutes, from noon; `undefined`: no sample. */
interface Events {
  readonly bad: ReadonlyArray<number | undefined>
  readonly total: ReadonlyArray<number | undefined>
}

/** Reads these events; the gap of `bad` ends in the minute `end` and began in the minute `from`, in the middle. */
const read = (
  events: Events,
  gap?: { readonly end: number; readonly from: number; readonly events: number },
) => {
  const asked: Array<string> = []
  const valuesOf = ({ expression }: SeriesQuery) => (expression === "bad" ? events.bad : events.total)
  const source = Layer.succeed(MetricSource, {
    readSeries: (query) =>
      Effect.succeed(
        valuesOf(query).flatMap((value, index) => {
          const at = start + (index + 1) * minute
          return value === undefined || at < query.from || at > query.to ? [] : [{ at, value }]
        }),
      ),
    readGaps: ({ expression, from, to, lookbackMs }) => {
      asked.push(expression)
      if (gap === undefined || expression !== "bad") return Effect.succeed([])
      const found = { at: start + (gap.end + 1) * minute, from: start + (gap.from + 0.5) * minute }
      const isSeen = found.at >= from && found.at <= to && found.at - found.from <= lookbackMs
      return Effect.succeed(isSeen ? [{ ...found, events: gap.events }] : [])
    },
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
  })
  const prometheus = { url, bad: "bad", total: "total" }
  const slo = anSlo(key, { objectives: [{ name: "good", target: 0.9 }], indicator: { prometheus } })
  const indicator = polledIndicatorOf(slo)
  if (indicator === undefined) throw new Error("has queries")
  const range = { from: start, to: start + events.total.length * minute }
  return Effect.map(
    readCounts("acme", slo, indicator, { url, headers: [] }, range, start).pipe(
      Effect.provide(Layer.mergeAll(MemoryStores.layer, source)),
    ),
    (counted) => ({
      asked,
      bad: counted.counts.map(({ good, total }) => Math.round((total - good) * 1e6) / 1e6),
      problem: counted.problem?.reason,
      limited: counted.limited.map(({ at, part }) => [(at - start) / minute, part]),
    }),
  )
}

const all = (value: number, minutes: number): ReadonlyArray<number> =>
  Array.from({ length: minutes }, () => value)

describe("reading counts of bad events", () => {
  it.effect("spec/data-sources §1: asks for gaps of the total alone while the values fit each other", () =>
    Effect.gen(function* () {
      const { asked, ...rest } = yield* read({ bad: [1, 2, 3], total: [10, 10, 10] })
      expect(rest).toEqual({ bad: [1, 2, 3], problem: undefined, limited: [] })
      expect(asked).toEqual(["total"])
    }),
  )

  it.effect(
    "spec/data-sources §5: spreads what errors gained over a gap of their target, which the total does not have",
    () =>
      Effect.gen(function* () {
        // Everything fails; the errors have no sample from 12:01:30 to 12:05, and 350 of them come in the minute of 12:04.
        const events = { bad: [100, 50, 0, 0, 350, 100], total: all(100, 6) }
        const whole = yield* read(events, { end: 4, from: 1, events: 350 })
        expect(whole.bad).toEqual([100, 100, 100, 100, 100, 100])
        expect([whole.problem, whole.limited]).toEqual([undefined, []])
        // Without the gap there is no telling when they were.
        const unknown = yield* read(events)
        expect(unknown.bad).toEqual([100, 50, 0, 0, 100, 100])
        expect([unknown.problem, unknown.limited]).toEqual(["bad_above_total", [[4, "bad"]]])
      }),
  )

  it.effect(
    "spec/data-sources §5: counts the minutes in which errors had no sample once they have come back",
    () =>
      Effect.gen(function* () {
        const missing = [undefined, undefined, undefined]
        const events = { bad: [10, ...missing, 50], total: all(100, 5) }
        expect((yield* read(events)).bad).toEqual([10, 50])
        const back = yield* read(events, { end: 4, from: 0, events: 45 })
        expect(back.bad).toEqual([15, 10, 10, 10, 15])
        expect(back.problem).toBeUndefined()
      }),
  )

  it.effect("spec/data-sources §5: finds a gap of errors of more than an hour", () =>
    Effect.gen(function* () {
      const missing = all(0, 90).map(() => undefined)
      const events = { bad: [10, ...missing, 915], total: all(100, 92) }
      const { bad, problem } = yield* read(events, { end: 91, from: 0, events: 915 })
      expect(bad.reduce((sum, each) => sum + each, 0)).toBeCloseTo(925, 4)
      expect([bad.length, problem]).toEqual([92, undefined])
    }),
  )
})
