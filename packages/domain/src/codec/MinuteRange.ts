/** from ≤ t < to, in Unix milliseconds, both at the start of a minute. */
export interface MinuteRange {
  readonly from: number
  readonly to: number
}

/** Different ranges in the order in which they were added, and the place of each. */
export class RangeList {
  readonly ranges: Array<MinuteRange> = []
  /** Of many: few are compared one by one, which is faster. */
  #places: Map<string, number> | undefined

  add(range: MinuteRange): void {
    if (this.indexOf(range) !== -1) return
    this.#places?.set(rangeText(range), this.ranges.length)
    this.ranges.push(range)
    if (this.#places === undefined && this.ranges.length > comparedMax) {
      this.#places = new Map(this.ranges.map((each, index) => [rangeText(each), index]))
    }
  }

  /** -1 for a range that was not added. */
  indexOf(range: MinuteRange): number {
    if (this.#places !== undefined) return this.#places.get(rangeText(range)) ?? -1
    for (let index = 0; index < this.ranges.length; index++) {
      const each = this.ranges[index]
      if (each?.from === range.from && each.to === range.to) return index
    }
    return -1
  }
}

const comparedMax = 16

/** A unique text per range, for maps. */
export const rangeText = ({ from, to }: MinuteRange): string => `${from} ${to}`
