import { countsOfSamples } from "@tocsin/domain/internal/data-source/CountsOfSamples"
import type { Sample } from "@tocsin/domain/internal/data-source/MetricSource"
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
    ["negative good", -1, 10, [], "value_invalid"],
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
    const { counts, problem } = read([-1, undefined, 3, -1, 20], [10, 10, 10, 10, 10])
    expect(counts).toEqual([
      [2, 3, 10],
      [4, 10, 10],
    ])
    expect(problem).toEqual({
      reason: "value_invalid",
      detail: "a value was negative, infinite or too large in 2 minutes, which have no count",
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
      problem: undefined,
    })
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
})
