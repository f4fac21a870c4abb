import type { MinuteCount } from "../counts/HourOfCounts.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { ThresholdOp } from "../slo/Slo.ts"
import type { Sample } from "./MetricSource.ts"

/** Time between two points of a metric that objectives compare, in milliseconds. */
export const pointMs = 15_000

/**
 * Counts the points of each minute of a range that compare as an objective says: those are good, of all that have a value. A point
 * at t with from < t ≤ from + 60 s belongs to the minute from `from`. Points that are no number are left out, and so are
 * minutes without points.
 *
 * With `lte` 0.3, the points 0.1, 0.3, 0.4 and NaN are 2 of 3.
 */
export const countsOfPoints = (
  points: ReadonlyArray<Sample>,
  { op, value }: { readonly op: ThresholdOp; readonly value: number },
  { from, to }: MinuteRange,
): ReadonlyArray<MinuteCount> => {
  const byMinute = new Map<number, { good: number; total: number }>()
  for (const point of points) {
    const at = minuteOf(point.at - 1)
    if (at < from || at >= to || Number.isNaN(point.value)) continue
    const counted = byMinute.get(at) ?? { good: 0, total: 0 }
    counted.total++
    if (compares[op](point.value, value)) counted.good++
    byMinute.set(at, counted)
  }
  const counts: Array<MinuteCount> = []
  for (let at = from; at < to; at += minuteMs) {
    const counted = byMinute.get(at)
    if (counted !== undefined) counts.push({ at, ...counted })
  }
  return counts
}

const compares: Readonly<Record<ThresholdOp, (value: number, limit: number) => boolean>> = {
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
}
