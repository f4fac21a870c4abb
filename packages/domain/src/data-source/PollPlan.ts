import { dayMs, hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { wholeGapMaxMs } from "./CounterGaps.ts"
import { type IndicatorProblem, type IndicatorState, recentFirstMs } from "./IndicatorStore.ts"
import { isSourceFailure, metricFailures } from "./MetricSource.ts"
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

/** Lease of an indicator that a process reads, in milliseconds; longer than reading a batch can take. */
export const indicatorLeaseMs = 120_000

/** How far back minutes are read before older ones, in milliseconds, and to the start of the hour: most windows of alerts. */
const recentMs = 6 * hourMs

/** How far an indicator is read. */
export type ReadProgress = Pick<IndicatorState, "readTo" | "recent">

export interface PollPlan {
  /** The minutes to read; absent: none can be read yet. */
  readonly range?: MinuteRange
  /** Those that are read for the first time. */
  readonly newRange?: MinuteRange
  /**
   * Whether new minutes are read, or after a long time the recent ones first, or then older minutes (`history`), which may take long
   * and fail apart from the new ones.
   */
  readonly kind: "new" | "recent" | "history"
  /** How far the indicator is read once this is. */
  readonly progress: ReadProgress
  /** When there is more to read, in Unix milliseconds, if this is read. */
  readonly dueAt: number
  /** When the next minute is over and can be read, in Unix milliseconds. */
  readonly nextMinuteAt: number
  /** How often in a row reading such minutes has failed. */
  readonly failures: number
}

/** What a part is read from. */
interface PlannedSource {
  /** How long after its end a minute can be read, in milliseconds. Default: `indicatorSettleMs`. */
  readonly queryDelayMs?: number | undefined
  /** When it was last changed, in Unix milliseconds: earlier failures do not count. */
  readonly changedAt?: number | undefined
}

/**
 * Plans the next part to read at `now` (Unix milliseconds).
 *
 * A minute can be read `queryDelayMs` after its end, at least `indicatorSettleMs`, and is read again for
 * `indicatorOverlapMs` for late values.
 * Minutes that were read while the clock was ahead are read again, as far back as it was ahead.
 * If more than `recentFirstMs` is missing, the last `recentMs` are read first, then new minutes, and in between the missing ones, oldest
 * first, until counters whose gaps began in them have come back in the recent ones. If new minutes get that far behind themselves, this
 * begins again.
 * Once new minutes can be read again that could not be, older ones are tried at once if they failed in the same way.
 * A part adds at most a week, a quarter of it after each failure, and at most `countsPerRequestMax` counts. Long parts end with
 * a day or an hour, so that indicators that began at different times are read together.
 */
export const planPoll = (
  state: ReadProgress & Pick<IndicatorState, "failures" | "problem">,
  objectives: number,
  now: number,
  { queryDelayMs = indicatorSettleMs, changedAt = -Infinity }: PlannedSource = {},
): PollPlan => {
  const { readTo } = state
  const failuresOf = ({ failures, problem }: Pick<IndicatorState, "failures" | "problem">): number =>
    problem !== undefined && problem.at <= changedAt ? 0 : failures
  const failures = failuresOf(state)
  const settleMs = Math.max(queryDelayMs, indicatorSettleMs)
  const end = minuteOf(now - settleMs)
  const nextMinuteAt = end + minuteMs + settleMs
  const limits: PartLimits = {
    oldest: minuteOf(now - indicatorHistoryMs) + minuteMs,
    minutesMax: Math.max(1, Math.floor(countsPerRequestMax / Math.max(1, objectives))),
  }
  const newPart = (readTo: number): Part | undefined => {
    const aheadMs = readTo - end
    return partFrom(aheadMs > indicatorOverlapMs ? end - aheadMs : readTo, end, failures, limits)
  }
  const ofNew = { kind: "new", dueAt: nextMinuteAt, nextMinuteAt, failures } as const
  const recentFrom = Math.max(limits.oldest, hourOf(end - recentMs))
  const latest = state.recent !== undefined && state.recent.to > readTo ? state.recent : undefined
  const recent = latest !== undefined && end - latest.to <= recentFirstMs ? latest : undefined

  if (recent === undefined) {
    if (end - Math.max(readTo, limits.oldest) > recentFirstMs) {
      const range = partTo(end, recentFrom, failures, limits)
      // After a second outage, what was missing before it has still not been measured.
      const measuredTo = latest?.measuredTo ?? readTo
      const progress = { readTo, recent: { ...range, measuredTo, history: { failures: 0 } } }
      return { range, newRange: range, ...ofNew, kind: "recent", progress, dueAt: now }
    }
    const part = newPart(readTo)
    if (part === undefined) return { ...ofNew, progress: { readTo } }
    const { to } = part.range
    return { ...part, ...ofNew, progress: { readTo: to }, dueAt: to < end ? now : nextMinuteAt }
  }

  const part = newPart(recent.to)
  const isRecovery = part !== undefined && failures > 0 && isSameOutage(state.problem, recent.history.problem)
  const history = isRecovery ? { failures: 0 } : recent.history
  const { problem } = history
  const failed = failuresOf(history)
  // After the clock was ahead, it is tried at once.
  const retry = problem === undefined || failed === 0 || problem.at > now ? now : retryAt(failed, problem.at)
  const dueAt = Math.min(nextMinuteAt, Math.max(now, retry))
  if (part !== undefined) {
    const { to } = part.range
    // The clock may have been ahead.
    const from = Math.min(recent.from, part.range.from)
    return {
      ...part,
      ...ofNew,
      progress: { readTo, recent: { ...recent, history, from, to } },
      dueAt: to < end ? now : dueAt,
    }
  }
  if (dueAt > now) return { ...ofNew, progress: { readTo, recent }, dueAt }
  const after = { kind: "history", dueAt: now, nextMinuteAt, failures: failed } as const
  const goesOn = { ...recent, history: { failures: 0 } }
  if (recent.from > Math.max(recentFrom, readTo)) {
    const range = partTo(recent.from, recentFrom, failed, limits)
    return { range, newRange: range, ...after, progress: { readTo, recent: { ...goesOn, from: range.from } } }
  }
  const historyEnd = Math.min(recent.to, recent.from + wholeGapMaxMs)
  const older = partFrom(readTo, historyEnd, failed, limits)
  const isComplete = older === undefined || older.range.to === historyEnd
  const complete = { ...after, progress: { readTo: recent.to }, dueAt: nextMinuteAt }
  if (older === undefined) return complete
  const { from, to } = older.range
  const newRange = { from: older.newRange.from, to: Math.min(to, recent.from) }
  const some = { range: { from, to }, newRange }
  return isComplete
    ? { ...complete, ...some }
    : { ...after, ...some, progress: { readTo: to, recent: goesOn } }
}

/**
 * Whether what kept new minutes from being read may be what kept older ones: neither was answered, or both failed for one reason. Older
 * ones that take too long, or that are too many for one response, do so after an outage too.
 */
const isSameOutage = (ofNew: IndicatorProblem | undefined, ofOlder: IndicatorProblem | undefined): boolean =>
  ofNew !== undefined &&
  ofOlder !== undefined &&
  (ofNew.reason === ofOlder.reason || (isOutage(ofNew) && isOutage(ofOlder)))

const isOutage = ({ reason }: IndicatorProblem): boolean =>
  metricFailures.some((each) => each === reason && each !== "timeout" && isSourceFailure(each))

interface Part {
  readonly range: MinuteRange
  readonly newRange: MinuteRange
}

interface PartLimits {
  /** The first minute that is read, in Unix milliseconds. */
  readonly oldest: number
  /** Most minutes that a part reads. */
  readonly minutesMax: number
}

/** The part that begins at `readTo`, of minutes before `end`. */
const partFrom = (
  readTo: number,
  end: number,
  failures: number,
  { oldest, minutesMax }: PartLimits,
): Part | undefined => {
  const start = Math.max(readTo, oldest)
  if (start >= end) return undefined
  const from = Math.max(oldest, start - indicatorOverlapMs)
  // At least one minute is new, whatever is read again.
  const wanted = Math.max(1, afterFailures(indicatorPartMaxMinutes, failures))
  const to = Math.min(end, start + wanted * minuteMs, from + minutesMax * minuteMs)
  const read = to < end ? Math.max(evenEnd(start, to), start + minuteMs) : to
  return { range: { from, to: read }, newRange: { from: start, to: read } }
}

/** The part that ends at `to`, of minutes from `start` on. */
const partTo = (to: number, start: number, failures: number, { minutesMax }: PartLimits): MinuteRange => {
  const wanted = Math.max(1, afterFailures((to - start) / minuteMs, failures))
  return { from: to - Math.min(wanted, minutesMax) * minuteMs, to }
}

const afterFailures = (minutes: number, failures: number): number =>
  Math.floor(minutes / 4 ** Math.min(failures, 10))

/** The end of a long part with the day or hour in which it would end. */
const evenEnd = (start: number, to: number): number => {
  const unit = [dayMs, hourMs].find((ms) => to - start >= 2 * ms) ?? minuteMs
  return Math.floor(to / unit) * unit
}

/** When to try again after so many failures in a row, in Unix milliseconds. */
export const retryAt = (failures: number, now: number): number =>
  now + Math.min(indicatorRetryMaxMs, indicatorRetryMinMs * 2 ** Math.min(failures - 1, 10))
