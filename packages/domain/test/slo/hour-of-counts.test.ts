import {
  addSums,
  emptyHour,
  overallHour,
  overallTrack,
  partOfTrack,
  sumHour,
  withCounts,
} from "@tocsin/domain/adapter"
import { hourMs, minuteMs } from "@tocsin/domain/codec"
import { describe, expect, it } from "vitest"

const start = 7 * hourMs
const count = (minute: number, good: number, total: number) => ({
  at: start + minute * minuteMs,
  good,
  total,
})
const whole = { from: start, to: start + hourMs }
const half = { objective: "good", goodShareMin: 0.5, isInclusive: true }

describe("an hour of counts", () => {
  it("adds up its minutes, of which those without events do not count", () => {
    const hour = withCounts(emptyHour, [count(0, 1, 4), count(1, 0, 0), count(59, 3, 4)])
    expect(sumHour(hour, undefined, whole)).toEqual({
      good: 4,
      total: 8,
      minutes: 2,
      goodShares: 1,
      goodMinutes: 2,
    })
    expect(sumHour(hour, half, whole)).toMatchObject({ minutes: 2, goodMinutes: 1 })
  })

  it("is not there where it has no count, but is where it has no events", () => {
    const hour = withCounts(emptyHour, [count(5, 0, 0)])
    const range = { from: start + 5 * minuteMs, to: start + 6 * minuteMs }
    const none = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
    expect(sumHour(emptyHour, half, whole)).toBeUndefined()
    expect(sumHour(hour, half, range)).toEqual(none)
    expect(sumHour(hour, half, { from: range.to, to: start + hourMs })).toBeUndefined()
  })

  it("keeps its other minutes when one is replaced, and the last of those given twice", () => {
    const before = withCounts(emptyHour, [count(0, 1, 1), count(1, 1, 2)])
    const after = withCounts(before, [count(1, 0, 5), count(1, 2, 2)])
    expect(sumHour(after, undefined, whole)).toMatchObject({ good: 3, total: 3 })
    expect(sumHour(before, undefined, whole)).toMatchObject({ good: 2, total: 3 })
  })

  it("judges a share at the very border by whether the border is good", () => {
    const hour = withCounts(emptyHour, [count(0, 1, 2)])
    expect(sumHour(hour, half, whole)?.goodMinutes).toBe(1)
    expect(sumHour(hour, { ...half, isInclusive: false }, whole)?.goodMinutes).toBe(0)
  })

  it("spec/slos §11: takes a share that differs from the border by less than 10⁻¹² as the border", () => {
    const border = { objective: "good", goodShareMin: 0.8, isInclusive: true }
    const goodMinutes = (good: number, isInclusive: boolean, total = 1) =>
      sumHour(withCounts(emptyHour, [count(0, good, total)]), { ...border, isInclusive }, whole)?.goodMinutes
    expect(0.1 + 0.7).toBeLessThan(0.8)
    expect(goodMinutes(0.1 + 0.7, true)).toBe(1)
    // 0.24 / 0.3, with 0.3 as the sum of 0.1 and 0.2.
    expect(goodMinutes(0.24, true, 0.1 + 0.2)).toBe(1)
    for (const share of [0.1 + 0.7, 0.8, 0.8 + 2 ** -52]) expect(goodMinutes(share, false)).toBe(0)
    expect(goodMinutes(0.8 - 2e-12, true)).toBe(0)
    expect(goodMinutes(0.8 + 2e-12, false)).toBe(1)
  })

  it("adds to nothing, and to others", () => {
    const sums = { good: 1, total: 2, minutes: 3, goodShares: 4, goodMinutes: 5 }
    expect(addSums(undefined, sums)).toBe(sums)
    expect(addSums(sums, sums)).toEqual({ good: 2, total: 4, minutes: 6, goodShares: 8, goodMinutes: 10 })
  })
})

describe("the hour of the legacy composite", () => {
  const parts = [half, { objective: "great", goodShareMin: 0.9, isInclusive: false }]
  const overall = (
    good: ReadonlyArray<readonly [number, number]>,
    great: ReadonlyArray<readonly [number, number]>,
  ) => {
    const hourOf = (shares: ReadonlyArray<readonly [number, number]>) =>
      withCounts(
        emptyHour,
        shares.map(([good, total], minute) => count(minute, good, total)),
      )
    const hour = overallHour(
      parts,
      new Map([
        ["good", hourOf(good)],
        ["great", hourOf(great)],
        ["other", hourOf([[0, 1]])],
      ]),
    )
    return sumHour(hour, partOfTrack([], overallTrack), whole)
  }

  it("spec/slos §8: has a good minute where every part with events is good", () => {
    expect(overall([[1, 2]], [[1, 1]])).toMatchObject({ minutes: 1, goodMinutes: 1 })
    expect(overall([[1, 2]], [[9, 10]])).toMatchObject({ minutes: 1, goodMinutes: 0 })
    expect(overall([[0, 2]], [[1, 1]])).toMatchObject({ minutes: 1, goodMinutes: 0 })
    expect(overall([], [[1, 1]])).toMatchObject({ minutes: 1, goodMinutes: 1 })
    expect(overall([[0, 0]], [[1, 1]])).toMatchObject({ minutes: 1, goodMinutes: 1 })
    expect(overall([[0, 1]], [[0, 0]])).toMatchObject({ minutes: 1, goodMinutes: 0 })
  })

  it("spec/slos §8: has no minute where no part has events", () => {
    expect(overall([[0, 0]], [[0, 0]])).toMatchObject({ minutes: 0, goodMinutes: 0 })
    expect(overall([], [])).toBeUndefined()
  })
})
