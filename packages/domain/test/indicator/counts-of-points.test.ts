import { countsOfPoints, pointMs } from "../../src/data-source/CountsOfPoints.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const minute = 60_000
const start = Date.UTC(2026, 0, 30, 12)

describe("spec/data-sources §11: the points of a metric", () => {
  it("are good where they compare, belong to the minute that they end, and are left out without a number", () => {
    const points = [
      { at: start, value: 9 },
      { at: start + 15_000, value: 0.1 },
      { at: start + 30_000, value: 0.3 },
      { at: start + 45_000, value: 0.4 },
      { at: start + minute, value: Number.NaN },
      { at: start + 2 * minute, value: Number.POSITIVE_INFINITY },
      { at: start + 2 * minute + 1, value: 0 },
    ]
    const range = { from: start, to: start + 2 * minute }
    const counts = (op: "lt" | "lte" | "gt" | "gte") =>
      countsOfPoints(points, { op, value: 0.3 }, range).map(({ at, good, total }) => [
        (at - start) / minute,
        good,
        total,
      ])
    expect(counts("lte")).toEqual([
      [0, 2, 3],
      [1, 0, 1],
    ])
    expect(counts("lt")).toEqual([
      [0, 1, 3],
      [1, 0, 1],
    ])
    expect(counts("gt")).toEqual([
      [0, 1, 3],
      [1, 1, 1],
    ])
    expect(counts("gte")).toEqual([
      [0, 2, 3],
      [1, 1, 1],
    ])
  })

  it("are each counted once: those above and those at most a value are all", () => {
    const values = fc.array(fc.double({ noNaN: true }), { maxLength: 40 })
    fc.assert(
      fc.property(values, fc.double({ noNaN: true, noDefaultInfinity: true }), (values, value) => {
        const points = values.map((value, index) => ({ at: start + (index + 1) * pointMs, value }))
        const range = { from: start, to: start + 10 * minute }
        const above = countsOfPoints(points, { op: "gt", value }, range)
        const others = countsOfPoints(points, { op: "lte", value }, range)
        expect(above.map(({ at, total }) => [at, total])).toEqual(others.map(({ at, total }) => [at, total]))
        const all = above.reduce((sum, { good }, index) => sum + good + (others[index]?.good ?? 0), 0)
        expect(all).toBe(values.length)
      }),
    )
  })
})
