import {
  type HourOfCounts,
  type MinuteStates,
  type MinuteSums,
  type RangeParts,
  type SliceRule,
  sumHour,
} from "@tocsin/domain/adapter"
import { dayMs, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import { inOrder } from "./CountStates.ts"

/** What was read of a track, by the start of the day or hour. */
export interface TrackSeries {
  readonly rule: SliceRule["parts"][number] | undefined
  readonly days: Map<number, MinuteSums>
  readonly hours: Map<number, MinuteSums>
  readonly minutes: Map<number, HourOfCounts>
}

/** The sums of a range of a track; `undefined` without any count. */
export const sumParts = (
  { rule, days, hours, minutes }: TrackSeries,
  parts: RangeParts,
  hasStates: boolean,
): MinuteSums | undefined => {
  const sums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  let isCounted = false
  const states: Array<MinuteStates> = []
  const add = (each: MinuteSums | undefined): void => {
    if (each === undefined) return
    isCounted = true
    sums.good += each.good
    sums.total += each.total
    sums.minutes += each.minutes
    sums.goodShares += each.goodShares
    sums.goodMinutes += each.goodMinutes
    if (hasStates && each.states !== undefined) states.push(each.states)
  }
  for (const { from, to } of parts.days) for (let at = from; at < to; at += dayMs) add(days.get(at))
  for (const { from, to } of parts.hours) for (let at = from; at < to; at += hourMs) add(hours.get(at))
  for (const range of parts.minutes) {
    const hour = minutes.get(hourOf(range.from))
    if (hour !== undefined) add(sumHour(hour, rule, range))
  }
  if (!isCounted) return undefined
  return states.length === 0 ? sums : { ...sums, states: inOrder(states) }
}

/** Ranges that overlap or touch as one. */
export const toRuns = (ranges: ReadonlyArray<MinuteRange>): ReadonlyArray<MinuteRange> => {
  const runs: Array<{ readonly from: number; to: number }> = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = runs.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else runs.push({ from, to })
  }
  return runs
}
