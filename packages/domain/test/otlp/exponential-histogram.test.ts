import {
  addPoints,
  type ExponentialHistogram,
  exponentialScaleMin,
  type PushedPoint,
  type SeriesState,
} from "@tocsin/domain/adapter"
import { countsAtMost } from "../../src/otlp/ExponentialHistogram.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const none = { offset: 0, counts: [] }

const histogramOf = (rest: Partial<ExponentialHistogram>): ExponentialHistogram => ({
  scale: 0,
  zeroCount: 0,
  zeroThreshold: 0,
  positive: none,
  negative: none,
  ...rest,
})

const atMost = (rest: Partial<ExponentialHistogram>, limit: number): number =>
  countsAtMost(histogramOf(rest), limit)[0] ?? Number.NaN

/** The buckets that values fall in. */
const bucketsOf = (magnitudes: ReadonlyArray<number>, scale: number) => {
  if (magnitudes.length === 0) return none
  const indexes = magnitudes.map((each) => Math.ceil(Math.log2(each) * 2 ** scale) - 1)
  const offset = Math.min(...indexes)
  const counts = Array.from({ length: Math.max(...indexes) - offset + 1 }, () => 0)
  for (const index of indexes) counts[index - offset] = (counts[index - offset] ?? 0) + 1
  return { offset, counts }
}

const histogramOfValues = (values: ReadonlyArray<number>, scale: number): ExponentialHistogram =>
  histogramOf({
    scale,
    zeroCount: values.filter((value) => value === 0).length,
    positive: bucketsOf(
      values.filter((value) => value > 0),
      scale,
    ),
    negative: bucketsOf(
      values.filter((value) => value < 0).map((value) => -value),
      scale,
    ),
  })

/**
 * `histogram_fraction(-Inf, limit, h) * histogram_count(h)`, as Prometheus documents it: buckets in order; within one, values are taken to
 * be spread evenly by their logarithms; within the zero bucket evenly, from 0 where there are none of the other sign.
 */
const prometheusCountAtMost = (
  { scale, zeroCount, zeroThreshold, positive, negative }: ExponentialHistogram,
  limit: number,
): number => {
  const bound = (index: number): number => 2 ** (index * 2 ** -scale)
  const hasAny = ({ counts }: { readonly counts: ReadonlyArray<number> }) => counts.some((count) => count > 0)
  const buckets = [
    ...negative.counts.map((count, at) => ({
      lower: -bound(negative.offset + at + 1),
      upper: -bound(negative.offset + at),
      count,
    })),
    {
      lower: hasAny(negative) || !hasAny(positive) ? -zeroThreshold : 0,
      upper: hasAny(positive) || !hasAny(negative) ? zeroThreshold : 0,
      count: zeroCount,
    },
    ...positive.counts.map((count, at) => ({
      lower: bound(positive.offset + at),
      upper: bound(positive.offset + at + 1),
      count,
    })),
  ]
  const shareBelow = ({ lower, upper }: { readonly lower: number; readonly upper: number }): number => {
    if (limit >= upper) return 1
    if (limit <= lower) return 0
    if (lower <= 0 && upper >= 0) return (limit - lower) / (upper - lower)
    const [from, at, to] = [lower, limit, upper].map((each) => Math.log2(Math.abs(each)))
    return ((at ?? 0) - (from ?? 0)) / ((to ?? 0) - (from ?? 0))
  }
  return buckets.reduce((sum, bucket) => sum + bucket.count * shareBelow(bucket), 0)
}

describe("the values of an exponential histogram that are at most a limit", () => {
  const positive = { offset: -5, counts: [4, 6] }

  it("spec/otlp §1: are those of the buckets below it", () => {
    // In (1/32, 1/16] and (1/16, 1/8].
    expect([0.01, 1 / 32, 1 / 16, 1 / 8, 0.25, 1e9].map((limit) => atMost({ positive }, limit))).toEqual([
      0, 0, 4, 10, 10, 10,
    ])
  })

  it("spec/otlp §1: and a part of those of its own bucket, exponentially", () => {
    expect(atMost({ positive: { offset: 0, counts: [4, 6] } }, Math.sqrt(8))).toBeCloseTo(7, 9)
    expect(atMost({ positive: { offset: 0, counts: [10] } }, 1.5)).toBeCloseTo(10 * Math.log2(1.5), 9)
    // At scale 2, bounds are 2^(1/4) apart.
    expect(atMost({ scale: 2, positive: { offset: 3, counts: [8] } }, 2 ** (3.75 / 4))).toBeCloseTo(6, 9)
    // At scale -1, they are 4 times as much.
    expect(atMost({ scale: -1, positive: { offset: 0, counts: [8] } }, 2)).toBeCloseTo(4, 9)
  })

  it("spec/otlp §1: with those of the zero bucket, linearly, which has no values of a sign that there are none of", () => {
    const zero = { zeroCount: 10, zeroThreshold: 0.1 }
    expect(atMost({ zeroCount: 3, positive }, 0.01)).toBe(3)
    expect(atMost({ zeroCount: 3, positive }, 0)).toBe(3)
    expect(atMost({ ...zero, positive: { offset: 0, counts: [5] } }, 0.05)).toBeCloseTo(5, 9)
    expect(atMost({ ...zero, positive: { offset: 0, counts: [5] } }, 0.5)).toBe(10)
    expect(atMost({ ...zero, negative: { offset: 0, counts: [5] } }, -0.05)).toBeCloseTo(10, 9)
    const signed = { positive: { offset: 0, counts: [5] }, negative: { offset: 0, counts: [5] } }
    expect(atMost({ ...zero, ...signed }, 0)).toBeCloseTo(10, 9)
  })

  it("spec/otlp §1: with negative values", () => {
    const signed = { positive, zeroCount: 2, negative: { offset: 0, counts: [4, 8] } }
    expect([-8, -4, -2, -1, -0.5, 1].map((limit) => atMost(signed, limit))).toEqual([0, 0, 8, 12, 12, 24])
    expect(atMost(signed, -Math.sqrt(2))).toBeCloseTo(10, 9)
  })

  it("spec/otlp §1: as counted of the values themselves, at every scale, where the limit is a bound", () => {
    const value = fc.oneof(
      fc.constant(0),
      fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
      fc.double({ min: -1e3, max: -1e-3, noNaN: true }),
    )
    const limit = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.constantFrom(1, -1))
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 30 }),
        fc.integer({ min: 0, max: 8 }),
        limit,
        (values, scale, [exponent, sign]) => {
          const bound = sign * 2 ** exponent
          const found = countsAtMost(histogramOfValues(values, scale), bound)
          // A negative limit is in the bucket below it.
          const count = values.filter((each) => (sign > 0 ? each <= bound : each < bound)).length
          for (const each of found.slice(0, scale + 1)) expect(each).toBeCloseTo(count, 6)
          expect(found).toHaveLength(scale - exponentialScaleMin + 1)
        },
      ),
    )
  })

  it("spec/otlp §1: as Prometheus interpolates native histograms, for any buckets and limits", () => {
    const buckets = fc.record({
      offset: fc.integer({ min: -20, max: 20 }),
      counts: fc.array(fc.nat(50), { maxLength: 8 }),
    })
    const side = fc.oneof(fc.constant(none), buckets)
    fc.assert(
      fc.property(
        fc.integer({ min: -2, max: 6 }),
        side,
        side,
        fc.nat(20),
        // Below all buckets, as values of at most the threshold are in the zero bucket.
        fc.constantFrom(0, 2 ** -90),
        fc.oneof(
          fc.double({ min: -1e4, max: 1e4, noNaN: true }),
          fc.constantFrom(0, 2 ** -91, -(2 ** -91), 1, 2),
        ),
        (scale, positive, negative, zeroCount, zeroThreshold, limit) => {
          const histogram = histogramOf({ scale, positive, negative, zeroCount, zeroThreshold })
          expect(countsAtMost(histogram, limit)[0]).toBeCloseTo(prometheusCountAtMost(histogram, limit), 6)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it("spec/otlp §1: at a coarser scale are those of the histogram with buckets merged", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1e-4, max: 1e4, noNaN: true }), { maxLength: 30 }),
        fc.integer({ min: -3, max: 10 }),
        fc.nat(6),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        (values, scale, by, limit) => {
          const coarser = countsAtMost(histogramOfValues(values, scale), limit)[by] ?? Number.NaN
          const merged = countsAtMost(histogramOfValues(values, scale - by), limit)[0] ?? Number.NaN
          expect(coarser).toBeCloseTo(merged, 6)
        },
      ),
    )
  })
})

describe("cumulative points of exponential histograms", () => {
  const start = Date.UTC(2026, 0, 30, 12)
  const minute = 60_000
  const limit = 0.3

  const pointOf = (at: number, values: ReadonlyArray<number>, scale: number): PushedPoint => {
    const [events = 0, ...coarser] = countsAtMost(histogramOfValues(values, scale), limit)
    return {
      parts: [
        { part: "good", events, coarser: { scale, values: coarser } },
        { part: "total", events: values.length },
      ],
      series: "s",
      temporality: "cumulative",
      layout: "exponential",
      at: start + at * minute,
    }
  }

  it("spec/otlp §2: are compared at the coarser scale of both, whatever the scales are", () => {
    const batches = fc.array(
      fc.record({
        values: fc.array(fc.double({ min: 1e-3, max: 50, noNaN: true }), { maxLength: 8 }),
        scale: fc.integer({ min: -2, max: 8 }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(batches, (given) => {
        const states = new Map<string, SeriesState>()
        const all: Array<number> = []
        let before: { readonly values: ReadonlyArray<number>; readonly scale: number } | undefined
        for (const [index, { values, scale }] of given.entries()) {
          all.push(...values)
          const context = { since: 0, now: start + 30 * minute, room: 10 }
          const added = addPoints([pointOf(index, all, scale)], states, context)
          for (const [key, state] of added.states) states.set(key, state)
          const sums = [...added.minutes.values()]
          const good = sums.reduce((sum, each) => sum + each.good, 0)
          const total = sums.reduce((sum, each) => sum + each.total, 0)
          if (before === undefined) expect([good, total]).toEqual([0, 0])
          else {
            // What the new values alone would count.
            const common = Math.min(scale, before.scale)
            const own = countsAtMost(histogramOfValues(values, common), limit)[0] ?? Number.NaN
            expect(good).toBeCloseTo(own, 6)
            expect(total).toBe(values.length)
          }
          before = { values: [...all], scale }
        }
      }),
    )
  })

  it("spec/otlp §2: begin anew when there are fewer values than before, for all parts", () => {
    const states = new Map<string, SeriesState>()
    const context = { since: 0, now: start + 30 * minute, room: 10 }
    const add = (point: PushedPoint) => {
      const added = addPoints([point], states, context)
      for (const [key, state] of added.states) states.set(key, state)
      return [...added.minutes.values()].map(({ good, total }) => [Math.round(good), Math.round(total)])
    }
    add(pointOf(0, [0.1, 0.1, 0.1, 5], 4))
    expect(add(pointOf(1, [0.1, 5], 2))).toEqual([[1, 2]])
    expect(add(pointOf(2, [0.1, 5, 0.2], 3))).toEqual([[1, 1]])
  })
})
