import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { IndicatorState } from "./IndicatorStore.ts"
import { countsPerRequestMax } from "../counts/DecodeCounts.ts"

/** Delay before a minute is read from a Prometheus server, in milliseconds. */
export const indicatorSettleMs = 15_000

/** How far back a new indicator is read, in milliseconds. */
export const indicatorHistoryMs = 31 * 86_400_000

/** Range of earlier minutes that are read again for late values, in milliseconds. */
export const indicatorOverlapMs = 300_000

/** Most new minutes that one part of an indicator adds: a week. */
const indicatorPartMaxMinutes = 10_080

/**
 * First delay before a failed Prometheus server is queried again, in milliseconds; each further failure
 * doubles it.
 */
const indicatorRetryMinMs = 60_000

/** Longest delay before a failed Prometheus server is queried again, in milliseconds. */
export const indicatorRetryMaxMs = 300_000

export interface PollPlan {
  /** The minutes to read; absent: none can be read yet. */
  readonly range?: MinuteRange
  /** When there is more to read, in Unix milliseconds, if this is read. */
  readonly dueAt: number
}

/**
 * Plans the next part to read at `now` (Unix milliseconds), oldest first.
 *
 * A minute can be read `queryDelayMs` after its end, at least `indicatorSettleMs`, and is read again for
 * `indicatorOverlapMs` for late values.
 * Minutes that were read while the clock was ahead are read again, as far back as it was ahead.
 * A part adds at most a week, a quarter of it after each failure, and at most `countsPerRequestMax` counts. Long parts end with
 * a day or an hour, so that indicators that began at different times are read together.
 */
export const planPoll = (
  { readTo, failures }: Pick<IndicatorState, "readTo" | "failures">,
  objectives: number,
  now: number,
  queryDelayMs = indicatorSettleMs,
): PollPlan => {
  const settleMs = Math.max(queryDelayMs, indicatorSettleMs)
  const end = minuteOf(now - settleMs)
  const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
  const aheadMs = readTo - end
  const start = Math.max(aheadMs > indicatorOverlapMs ? end - aheadMs : readTo, oldest)
  if (start >= end) return { dueAt: end + minuteMs + settleMs }
  const from = Math.max(oldest, start - indicatorOverlapMs)
  const minutesMax = Math.floor(countsPerRequestMax / Math.max(1, objectives))
  const wanted = Math.floor(indicatorPartMaxMinutes / 4 ** Math.min(failures, 10))
  // At least one minute is new, whatever is read again.
  const to = Math.min(end, start + Math.max(1, wanted) * minuteMs, from + minutesMax * minuteMs)
  const read = to < end ? Math.max(evenEnd(start, to), start + minuteMs) : to
  return { range: { from, to: read }, dueAt: read < end ? now : end + minuteMs + settleMs }
}

/** The end of a long part with the day or hour in which it would end. */
const evenEnd = (start: number, to: number): number => {
  const unit = [dayMs, hourMs].find((ms) => to - start >= 2 * ms) ?? minuteMs
  return Math.floor(to / unit) * unit
}

/** When to try again after so many failures in a row, in Unix milliseconds. */
export const retryAt = (failures: number, now: number): number =>
  now + Math.min(indicatorRetryMaxMs, indicatorRetryMinMs * 2 ** Math.min(failures - 1, 10))
