import { countsOfSamples, problemOfFalls } from "../../src/data-source/CountsOfSamples.ts"
import type { Sample } from "@tocsin/domain/ports"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const minute = 60_000
const start = Date.UTC(2026, 0, 30, 12)

/** A sample at the end of each minute; `undefined`: none. */
const samples = (...values: ReadonlyArray<number | undefined>): ReadonlyArray<Sample> =>
  values.flatMap((value, index) => (value === undefined ? [] : [{ at: start + (index + 1) * minute, value }]))

const read = (good: ReadonlyArray<number | undefined>, total: ReadonlyArray<number | undefined>) => {
  const range = { from: start, to: start + total.length * minute }
  const { counts, problem } = countsOfSamples(samples(...good), samples(...total), range)
  return { counts: counts.map(({ at, good, total }) => [(at - start) / minute, good, total]), problem }
}

describe("counts of samples", () => {
  it("spec/data-sources §1: the value at the end of a minute is the count of that minute", () => {
    expect(read([9, 8], [10, 10])).toEqual({
      counts: [
        [0, 9, 10],
        [1, 8, 10],
      ],
      problem: undefined,
    })
  })

  it.each<[string, number | undefined, number | undefined, ReadonlyArray<number>, string | undefined]>([
    ["good a little beyond total", 10.4, 10, [10, 10], undefined],
    ["good at a tenth beyond total", 11, 10, [10, 10], undefined],
    ["good far beyond total", 12, 10, [10, 10], "good_above_total"],
    ["no good where there is total", undefined, 10, [], "good_missing"],
    ["good that is no number", Number.NaN, 10, [], "good_missing"],
    ["no good where there are no events", undefined, 0, [], undefined],
    ["no total", 9, undefined, [], undefined],
    ["total that is no number", 9, Number.NaN, [], undefined],
    ["no events", 0, 0, [0, 0], undefined],
    ["a total of minus 0", 0, -0, [0, 0], undefined],
    ["negative good", -1, 10, [0, 10], "bad_above_total"],
    ["good below zero by rounding", -1e-9, 10, [0, 10], undefined],
    ["negative total", -2, -1, [], "value_invalid"],
    ["infinite total", 1, Infinity, [], "value_invalid"],
    ["infinite good", Infinity, 10, [], "value_invalid"],
    ["the largest number", 1, Number.MAX_SAFE_INTEGER, [1, Number.MAX_SAFE_INTEGER], undefined],
    ["a larger one", 1, Number.MAX_SAFE_INTEGER + 1, [], "value_invalid"],
  ])("spec/data-sources §1: %s", (_, good, total, count, reason) => {
    const { counts, problem } = read([good], [total])
    expect(counts).toEqual(count.length === 0 ? [] : [[0, ...count]])
    expect(problem?.reason).toBe(reason)
  })

  it("spec/data-sources §1: a problem of one minute does not affect others, and the most severe is reported with its minutes", () => {
    const { counts, problem } = read([1, undefined, 3, Infinity, 20], [-10, 10, 10, 10, 10])
    expect(counts).toEqual([
      [2, 3, 10],
      [4, 10, 10],
    ])
    expect(problem).toEqual({
      reason: "value_invalid",
      detail: "total was negative, or a value was infinite or too large, in 2 minutes, which have no count",
    })
    expect(read([undefined], [1]).problem?.detail).toMatch(/^good had no value in 1 minute in which/)
  })

  it("spec/data-sources §1: a value of no minute that was asked for gives no count, and of two at one instant the last one holds", () => {
    const instants = [0, 1, 1.5, 2, 2, 3, 1e6, -1e6, Infinity, -Infinity].map(
      (minutes) => start + minutes * minute,
    )
    const answered = instants.map((at, index) => ({ at, value: index }))
    expect(countsOfSamples(answered, answered, { from: start, to: start + 2 * minute })).toEqual({
      counts: [
        { at: start, good: 1, total: 1 },
        { at: start + minute, good: 4, total: 4 },
      ],
      limited: [],
      missing: 0,
      problem: undefined,
    })
  })

  it.each<
    [string, number | undefined, ReadonlyArray<number>, string | undefined, "good" | "bad" | undefined]
  >([
    ["bad within total", 1, [9, 10], undefined, undefined],
    ["as much bad as total", 10, [0, 10], undefined, undefined],
    ["bad above total by rounding", 10 + 1e-9, [0, 10], undefined, undefined],
    ["bad a little above total", 10.1, [0, 10], "bad_above_total", "bad"],
    ["bad far above total", 100, [0, 10], "bad_above_total", "bad"],
    ["negative bad", -0.5, [10, 10], undefined, "good"],
    ["very negative bad", -2, [10, 10], "good_above_total", "good"],
    ["no bad", undefined, [], "good_missing", undefined],
    ["infinite bad", Infinity, [], "value_invalid", undefined],
  ])("spec/data-sources §1: counts the rest of total as good: %s", (_, bad, count, reason, part) => {
    const counted = countsOfSamples(samples(bad), samples(10), { from: start, to: start + minute }, "bad")
    expect(counted.counts.map(({ good, total }) => [good, total])).toEqual(count.length === 0 ? [] : [count])
    expect(counted.problem?.reason).toBe(reason)
    expect(counted.limited).toEqual(part === undefined ? [] : [{ at: start, part }])
  })

  it("spec/data-sources §1: a minute of the worst of an outage is not left out, and says how bad exceeds total", () => {
    const counted = countsOfSamples(
      samples(0, 120, 90, 130),
      samples(100, 100, 100, 0),
      { from: start, to: start + 4 * minute },
      "bad",
    )
    expect(counted.counts.map(({ good }) => good)).toEqual([100, 0, 10, 0])
    expect(counted.problem).toEqual({
      reason: "bad_above_total",
      detail:
        "bad was greater than total in 2 minutes, in which all events count as bad; the targets of the expressions are scraped at different times, or do not count the same events",
    })
    expect(read([-5], [10]).problem?.detail).toBe(
      "good was negative in 1 minute, in which all events count as bad; if it is total without the errors, specify the errors as bad instead",
    )
  })

  it("spec/data-sources §1: whatever the values are, counts are such as the store takes", () => {
    const value = fc.option(fc.double(), { nil: undefined })
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value)), (pairs) => {
        for (const [, good = 0, total = 0] of read(
          pairs.map(([good]) => good),
          pairs.map(([, total]) => total),
        ).counts) {
          expect(good >= 0 && good <= total && total <= Number.MAX_SAFE_INTEGER).toBe(true)
          expect(Object.is(good, -0) || Object.is(total, -0)).toBe(false)
        }
      }),
    )
  })

  it("spec/data-sources §1: a counter that fell a little is said with its minutes, and how to read them again", () => {
    const slo = { project: "shop", name: "checkout" }
    expect(problemOfFalls([], slo)).toBeUndefined()
    const problem = problemOfFalls([start + 3 * minute, start + minute, start + minute], slo)
    expect(problem?.detail).toContain(
      "in 2 minutes from 2026-01-30T12:00:00.000Z to 2026-01-30T12:03:00.000Z",
    )
    expect(problem?.detail).toMatch(
      /: tocsin backfill checkout -p shop --from 2026-01-30T12:00:00\.000Z --to 2026-01-30T12:03:00\.000Z$/,
    )
  })
})
