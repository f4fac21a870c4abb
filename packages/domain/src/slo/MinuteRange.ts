/** A range of minutes: from ≤ t < to, in Unix milliseconds, both at the start of a minute. */
export interface MinuteRange {
  readonly from: number
  readonly to: number
}
