import { Limits } from "../Limits.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { IndicatorState } from "./IndicatorStore.ts"

/** What to read next. */
export interface PollPlan {
  /** The minutes to read; absent: none can be read yet. */
  readonly range?: MinuteRange
  /** When there is more to read, in Unix milliseconds, if this is read. */
  readonly dueAt: number
}

/**
 * Plans the next part to read at `now` (Unix milliseconds), the oldest first.
 *
 * A minute can be read `indicatorSettleMs` after its end. What was read is read again for `indicatorOverlapMs`, as
 * values may come late. A part is new by a day at most, a quarter of it after each failure, and gives at most
 * `countsPerRequestMax` counts.
 */
export const planPoll = (
  { readTo, failures }: Pick<IndicatorState, "readTo" | "failures">,
  objectives: number,
  now: number,
): PollPlan => {
  const end = minuteOf(now - Limits.indicatorSettleMs)
  const oldest = minuteOf(now - Limits.countsMaxAgeMs) + minuteMs
  const start = Math.max(readTo, oldest)
  if (start >= end) return { dueAt: end + minuteMs + Limits.indicatorSettleMs }
  const from = Math.max(oldest, start - Limits.indicatorOverlapMs)
  const minutesMax = Math.floor(Limits.countsPerRequestMax / Math.max(1, objectives))
  const wanted = Math.floor(Limits.indicatorPartMaxMinutes / 4 ** Math.min(failures, 10))
  // At least one minute is new, whatever is read again.
  const to = Math.min(end, start + Math.max(1, wanted) * minuteMs, from + minutesMax * minuteMs)
  const read = Math.max(to, Math.min(end, start + minuteMs))
  return { range: { from, to: read }, dueAt: read < end ? now : end + minuteMs + Limits.indicatorSettleMs }
}

/** When to try again after so many failures in a row, in Unix milliseconds. */
export const retryAt = (failures: number, now: number): number =>
  now + Math.min(Limits.indicatorRetryMaxMs, Limits.indicatorRetryMinMs * 2 ** Math.min(failures - 1, 10))
