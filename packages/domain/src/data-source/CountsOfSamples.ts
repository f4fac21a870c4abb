import type { MinuteCount } from "../counts/HourOfCounts.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { SampleProblem as AnyProblem } from "./IndicatorStore.ts"
import type { Sample } from "./MetricSource.ts"

/** Those of the samples of one group. */
type SampleProblem = Exclude<AnyProblem, "groups_rejected">

export interface CountsOfSamples {
  readonly counts: ReadonlyArray<MinuteCount>
  /** The most severe problem of the samples. */
  readonly problem: { readonly reason: SampleProblem; readonly detail: string } | undefined
}

/**
 * Converts samples to counts for the minutes of a range, in order: the value at t + 60 s is the count of the minute
 * from t. Of two samples at one instant the last one is used. Samples outside the range are ignored.
 *
 * A minute has no count if either value is missing, negative, infinite or greater than 2⁵³ - 1. Good is capped at total,
 * since both are extrapolated and can deviate; more than a tenth above total is reported as a problem.
 *
 * | good | total | count |
 * |---|---|---|
 * | 9 | 10 | 9 of 10 |
 * | 10.4 | 10 | 10 of 10 |
 * | 12 | 10 | 10 of 10, reported |
 * | none | 10 | none, reported |
 * | none, or 9 | none | none |
 * | -1 | 10 | none, reported |
 *
 * `part` is what the first samples are of; the texts of problems name it.
 */
export const countsOfSamples = (
  good: ReadonlyArray<Sample>,
  total: ReadonlyArray<Sample>,
  { from, to }: MinuteRange,
  part: "good" | "bad" = "good",
): CountsOfSamples => {
  const goodAt = valuesByInstant(good)
  const totalAt = valuesByInstant(total)
  const counts: Array<MinuteCount> = []
  const minutes: Record<SampleProblem, number> = { value_invalid: 0, good_missing: 0, good_above_total: 0 }
  for (let at = from; at < to; at += minuteMs) {
    const value = totalAt.get(at + minuteMs) ?? Number.NaN
    const events = goodAt.get(at + minuteMs) ?? Number.NaN
    if (Number.isNaN(value)) continue
    if (!isCount(value) || (!Number.isNaN(events) && !isCount(events))) minutes.value_invalid++
    else if (Number.isNaN(events)) minutes.good_missing += value > 0 ? 1 : 0
    else {
      if (events > value * 1.1) minutes.good_above_total++
      // A value can be -0, which is no count of its own.
      counts.push({ at, good: Math.min(events, value) + 0, total: value + 0 })
    }
  }
  const reason = (["value_invalid", "good_missing", "good_above_total"] as const).find(
    (each) => minutes[each] > 0,
  )
  return { counts, problem: reason && { reason, detail: problemTexts[reason](minutes[reason], part) } }
}

const valuesByInstant = (samples: ReadonlyArray<Sample>): ReadonlyMap<number, number> =>
  new Map(samples.map(({ at, value }) => [at, value]))

const isCount = (value: number): boolean => value >= 0 && value <= Number.MAX_SAFE_INTEGER

const problemTexts: Readonly<Record<SampleProblem, (minutes: number, part: "good" | "bad") => string>> = {
  value_invalid: (minutes) =>
    `a value was negative, infinite or too large in ${inMinutes(minutes)}, which have no count`,
  good_missing: (minutes, part) =>
    `${part} had no value in ${inMinutes(minutes)} in which total had one, which have no count; where no series means no ${part} events, add: or vector(0)`,
  good_above_total: (minutes, part) =>
    `${part} was more than 10 % greater than total in ${inMinutes(minutes)}, and was limited to total; check that the expressions are not swapped`,
}

const inMinutes = (minutes: number): string => `${minutes} ${minutes === 1 ? "minute" : "minutes"}`
