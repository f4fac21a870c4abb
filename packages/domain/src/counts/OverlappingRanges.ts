import type { CountSum } from "./CountStore.ts"
import { addStates, type MinuteStates, noStates } from "./HourOfCounts.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/**
 * Splits ranges at each other's ends into parts that do not overlap, in order of time. n ranges have fewer than 2n
 * parts.
 */
export const partsOfRanges = (ranges: ReadonlyArray<MinuteRange>): ReadonlyArray<MinuteRange> => {
  const whole = ranges.filter(({ from, to }) => from < to)
  const starts = Float64Array.from(whole, ({ from }) => from).sort()
  const ends = Float64Array.from(whole, ({ to }) => to).sort()
  const parts: Array<MinuteRange> = []
  let [start, end] = [0, 0]
  let from = 0
  while (end < ends.length) {
    const to = Math.min(starts[start] ?? Infinity, ends[end] ?? Infinity)
    if (start > end && from < to) parts.push({ from, to })
    from = to
    while (starts[start] === to) start++
    while (ends[end] === to) end++
  }
  return parts
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
  const starts = Float64Array.from(parts, ({ from }) => from)
  const ends = Float64Array.from(parts, ({ to }) => to)
  const trees = new Map<string, SumsTree>()
  for (const [place, sums] of found.entries()) {
    for (const sum of sums) {
      const tree = trees.get(sum.objective) ?? new SumsTree(sum.objective, count)
      trees.set(sum.objective, tree)
      tree.set(place, sum)
    }
  }
  for (const tree of trees.values()) tree.addUp()
  return ({ from, to }, tracks) => {
    const start = placeOf(starts, from)
    const end = placeOf(ends, to)
    if (from >= to || start === -1 || end === -1) return []
    const sums: Array<CountSum> = []
    for (const objective of tracks ?? trees.keys()) {
      const sum = trees.get(objective)?.sum(start, end + 1)
      if (sum !== undefined) sums.push(sum)
    }
    return sums
  }
}

/** The place of a number among sorted ones; -1 for another one. */
const placeOf = (sorted: Float64Array, wanted: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted ? low : -1
}

/** The sums of a track: of the part i at `count` + i, and at each i before the sum of 2i and 2i + 1. */
class SumsTree {
  readonly #objective: string
  readonly #count: number
  /** Whether there are counts. */
  readonly #has: Uint8Array
  readonly #good: Float64Array
  readonly #total: Float64Array
  readonly #minutes: Float64Array
  readonly #goodShares: Float64Array
  readonly #goodMinutes: Float64Array
  /** Only of tracks with states. */
  #states: Array<MinuteStates | undefined> | undefined

  constructor(objective: string, count: number) {
    this.#objective = objective
    this.#count = count
    this.#has = new Uint8Array(2 * count)
    this.#good = new Float64Array(2 * count)
    this.#total = new Float64Array(2 * count)
    this.#minutes = new Float64Array(2 * count)
    this.#goodShares = new Float64Array(2 * count)
    this.#goodMinutes = new Float64Array(2 * count)
  }

  set(place: number, { good, total, minutes, goodShares, goodMinutes, states }: CountSum): void {
    const node = this.#count + place
    this.#has[node] = 1
    this.#good[node] = good
    this.#total[node] = total
    this.#minutes[node] = minutes
    this.#goodShares[node] = goodShares
    this.#goodMinutes[node] = goodMinutes
    if (states !== undefined) {
      this.#states ??= Array.from({ length: 2 * this.#count })
      this.#states[node] = states
    }
  }

  addUp(): void {
    for (let node = this.#count - 1; node > 0; node--) {
      const [a, b] = [2 * node, 2 * node + 1]
      if (this.#has[a] === 0 && this.#has[b] === 0) continue
      this.#has[node] = 1
      for (const sums of [this.#good, this.#total, this.#minutes, this.#goodShares, this.#goodMinutes])
        sums[node] = (sums[a] ?? 0) + (sums[b] ?? 0)
      if (this.#states !== undefined) {
        this.#states[node] = addStates(this.#states[a] ?? noStates, this.#states[b] ?? noStates)
      }
    }
  }

  /** Of the parts from `start` to before `end`; `undefined` without counts. */
  sum(start: number, end: number): CountSum | undefined {
    let isEmpty = true
    let [good, total, minutes, goodShares, goodMinutes] = [0, 0, 0, 0, 0]
    const add = (node: number): void => {
      if (this.#has[node] === 0) return
      isEmpty = false
      good += this.#good[node] ?? 0
      total += this.#total[node] ?? 0
      minutes += this.#minutes[node] ?? 0
      goodShares += this.#goodShares[node] ?? 0
      goodMinutes += this.#goodMinutes[node] ?? 0
    }
    for (let [low, high] = [start + this.#count, end + this.#count]; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) add(low++)
      if (high % 2 === 1) add(--high)
    }
    if (isEmpty) return undefined
    const sum = { objective: this.#objective, good, total, minutes, goodShares, goodMinutes }
    return this.#states === undefined ? sum : { ...sum, states: this.#statesOf(this.#states, start, end) }
  }

  /** In the order of time, as states are added up in. */
  #statesOf(states: ReadonlyArray<MinuteStates | undefined>, start: number, end: number): MinuteStates {
    let [before, behind] = [noStates, noStates]
    for (let [low, high] = [start + this.#count, end + this.#count]; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) before = addStates(before, states[low++] ?? noStates)
      if (high % 2 === 1) behind = addStates(states[--high] ?? noStates, behind)
    }
    return addStates(before, behind)
  }
}
