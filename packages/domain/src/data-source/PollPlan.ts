import { dayMs, hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { wholeGapMaxMs } from "./CounterGaps.ts"
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

/** How many minutes may be missing before the recent ones are read first, in milliseconds. */
const recentFirstMs = dayMs

/** How far back minutes are read before older ones, in milliseconds, and to the start of the hour: most windows of alerts. */
const recentMs = 6 * hourMs

/** How far an indicator is read. */
export type ReadProgress = Pick<IndicatorState, "readTo" | "recent">

export interface PollPlan {
  /** The minutes to read; absent: none can be read yet. */
  readonly range?: MinuteRange
  /** Those that are read for the first time. */
  readonly newRange?: MinuteRange
  /** Whether minutes before the recent ones are read, which may take long and fail apart from the new ones. */
  readonly isHistory: boolean
  /** How far the indicator is read once this is. */
  readonly progress: ReadProgress
  /** When there is more to read, in Unix milliseconds, if this is read. */
  readonly dueAt: number
  /** When the next minute is over and can be read, in Unix milliseconds. */
  readonly nextMinuteAt: number
}

/**
 * Plans the next part to read at `now` (Unix milliseconds).
 *
 * A minute can be read `queryDelayMs` after its end, at least `indicatorSettleMs`, and is read again for
 * `indicatorOverlapMs` for late values.
 * Minutes that were read while the clock was ahead are read again, as far back as it was ahead.
 * If more than `recentFirstMs` is missing, the last `recentMs` are read first, then new minutes, and in between the missing ones, oldest
 * first, until counters whose gaps began in them have come back in the recent ones.
 * A part adds at most a week, a quarter of it after each failure, and at most `countsPerRequestMax` counts. Long parts end with
 * a day or an hour, so that indicators that began at different times are read together.
 */
export const planPoll = (
  { readTo, failures, recent }: ReadProgress & Pick<IndicatorState, "failures">,
  objectives: number,
  now: number,
  queryDelayMs = indicatorSettleMs,
): PollPlan => {
  const settleMs = Math.max(queryDelayMs, indicatorSettleMs)
  const end = minuteOf(now - settleMs)
  const oldest = minuteOf(now - indicatorHistoryMs) + minuteMs
  const nextMinuteAt = end + minuteMs + settleMs
  const minutesMax = Math.max(1, Math.floor(countsPerRequestMax / Math.max(1, objectives)))
  const newPart = (readTo: number): Part | undefined => {
    const aheadMs = readTo - end
    return partFrom(aheadMs > indicatorOverlapMs ? end - aheadMs : readTo, end, failures, oldest, minutesMax)
  }
  const recentFrom = Math.max(oldest, hourOf(end - recentMs))
  /** Of minutes up to `to` that are read backwards. */
  const recentPart = (to: number, failures: number): MinuteRange => {
    const wanted = Math.min(
      minutesMax,
      Math.floor((to - recentFrom) / minuteMs / 4 ** Math.min(failures, 10)),
    )
    return { from: to - Math.max(1, wanted) * minuteMs, to }
  }

  if (recent === undefined) {
    if (end - Math.max(readTo, oldest) > recentFirstMs) {
      const range = recentPart(end, failures)
      const progress = { readTo, recent: { ...range, history: { failures: 0 } } }
      return { range, newRange: range, isHistory: false, progress, dueAt: now, nextMinuteAt }
    }
    const part = newPart(readTo)
    if (part === undefined)
      return { isHistory: false, progress: { readTo }, dueAt: nextMinuteAt, nextMinuteAt }
    const { to } = part.range
    const dueAt = to < end ? now : nextMinuteAt
    return { ...part, isHistory: false, progress: { readTo: to }, dueAt, nextMinuteAt }
  }

  const { history } = recent
  const historyAt = history.problem === undefined ? now : retryAt(history.failures, history.problem.at)
  const dueAt = history.failures === 0 ? now : Math.min(nextMinuteAt, Math.max(now, historyAt))
  const part = newPart(recent.to)
  if (part !== undefined) {
    // The clock may have been ahead.
    const from = Math.min(recent.from, part.range.from)
    const progress = { readTo, recent: { ...recent, from, to: part.range.to } }
    return { ...part, isHistory: false, progress, dueAt: part.range.to < end ? now : dueAt, nextMinuteAt }
  }
  if (dueAt > now) return { isHistory: true, progress: { readTo, recent }, dueAt, nextMinuteAt }
  const readOn = { failures: 0 }
  if (recent.from > Math.max(recentFrom, readTo)) {
    const range = recentPart(recent.from, history.failures)
    const progress = { readTo, recent: { ...recent, from: range.from, history: readOn } }
    return { range, newRange: range, isHistory: true, progress, dueAt: now, nextMinuteAt }
  }
  const historyEnd = Math.min(recent.to, recent.from + wholeGapMaxMs)
  const older = partFrom(readTo, historyEnd, history.failures, oldest, minutesMax)
  if (older === undefined)
    return { isHistory: true, progress: { readTo: recent.to }, dueAt: nextMinuteAt, nextMinuteAt }
  const { range } = older
  const newRange = { ...older.newRange, to: Math.min(range.to, recent.from) }
  const isLast = range.to === historyEnd
  const progress = isLast
    ? { readTo: recent.to }
    : { readTo: range.to, recent: { ...recent, history: readOn } }
  return { range, newRange, isHistory: true, progress, dueAt: isLast ? nextMinuteAt : now, nextMinuteAt }
}

interface Part {
  readonly range: MinuteRange
  readonly newRange: MinuteRange
}

/** The part that begins at `readTo`, of minutes before `end`. */
const partFrom = (
  readTo: number,
  end: number,
  failures: number,
  oldest: number,
  minutesMax: number,
): Part | undefined => {
  const start = Math.max(readTo, oldest)
  if (start >= end) return undefined
  const from = Math.max(oldest, start - indicatorOverlapMs)
  const wanted = Math.floor(indicatorPartMaxMinutes / 4 ** Math.min(failures, 10))
  // At least one minute is new, whatever is read again.
  const to = Math.min(end, start + Math.max(1, wanted) * minuteMs, from + minutesMax * minuteMs)
  const read = to < end ? Math.max(evenEnd(start, to), start + minuteMs) : to
  return { range: { from, to: read }, newRange: { from: start, to: read } }
}

/** The end of a long part with the day or hour in which it would end. */
const evenEnd = (start: number, to: number): number => {
  const unit = [dayMs, hourMs].find((ms) => to - start >= 2 * ms) ?? minuteMs
  return Math.floor(to / unit) * unit
}

/** When to try again after so many failures in a row, in Unix milliseconds. */
export const retryAt = (failures: number, now: number): number =>
  now + Math.min(indicatorRetryMaxMs, indicatorRetryMinMs * 2 ** Math.min(failures - 1, 10))
