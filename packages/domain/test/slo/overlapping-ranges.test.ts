import type { MinuteRange } from "@tocsin/domain/codec"
import type { CountSum } from "@tocsin/domain/ports"
import { makeSumsOfParts, partsOfRanges } from "../../src/counts/OverlappingRanges.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const range = fc.tuple(fc.nat(30), fc.nat(12)).map(([from, length]) => ({ from, to: from + length }))

/** By track, the counts of each unit of time; absent without counts. */
const counts = fc.dictionary(fc.constantFrom("a", "b", ""), fc.dictionary(fc.nat(45).map(String), fc.nat(9)))

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** The sums of a range, one unit after another. */
const sumsOf = (given: Counts, { from, to }: MinuteRange): ReadonlyArray<CountSum> =>
  Object.entries(given).flatMap(([objective, byTime]) => {
    const counted = Object.entries(byTime).filter(([at]) => from <= Number(at) && Number(at) < to)
    if (counted.length === 0) return []
    const total = counted.reduce((sum, [, each]) => sum + each, 0)
    return [{ objective, good: total, total, minutes: counted.length, goodShares: total, goodMinutes: 0 }]
  })

const inOrder = (sums: ReadonlyArray<CountSum>) =>
  sums.toSorted((a, b) => (a.objective < b.objective ? -1 : 1))

describe("ranges that overlap", () => {
  it("are cut into parts that do not, cover them and nothing else, and are fewer than twice as many", () => {
    fc.assert(
      fc.property(fc.array(range), (ranges) => {
        const parts = partsOfRanges(ranges)
        expect(parts.length).toBeLessThanOrEqual(Math.max(0, 2 * ranges.length - 1))
        for (let at = 0; at < 50; at++) {
          const holds = ({ from, to }: MinuteRange): boolean => from <= at && at < to
          expect(parts.filter(holds)).toHaveLength(ranges.some(holds) ? 1 : 0)
        }
      }),
    )
  })

  it("have the sums that their parts add up to, of all tracks or of those that are asked for", () => {
    fc.assert(
      fc.property(fc.array(range), counts, (ranges, given) => {
        const parts = partsOfRanges(ranges)
        const sumsOfParts = makeSumsOfParts(
          parts,
          parts.map((part) => sumsOf(given, part)),
        )
        for (const each of ranges) {
          const expected = inOrder(sumsOf(given, each))
          expect(inOrder(sumsOfParts(each))).toEqual(expected)
          expect(sumsOfParts(each, new Set(["b"]))).toEqual(
            expected.filter(({ objective }) => objective === "b"),
          )
        }
      }),
    )
  })
})
