import { describe, expect, it } from "vitest"
import { compare, type Contender, inProcess, judge, median } from "./Compare.ts"

describe("comparing", () => {
  it("takes the middle of an odd number of values, and between the two middle ones of an even number", () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([7])).toBe(7)
    expect(median([])).toBeNaN()
  })

  it("reports times as medians, and speeds as medians of each round's ratio against the first contender", () => {
    const times = new Map([
      ["raw", [10, 20, 40]],
      ["ours", [5, 40, 40]],
    ])
    expect(judge(times, [])).toEqual({
      measured: [
        { name: "raw", microseconds: 20, ratio: 1 },
        { name: "ours", microseconds: 40, ratio: 1 },
      ],
      verdicts: [],
    })
  })

  it("reports a bound as met when the ratio equals it, and as missed below it", () => {
    const times = new Map([
      ["raw", [8, 8]],
      ["ours", [10, 10]],
    ])
    const bound = { name: "ours", against: "raw" }
    const { verdicts } = judge(times, [
      { ...bound, atLeast: 0.8 },
      { ...bound, atLeast: 0.81 },
    ])
    expect(verdicts.map(({ ratio, isMet }) => [ratio, isMet])).toEqual([
      [0.8, true],
      [0.8, false],
    ])
  })

  it("rejects a bound on what was not measured", () => {
    const bound = { name: "ours", against: "raw", atLeast: 1 }
    expect(() => judge(new Map([["ours", [1]]]), [bound])).toThrow("no contender is called raw")
  })

  it("alternates the contenders, every other time in reverse, and leaves the first rounds out", async () => {
    const order: Array<string> = []
    const contender = (name: string, microseconds: number): Contender => {
      let round = 0
      return {
        name,
        round: () => {
          order.push(name)
          return Promise.resolve(round++ === 0 ? 1_000 : microseconds)
        },
      }
    }
    const { measured, time } = await compare("title", [contender("a", 2), contender("b", 1)], {
      time: "cpu",
      rounds: 2,
      warmUps: 1,
    })
    expect(order.join("")).toBe("abbaab")
    expect(time).toBe("cpu")
    expect(measured).toEqual([
      { name: "a", microseconds: 2, ratio: 1 },
      { name: "b", microseconds: 1, ratio: 2 },
    ])
  })

  it("measures the CPU time of an operation in this process", async () => {
    let operations = 0
    const contender = inProcess(
      "counting",
      (count) => {
        for (let i = 0; i < count * 1_000; i++) operations += Math.sqrt(i) > -1 ? 1 : 0
      },
      2,
    )
    const microseconds = await contender.round()
    expect(microseconds).toBeGreaterThan(0)
    expect(microseconds).toBeLessThan(10_000)
    expect(operations % 1_000).toBe(0)
  })
})
