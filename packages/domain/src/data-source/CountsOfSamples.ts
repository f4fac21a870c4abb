import type { MinuteCount } from "../counts/HourOfCounts.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { SampleProblem as AnyProblem } from "./IndicatorStore.ts"
import type { Sample } from "./MetricSource.ts"

/** Those of the samples of one group. */
type SampleProblem = Exclude<AnyProblem, "groups_rejected">

/** Which of the events were read beside all: the rest is the other. */
export type ReadPart = "good" | "bad"

/** A minute whose events of one part would have been more than all, and are all. */
export interface LimitedMinute {
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  readonly part: ReadPart
}

export interface CountsOfSamples {
  readonly counts: ReadonlyArray<MinuteCount>
  /** In the order of minutes. */
  readonly limited: ReadonlyArray<LimitedMinute>
  /** How many minutes have events, but no value for the part that was read. */
  readonly missing: number
  /** The most severe problem of the samples. */
  readonly problem: { readonly reason: SampleProblem; readonly detail: string } | undefined
}

/** Two sums of the same values differ by less than this part of them. */
const roundingMax = 1e-9

/** How far good may be above total until that is a problem: both are extrapolated, or scraped at other times. */
const goodAboveTotalMax = 1.1

/**
 * Converts samples of good or bad events, and of all, to counts for the minutes of a range, in order: the value at t + 60 s is the
 * count of the minute from t. Of two samples at one instant the last one is used. Samples outside the range are ignored.
 *
 * A minute has no count if either value is missing, infinite or greater than 2⁵³ - 1, or if total is negative. Good and bad events
 * are between none and all: they can deviate, since each is extrapolated, or scraped at another time. Such a minute is never left
 * out, as it is the worst of an outage. It is `limited`, and reported as a problem if there are more bad events than events, or good
 * ones by more than a tenth.
 *
 * | part | value | total | good of total |
 * |---|---|---|---|
 * | good | 9 | 10 | 9 of 10 |
 * | good | 10.4 | 10 | 10 of 10, limited |
 * | good | 12 | 10 | 10 of 10, limited and reported |
 * | good | -1 | 10 | 0 of 10, limited and reported |
 * | bad | 1 | 10 | 9 of 10 |
 * | bad | 10.4 | 10 | 0 of 10, limited and reported |
 * | either | none | 10 | none, reported |
 * | either | none, or 9 | none | none |
 */
export const countsOfSamples = (
  part: ReadonlyArray<Sample>,
  total: ReadonlyArray<Sample>,
  { from, to }: MinuteRange,
  read: ReadPart = "good",
): CountsOfSamples => {
  const partAt = valuesByInstant(part)
  const totalAt = valuesByInstant(total)
  const counts: Array<MinuteCount> = []
  const limited: Array<LimitedMinute> = []
  const minutes = { value_invalid: 0, good_missing: 0, good_above_total: 0, bad_above_total: 0 }
  for (let at = from; at < to; at += minuteMs) {
    const all = totalAt.get(at + minuteMs) ?? Number.NaN
    const events = partAt.get(at + minuteMs) ?? Number.NaN
    if (Number.isNaN(all)) continue
    if (all < 0 || !isNumberOfEvents(all) || (!Number.isNaN(events) && !isNumberOfEvents(events))) {
      minutes.value_invalid++
    } else if (Number.isNaN(events)) minutes.good_missing += all > 0 ? 1 : 0
    else {
      const rounding = all * roundingMax
      const good = read === "good" ? events : all - events
      if (good > all + rounding) {
        limited.push({ at, part: "good" })
        if (good > all * goodAboveTotalMax) minutes.good_above_total++
      } else if (good < -rounding) {
        limited.push({ at, part: "bad" })
        minutes.bad_above_total++
      }
      // A value can be -0, which is no count of its own.
      counts.push({ at, good: Math.min(Math.max(good, 0), all) + 0, total: all + 0 })
    }
  }
  const reason = (["value_invalid", "good_missing", "good_above_total", "bad_above_total"] as const).find(
    (each) => minutes[each] > 0,
  )
  return {
    counts,
    limited,
    missing: minutes.good_missing,
    problem: reason && { reason, detail: problemTexts[reason](minutes[reason], read) },
  }
}

const valuesByInstant = (samples: ReadonlyArray<Sample>): ReadonlyMap<number, number> =>
  new Map(samples.map(({ at, value }) => [at, value]))

const isNumberOfEvents = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER

const problemTexts: Readonly<Record<SampleProblem, (minutes: number, read: ReadPart) => string>> = {
  value_invalid: (minutes) =>
    `total was negative, or a value was infinite or too large, in ${inMinutes(minutes)}, which have no count`,
  good_missing: (minutes, read) =>
    `${read} had no value in ${inMinutes(minutes)} in which total had one, which have no count; where no series means no ${read} events, add: or vector(0)`,
  good_above_total: (minutes, read) =>
    `${read === "good" ? "good was more than 10% greater than total" : "bad was negative by more than 10% of total"} in ${inMinutes(minutes)}, in which all events count as good; check that both expressions count the same events`,
  bad_above_total: (minutes, read) =>
    read === "bad"
      ? `bad was greater than total in ${inMinutes(minutes)}, in which all events count as bad; the targets of the expressions are scraped at different times, or do not count the same events`
      : `good was negative in ${inMinutes(minutes)}, in which all events count as bad; if it is total without the errors, specify the errors as bad instead`,
}

/**
 * The problem of counters that fell a little, with the ends of the minutes in which they did, in Unix milliseconds, and how to read
 * these again. Servers of the version before know its reason.
 */
export const problemOfFalls = (
  falls: ReadonlyArray<number>,
  { project, name }: ProjectKey,
): CountsOfSamples["problem"] => {
  const minutes = new Set(falls)
  if (minutes.size === 0) return undefined
  const from = new Date(Math.min(...minutes) - minuteMs).toISOString()
  const to = new Date(Math.max(...minutes)).toISOString()
  return {
    reason: "value_invalid",
    detail: `a counter was less than before by at most 5% in ${inMinutes(minutes.size)} from ${from} to ${to}, which was not taken for a reset; check that its exporter does not round and that no replicas are scraped in turn; once it is corrected, read them again: tocsin backfill ${name} -p ${project} --from ${from} --to ${to}`,
  }
}

const inMinutes = (minutes: number): string => `${minutes} ${minutes === 1 ? "minute" : "minutes"}`
