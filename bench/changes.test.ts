import { describe, expect, it } from "vitest"
import { changesOf, measurementsOf } from "./Changes.ts"

const measured = (times: Readonly<Record<string, number>>) =>
  measurementsOf([
    {
      title: "Signing",
      time: "cpu",
      measured: Object.entries(times).map(([name, microseconds]) => ({ name, microseconds, ratio: 1 })),
      verdicts: [],
    },
  ])

describe("the changes since another version", () => {
  it("are medians of the ratios within each pair of runs, the slowest first", () => {
    const changes = changesOf([
      { before: measured({ ours: 10, raw: 20 }), after: measured({ ours: 20, raw: 19 }) },
      { before: measured({ ours: 90, raw: 20 }), after: measured({ ours: 100, raw: 20 }) },
      { before: measured({ ours: 10, raw: 21 }), after: measured({ ours: 10, raw: 20 }) },
    ])
    expect(changes).toEqual([
      { title: "Signing", contender: "ours", ratio: 0.9, isSlower: true },
      { title: "Signing", contender: "raw", ratio: 1.05, isSlower: false },
    ])
  })

  it("are slower only below 0.97", () => {
    const ratioOf = (after: number) =>
      changesOf([{ before: measured({ ours: 97 }), after: measured({ ours: after }) }])[0]?.isSlower
    expect(ratioOf(100)).toBe(false)
    expect(ratioOf(101)).toBe(true)
  })

  it("leave out limits, which are one number, and what only one of the versions measures", () => {
    const before = measured({ "1 s": 1_000_000, ours: 10, old: 10 })
    const after = measured({ "1 s": 1_000_000, ours: 9, new: 10 })
    expect(changesOf([{ before, after }]).map(({ contender }) => contender)).toEqual(["ours"])
    expect(changesOf([])).toEqual([])
  })
})
