import { minuteMs } from "./MinuteInstant.ts"

/** from ≤ t < to, in Unix milliseconds, both at the start of a minute. */
export interface MinuteRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Whether ranges have a minute in common. */
export const rangesOverlap = (a: MinuteRange, b: MinuteRange): boolean => a.from < b.to && b.from < a.to

/** Different ranges in the order in which they were added, and the place of each. */
export class RangeList {
  readonly ranges: Array<MinuteRange> = []
  /**
   * Of many, a hash table: the place of each range and 1, or 0, at the first free slot from its hash. A map by a text of each
   * range would take most of the time of reading a series.
   */
  #slots: Int32Array | undefined

  constructor(ranges: Iterable<MinuteRange> = []) {
    for (const range of ranges) this.add(range)
  }

  add(range: MinuteRange): void {
    if (this.indexOf(range) !== -1) return
    this.ranges.push(range)
    const { length } = this.ranges
    if (length <= comparedMax) return
    if (this.#slots !== undefined && 2 * length <= this.#slots.length)
      return this.#put(this.#slots, length - 1)
    const slots = new Int32Array(4 * 2 ** Math.ceil(Math.log2(length)))
    for (let place = 0; place < length; place++) this.#put(slots, place)
    this.#slots = slots
  }

  /** -1 for a range that was not added. */
  indexOf(range: MinuteRange): number {
    const slots = this.#slots
    if (slots === undefined) {
      // Few are compared one by one, which is faster.
      for (let place = 0; place < this.ranges.length; place++) if (this.#isAt(place, range)) return place
      return -1
    }
    for (let slot = hashOf(range); ; slot++) {
      const place = (slots[slot & (slots.length - 1)] ?? 0) - 1
      if (place === -1 || this.#isAt(place, range)) return place
    }
  }

  #put(slots: Int32Array, place: number): void {
    const range = this.ranges[place]
    if (range === undefined) return
    let slot = hashOf(range)
    while (slots[slot & (slots.length - 1)] !== 0) slot++
    slots[slot & (slots.length - 1)] = place + 1
  }

  #isAt(place: number, { from, to }: MinuteRange): boolean {
    const range = this.ranges[place]
    return range?.from === from && range.to === to
  }
}

const comparedMax = 16

const hashOf = ({ from, to }: MinuteRange): number => {
  const mixed = Math.imul(from / minuteMs, 0x9e3779b1) ^ Math.imul(to / minuteMs, 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** A unique text per range, for maps. */
export const rangeText = ({ from, to }: MinuteRange): string => `${from} ${to}`
