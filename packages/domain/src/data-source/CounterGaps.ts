import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { CounterGap, Sample } from "./MetricSource.ts"

/** Longest gap in the samples of one of several counters whose events are counted, in milliseconds. */
export const counterGapMaxMs = 3_600_000

/** Longest gap in the samples of all counters of an expression whose events are counted, in milliseconds. */
export const wholeGapMaxMs = 90_000_000

/**
 * The instants at which a longer gap than `counterGapMaxMs` may end: those with a sample after as long without any, or after
 * a range that begins without any. `found` are the ends of the gaps that are known.
 */
export const longGapEnds = (
  samples: ReadonlyArray<Sample>,
  from: number,
  found: ReadonlySet<number>,
): ReadonlyArray<number> => {
  const ends: Array<number> = []
  let before = from
  for (const { at } of samples) {
    const missingMs = at - before - minuteMs
    const isLong = missingMs >= counterGapMaxMs || (before === from && missingMs > 0)
    if (isLong && !found.has(at)) ends.push(at)
    before = at
  }
  return ends
}

/**
 * Spreads what counters gained over gaps evenly over the time of each gap. The samples have it in the minute in which the
 * gap ended; those of the minutes in between may be missing.
 *
 * With 600 events since 12:00:30, seen at the end of 12:04, 12:00 gets 67, and each minute up to 12:04 gets 133.
 */
export const spreadGaps = (
  samples: ReadonlyArray<Sample>,
  gaps: ReadonlyArray<CounterGap>,
): ReadonlyArray<Sample> => {
  if (gaps.length === 0) return samples
  const values = new Map(samples.map(({ at, value }) => [at, value]))
  for (const { at, events, from } of gaps) {
    values.set(at, Math.max(0, (values.get(at) ?? 0) - events))
    for (let end = minuteOf(from) + minuteMs; end <= at; end += minuteMs) {
      const share = (end - Math.max(from, end - minuteMs)) / (at - from)
      values.set(end, (values.get(end) ?? 0) + events * share)
    }
  }
  return [...values].map(([at, value]) => ({ at, value })).toSorted((a, b) => a.at - b.at)
}
