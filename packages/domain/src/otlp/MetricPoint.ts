import type { PushedEventsOfPart } from "./CountsOfSeries.ts"
import { countsAtMost, type ExponentialHistogram } from "./ExponentialHistogram.ts"
import { TaggedError } from "../TaggedError.ts"
import type * as Result from "effect/Result"
import type { Issue } from "../codec/Issue.ts"
import type { Parts } from "../work/Parts.ts"
import type { PushedEvents } from "../slo/OtlpIndicator.ts"

/** A data point of a metric, as it was pushed. Source: OpenTelemetry metrics data model, and its protocol. */
export interface MetricPoint {
  /** Identifies the series among all: the resource, the scope, the name and the attributes. At most 32 characters. */
  readonly series: string
  /** The name as pushed, such as `http.server.requests`. */
  readonly metric: string
  /** Attributes of the point, its scope and its resource, of which the first counts. */
  readonly attribute: (name: string) => string | undefined
  /** `delta`: events since the previous point; `cumulative`: since `startAt`. */
  readonly temporality: "delta" | "cumulative"
  /** The start of what it counts, in Unix milliseconds with fractions; absent if unknown. */
  readonly startAt?: number | undefined
  /** The end of what it counts, in Unix milliseconds with fractions. */
  readonly at: number
  /** How many events there were: the value of a sum, or the number of values of a histogram. */
  readonly events: number
  /** The upper bounds of the buckets of a histogram and how many values each has: one more than bounds. */
  readonly buckets?:
    { readonly bounds: ReadonlyArray<number>; readonly counts: ReadonlyArray<number> } | undefined
  /** The buckets of an exponential histogram; text: why they cannot be read. */
  readonly exponential?: ExponentialHistogram | string | undefined
  /** Identifies the buckets of a histogram: values of points with other buckets cannot be compared. At most 32 characters. */
  readonly layout?: string | undefined
}

/** The metrics of a request. Each is read only if its name is asked for. */
export interface PushedMetrics {
  /** The names of all metrics of the request, each once. */
  readonly names: ReadonlySet<string>
  /** Reads the metrics with these names; fails with issues if there is more to read than one request may have. */
  readonly read: (names: ReadonlySet<string>) => Parts<Result.Result<ReadPoints, ReadonlyArray<Issue>>>
}

/** The points of metrics, and why metrics or points of theirs cannot be counted. */
export interface ReadPoints {
  /** In the order of the request. */
  readonly points: ReadonlyArray<MetricPoint>
  /** In the order of the request; reasons can repeat. */
  readonly rejected: ReadonlyArray<RejectedPoints>
}

/** The request has not the form of an `ExportMetricsServiceRequest`, or too many entries; nothing was counted. */
export class MetricsAreInvalid extends TaggedError("MetricsAreInvalid")<{
  /** Sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Data points that are not counted, and why. */
export interface RejectedPoints {
  /** How many points; 0 for a further reason of a point that another entry counts. */
  readonly points: number
  /** For example `http.requests is a gauge; only sums and histograms count events`. */
  readonly reason: string
}

/** How many events of a point count for a part of the events of an SLO; text: why they cannot be counted. */
export const eventsOf = (
  point: MetricPoint,
  { atMost }: PushedEvents,
): Pick<PushedEventsOfPart, "events" | "coarser"> | string => {
  if (atMost === undefined) return { events: point.events }
  const { buckets, exponential } = point
  if (typeof exponential === "string") return exponential
  if (exponential !== undefined) {
    const [events = 0, ...coarser] = countsAtMost(exponential, atMost)
    return { events, coarser: { scale: exponential.scale, values: coarser } }
  }
  if (buckets === undefined) return `${point.metric} has no buckets, which atMost needs`
  const last = buckets.bounds.indexOf(atMost)
  if (last === -1) {
    return `${point.metric} has no bucket with the bound ${atMost}; its bounds are ${buckets.bounds.slice(0, 30).join(", ")}`
  }
  return { events: buckets.counts.slice(0, last + 1).reduce((sum, count) => sum + count, 0) }
}
