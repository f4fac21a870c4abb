import type { HourOfCounts } from "./HourOfCounts.ts"

/** Which minutes of an hour have counts, even counts without events: a bit for each, the first in the lowest one. */
export interface PresentMinutes {
  /** The first 32 minutes, as an integer of 32 bits with a sign. */
  readonly early: number
  /** The other 28. */
  readonly late: number
}

const lateMinutes = 28

/** All minutes of an hour. */
export const allPresent: PresentMinutes = { early: -1, late: 2 ** lateMinutes - 1 }

/** Which minutes of an hour have counts. */
export const presentMinutesOf = ({ total }: Pick<HourOfCounts, "total">): PresentMinutes => {
  let [early, late] = [0, 0]
  for (let minute = 0; minute < 60; minute++) {
    if (Number.isNaN(total[minute])) continue
    if (minute < 32) early |= 1 << minute
    else late |= 1 << (minute - 32)
  }
  return { early, late }
}

export const isPresent = ({ early, late }: PresentMinutes, minute: number): boolean =>
  ((minute < 32 ? early >>> minute : late >>> (minute - 32)) & 1) === 1

/** How many minutes have counts. */
export const countPresent = ({ early, late }: PresentMinutes): number => countBits(early) + countBits(late)

const countBits = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
