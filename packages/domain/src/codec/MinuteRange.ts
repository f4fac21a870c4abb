/** A range of minutes: from ≤ t < to, in Unix milliseconds, both at the start of a minute. */
export interface MinuteRange {
  readonly from: number
  readonly to: number
}

/** One text for each range. */
export const rangeText = ({ from, to }: MinuteRange): string => `${from} ${to}`
