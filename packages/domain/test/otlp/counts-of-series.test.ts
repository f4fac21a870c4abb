import {
  addPoints,
  countOfParts,
  type PartSums,
  type PushedPoint,
  type SeriesState,
} from "@tocsin/domain/adapter"
import { rememberedEndsMax } from "../../src/otlp/CountsOfSeries.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const start = Date.UTC(2026, 0, 30, 12)
const minute = 60_000
const context = { since: start, now: start + 60 * minute, room: 100 }

const pointOf = (at: number, events: number, rest: Partial<PushedPoint> = {}): PushedPoint => ({
  parts: [{ part: "total", events }],
  series: "s",
  temporality: "cumulative",
  at: start + at * minute,
  ...rest,
})

/** What a sequence of requests adds up to: the total of each minute. */
const totalsOf = (requests: ReadonlyArray<ReadonlyArray<PushedPoint>>, options = context) => {
  const states = new Map<string, SeriesState>()
  const totals = new Map<number, number>()
  for (const points of requests) {
    const added = addPoints(points, states, options)
    for (const [key, state] of added.states) states.set(key, state)
    for (const [at, { total }] of added.minutes) {
      const n = (at - start) / minute
      totals.set(n, (totals.get(n) ?? 0) + total)
    }
  }
  return [...totals].toSorted(([a], [b]) => a - b)
}

const begun = (at: number): Partial<PushedPoint> => ({ startAt: start + at * minute })
const delta = (at: number, from: number, events: number): PushedPoint =>
  pointOf(at, events, { temporality: "delta", ...begun(from) })

describe("points that are pushed", () => {
  it("spec/otlp §2: spreads what a cumulative series has gained over the time since the point before", () => {
    const requests = [[pointOf(0, 100)], [pointOf(1, 160)], [pointOf(2.5, 220)]]
    expect(totalsOf(requests)).toEqual([
      [0, 60],
      [1, 40],
      [2, 20],
    ])
  })

  it("spec/otlp §2: counts a series from its start, if that is after the indicator was defined", () => {
    expect(totalsOf([[pointOf(2, 50, begun(1))]])).toEqual([[1, 50]])
    expect(totalsOf([[pointOf(2, 50, begun(-1))]])).toEqual([])
    // An unknown start.
    expect(totalsOf([[pointOf(2, 50)]])).toEqual([])
    expect(totalsOf([[pointOf(2, 50, begun(2))]])).toEqual([])
    // It may have been known before, and forgotten since.
    const now = start + 26 * 60 * minute
    expect(totalsOf([[pointOf(26 * 60, 50, begun(1))]], { ...context, now })).toEqual([])
  })

  it("spec/otlp §2: counts a series that began anew from 0, by its start or by its value", () => {
    const restarted = [[pointOf(0, 100, begun(-60))], [pointOf(2, 130, begun(1))]]
    expect(totalsOf(restarted)).toEqual([[1, 130]])
    expect(totalsOf([[pointOf(0, 100)], [pointOf(1, 30)]])).toEqual([[0, 30]])
    // A start at the time of the point stands for an unknown one.
    expect(totalsOf([[pointOf(0, 100, begun(-60))], [pointOf(1, 30, begun(1))]])).toEqual([[0, 30]])
    expect(totalsOf([[pointOf(0, 100, begun(-60))], [pointOf(1, 130, begun(1))]])).toEqual([[0, 30]])
  })

  it("spec/otlp §2: counts delta points that arrive late or in another order, each once", () => {
    const a = delta(1, 0, 10)
    const b = delta(2, 1, 20)
    const c = delta(3, 2, 30)
    const expected = [
      [0, 10],
      [1, 20],
      [2, 30],
    ]
    expect(totalsOf([[a, b, c]])).toEqual(expected)
    expect(totalsOf([[c], [a], [c, b], [a]])).toEqual(expected)
  })

  it("spec/otlp §2: takes a delta point that is older than those remembered for one that was counted", () => {
    const many = Array.from({ length: rememberedEndsMax + 1 }, (_, n) => delta(n + 1, n, 1))
    const total = (requests: ReadonlyArray<ReadonlyArray<PushedPoint>>) =>
      totalsOf(requests).reduce((sum, [, events]) => sum + events, 0)
    expect(total([many, many])).toBe(rememberedEndsMax + 1)
  })

  it("spec/otlp §2: a minute without events has a count", () => {
    expect(totalsOf([[pointOf(0, 100)], [pointOf(1, 100)]])).toEqual([[0, 0]])
  })

  it("spec/otlp §2: counts every event once, however the points are split, ordered and repeated", () => {
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 90 }).map((n) => n / 10),
      events: fc.integer({ min: 0, max: 1_000 }),
      restarts: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
        (steps, isDelta, splits) => {
          let at = 0
          let value = 0
          let from = 0
          const points = [pointOf(0, 0, begun(-1))].slice(isDelta ? 1 : 0)
          for (const { minutes, events, restarts } of steps) {
            if (restarts) {
              value = 0
              from = at
            }
            const before = at
            at += minutes
            value += events
            points.push(
              isDelta ? delta(at, before, events) : pointOf(at, value, begun(from === 0 ? -1 : from)),
            )
          }
          const requests: Array<Array<PushedPoint>> = [[]]
          for (const point of points) {
            const split = splits.next().value ?? 0
            if (split === 0) requests.push([])
            requests.at(-1)?.push(point)
            // Sent again, because the response was lost.
            if (split === 1) requests.push([...(requests.at(-1) ?? [])])
          }
          const now = start + 200 * minute
          const total = totalsOf(requests, { ...context, now }).reduce((sum, [, events]) => sum + events, 0)
          const events = steps.reduce((sum, each) => sum + each.events, 0)
          expect(Math.abs(total - events)).toBeLessThan(1e-6)
        },
      ),
    )
  })

  it("spec/otlp §3: has room for a number of new series", () => {
    const points = ["a", "b", "c"].map((series) => pointOf(1, 5, { series }))
    const added = addPoints(points, new Map(), { ...context, room: 2 })
    expect([added.states.size, added.withoutRoom]).toEqual([2, 1])
  })

  /** The parts of a point of one series. */
  const both = (at: number, good: number, total: number, rest: Partial<PushedPoint> = {}): PushedPoint => ({
    ...pointOf(at, 0, rest),
    parts: [
      { part: "good", events: good },
      { part: "total", events: total },
    ],
  })
  /** The sums of the parts of requests of one point each. */
  const sumsOf = (points: ReadonlyArray<PushedPoint>) => {
    const states = new Map<string, SeriesState>()
    const sums = { good: 0, bad: 0, total: 0 }
    for (const point of points) {
      const added = addPoints([point], states, context)
      for (const [key, state] of added.states) states.set(key, state)
      for (const minutes of added.minutes.values()) {
        for (const part of ["good", "bad", "total"] as const) sums[part] += minutes[part]
      }
    }
    return sums
  }

  it("spec/otlp §2: a point that is known, new or has begun anew for one part is so for all", () => {
    // The values since the restart are more than all before, of which few were good.
    expect(sumsOf([both(0, 90, 100), both(1, 30, 120)])).toEqual({ good: 30, bad: 0, total: 120 })
    // It was counted for all events alone.
    const alone = pointOf(0, 100)
    expect(sumsOf([alone, both(1, 50, 110), both(2, 60, 130)])).toEqual({ good: 10, bad: 0, total: 20 })
    const sent = delta(1, 0, 100)
    const again = { ...both(1, 90, 100, begun(0)), temporality: "delta" as const }
    expect(sumsOf([sent, again])).toEqual({ good: 0, bad: 0, total: 100 })
    const added = addPoints([both(1, 5, 5)], new Map(), { ...context, room: 1 })
    expect([added.states.size, added.withoutRoom]).toEqual([0, 1])
  })

  it("spec/otlp §2: does not compare values of other buckets, which are of a new series", () => {
    const [a, b] = [{ layout: "a" }, { layout: "b" }]
    // As many values are at most 0.25 as were at most 0.5, of 100 more.
    const changed = [both(0, 90, 100, a), both(1, 95, 200, b), both(2, 100, 210, b)]
    expect(sumsOf(changed)).toEqual({ good: 5, bad: 0, total: 10 })
    const restarted = [both(0, 90, 100, { ...a, ...begun(-60) }), both(1, 95, 200, { ...b, ...begun(0.5) })]
    expect(sumsOf(restarted)).toEqual({ good: 95, bad: 0, total: 200 })
    // What was remembered before had no buckets.
    expect(sumsOf([both(0, 90, 100), both(1, 95, 110, b)])).toEqual({ good: 5, bad: 0, total: 10 })
    const deltas = [both(1, 5, 10, { ...a, ...begun(0) }), both(2, 7, 10, { ...b, ...begun(1) })]
    expect(sumsOf(deltas.map((point) => ({ ...point, temporality: "delta" })))).toEqual({
      good: 12,
      bad: 0,
      total: 20,
    })
  })

  it("spec/otlp §2: total is at least good, until both have come", () => {
    const events = { metric: "m", attributes: {} }
    const sums: PartSums = { good: 9, bad: 2, total: 5 }
    expect(countOfParts({ good: events, total: events }, 0, sums)).toEqual({ at: 0, good: 5, total: 5 })
    expect(countOfParts({ bad: events, total: events }, 0, sums)).toEqual({ at: 0, good: 3, total: 5 })
    expect(countOfParts({ good: events, bad: events }, 0, sums)).toEqual({ at: 0, good: 9, total: 11 })
    expect(countOfParts({ bad: events, total: events }, 0, { ...sums, total: 1 })).toEqual({
      at: 0,
      good: 0,
      total: 1,
    })
  })
})
