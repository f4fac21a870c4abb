import type { CountSum } from "./CountStore.ts"
import { addSums, type MinuteSums } from "./HourOfCounts.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/**
 * Splits ranges at each other's ends into parts that do not overlap, in order of time. n ranges have fewer than 2n
 * parts.
 */
export const partsOfRanges = (ranges: ReadonlyArray<MinuteRange>): ReadonlyArray<MinuteRange> => {
  const changes = new Map<number, number>()
  for (const { from, to } of ranges) {
    if (from >= to) continue
    changes.set(from, (changes.get(from) ?? 0) + 1)
    changes.set(to, (changes.get(to) ?? 0) - 1)
  }
  const ends = [...changes.keys()].toSorted((a, b) => a - b)
  let covering = 0
  return ends.flatMap((from, index) => {
    covering += changes.get(from) ?? 0
    const to = ends[index + 1]
    return covering > 0 && to !== undefined ? [{ from, to }] : []
  })
}

/**
 * Sums any of the ranges from the sums of the parts of `partsOfRanges`, with about 20 additions a track. Nothing is
 * subtracted, so no rounding errors of other parts remain.
 */
export const makeSumsOfParts = (
  parts: ReadonlyArray<MinuteRange>,
  found: ReadonlyArray<ReadonlyArray<CountSum>>,
): ((range: MinuteRange, tracks?: ReadonlySet<string>) => ReadonlyArray<CountSum>) => {
  const count = parts.length
  const placeOfStart = new Map(parts.map(({ from }, place) => [from, place]))
  const placeOfEnd = new Map(parts.map(({ to }, place) => [to, place + 1]))
  /** By track: at `count` + i the part i, and at each i before the sum of 2i and 2i + 1. */
  const trees = new Map<string, Array<MinuteSums | undefined>>()
  for (const [place, sums] of found.entries()) {
    for (const { objective, ...sum } of sums) {
      const tree = trees.get(objective) ?? Array.from<MinuteSums | undefined>({ length: 2 * count })
      trees.set(objective, tree)
      tree[count + place] = sum
    }
  }
  for (const tree of trees.values()) {
    for (let node = count - 1; node > 0; node--) tree[node] = sumOfBoth(tree[2 * node], tree[2 * node + 1])
  }
  return ({ from, to }, tracks) => {
    const start = placeOfStart.get(from)
    const end = placeOfEnd.get(to)
    if (from >= to || start === undefined || end === undefined) return []
    const sums: Array<CountSum> = []
    for (const objective of tracks ?? trees.keys()) {
      const sum = sumOfPlaces(trees.get(objective) ?? [], objective, start + count, end + count)
      if (sum !== undefined) sums.push(sum)
    }
    return sums
  }
}

const sumOfBoth = (a: MinuteSums | undefined, b: MinuteSums | undefined): MinuteSums | undefined =>
  b === undefined ? a : addSums(a, b)

/** Adds up in one object: a series has some hundred thousand sums. */
const sumOfPlaces = (
  tree: ReadonlyArray<MinuteSums | undefined>,
  objective: string,
  start: number,
  end: number,
): CountSum | undefined => {
  const sum = { objective, good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  let isEmpty = true
  const add = (node: MinuteSums | undefined): void => {
    if (node === undefined) return
    isEmpty = false
    sum.good += node.good
    sum.total += node.total
    sum.minutes += node.minutes
    sum.goodShares += node.goodShares
    sum.goodMinutes += node.goodMinutes
  }
  for (let [low, high] = [start, end]; low < high; low >>= 1, high >>= 1) {
    if (low % 2 === 1) add(tree[low++])
    if (high % 2 === 1) add(tree[--high])
  }
  return isEmpty ? undefined : sum
}
