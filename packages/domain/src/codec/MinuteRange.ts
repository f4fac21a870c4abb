/** from ≤ t < to, in Unix milliseconds, both at the start of a minute. */
export interface MinuteRange {
  readonly from: number
  readonly to: number
}

/** A unique text per range, for maps. */
export const rangeText = ({ from, to }: MinuteRange): string => `${from} ${to}`
