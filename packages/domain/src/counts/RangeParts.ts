import { dayMs, hourMs, hourOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/** A range split into the largest parts that have stored sums, and the remaining minutes. */
export interface RangeParts {
  /** Whole days of UTC, one after the other. */
  readonly days: ReadonlyArray<MinuteRange>
  /** Whole hours, before and behind the days. */
  readonly hours: ReadonlyArray<MinuteRange>
  /** Minutes before and behind the hours; each range lies within one hour. */
  readonly minutes: ReadonlyArray<MinuteRange>
}

/** Whether a range is less than an hour, and within one: it is no more than its minutes. */
export const isWithinHour = ({ from, to }: MinuteRange): boolean =>
  from < to && to - from < hourMs && hourOf(from) === hourOf(to - 1)

/** Cuts a range into days, hours and minutes: a year has at most 365 days, 46 hours and two ranges of minutes. */
export const rangeParts = (range: MinuteRange): RangeParts => {
  const days = cut(range, dayMs)
  const hours = days.rest.map((rest) => cut(rest, hourMs))
  return {
    days: days.whole,
    hours: hours.flatMap(({ whole }) => whole),
    minutes: hours.flatMap(({ rest }) => rest.flatMap(byHour)),
  }
}

const cut = (
  { from, to }: MinuteRange,
  unitMs: number,
): { readonly whole: ReadonlyArray<MinuteRange>; readonly rest: ReadonlyArray<MinuteRange> } => {
  const start = Math.ceil(from / unitMs) * unitMs
  const end = Math.floor(to / unitMs) * unitMs
  if (start >= end) return { whole: [], rest: from < to ? [{ from, to }] : [] }
  const rest = [
    { from, to: start },
    { from: end, to },
  ]
  return { whole: [{ from: start, to: end }], rest: rest.filter(({ from, to }) => from < to) }
}

/** Minutes without a whole hour among them lie in two hours at most. */
const byHour = ({ from, to }: MinuteRange): ReadonlyArray<MinuteRange> => {
  const edge = hourOf(from) + hourMs
  return edge >= to
    ? [{ from, to }]
    : [
        { from, to: edge },
        { from: edge, to },
      ]
}
