import { measureCounts } from "../counts/CountStore.ts"
import { minuteOf } from "../codec/MinuteInstant.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { groupBy } from "../collections/GroupBy.ts"
import * as Result from "effect/Result"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { enforceRateLimit, type RateLimiter, type RateLimitIsExceeded } from "../rate-limit/RateLimiter.ts"
import { largeBodiesPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { inParts } from "../work/Parts.ts"
import { pushedAgeMaxMs, type PushedPoint } from "./CountsOfSeries.ts"
import {
  eventsOf,
  type MetricPoint,
  MetricsAreInvalid,
  type PushedMetrics,
  type RejectedPoints,
} from "./MetricPoint.ts"
import { type PushedIndicator, PushedMetricStore, pushedSeriesMax } from "./PushedMetricStore.ts"
import { type Selected, selectSeries } from "./SelectSeries.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** How far a data point may lie in the future, in milliseconds: clocks differ. */
const pushedAheadMaxMs = 5 * minuteMs

/** Most points that a request counts, each once for each part of the events of an SLO. */
const pushedPointsMax = 20_000

/** Reasons that a response names, of all there are. */
const reasonsMax = 5

export interface MetricsReceipt {
  readonly rejectedPoints: number
  /** Why points were rejected; absent if none were. */
  readonly message?: string
}

/**
 * Counts the data points of metrics for the SLOs whose indicators name them; what no SLO names is ignored. Sending points again
 * changes nothing.
 *
 * Points are read and selected in parts (`workFor`). Comparing them with very many SLOs counts toward the limit `large-bodies`;
 * beyond it nothing is counted. The quota of requests is enforced before metrics are decoded, by `enforceCountsQuota`.
 */
export const recordMetrics = (
  organization: OrganizationId,
  metrics: PushedMetrics,
): Effect.Effect<
  MetricsReceipt,
  MetricsAreInvalid | StoreIsUnavailable | RateLimitIsExceeded,
  PushedMetricStore | RateLimiter
> =>
  Effect.gen(function* () {
    const store = yield* PushedMetricStore
    if (metrics.names.size === 0) return receiptOf([])
    const indicators = yield* store.indicators(organization, metrics.names)
    if (indicators.length === 0) return receiptOf([])
    const now = yield* Clock.currentTimeMillis
    const names = new Set(
      indicators.flatMap(({ indicator }) => Object.values(indicator).map(({ metric }) => metric)),
    )
    const read = yield* inParts(() => metrics.read(names))
    if (Result.isFailure(read)) return yield* new MetricsAreInvalid({ issues: read.failure })
    const { points, rejected } = read.success
    const selected = yield* select(organization, points, indicators, now)
    const all = [...rejected, ...selected.rejected]
    if (selected.pointsBySlo.size === 0) return receiptOf(all)
    const pushed = indicators.flatMap(({ slo, indicator }) => {
      const ofSlo = selected.pointsBySlo.get(projectKeyText(slo))
      return ofSlo === undefined ? [] : [{ slo, indicator, points: ofSlo }]
    })
    const withoutRoom = yield* store.record(organization, pushed, now)
    yield* measureCounts(
      "otlp",
      pushed.flatMap(({ points }) => points.map(({ at }) => minuteOf(at))),
    )
    const reason = `an SLO has more than ${pushedSeriesMax} series; aggregate them in the OpenTelemetry Collector`
    return receiptOf(withoutRoom === 0 ? all : [...all, { points: withoutRoom, reason }])
  })

interface SelectedPoints {
  /** By `projectKeyText`. */
  readonly pointsBySlo: ReadonlyMap<string, ReadonlyArray<PushedPoint>>
  readonly rejected: ReadonlyArray<RejectedPoints>
}

/** Points and SLOs that are compared in one part. */
const comparedAtOnce = 2_000

/** Points and SLOs whose comparison counts as one unit of large bodies. */
const comparedPerUnit = 50_000

const select = Effect.fnUntraced(function* (
  organization: OrganizationId,
  points: ReadonlyArray<MetricPoint>,
  indicators: ReadonlyArray<PushedIndicator>,
  now: number,
) {
  const find = selectSeries(indicators)
  let [compared, uncharged] = [0, 0]
  const pointsBySlo = new Map<string, Array<PushedPoint>>()
  const rejected: Array<RejectedPoints> = []
  let count = 0
  for (const point of points) {
    const { found, candidates } = find(point)
    compared += 1 + candidates
    if (compared >= comparedAtOnce) {
      uncharged += compared
      compared = 0
      const units = Math.floor(uncharged / comparedPerUnit)
      uncharged -= units * comparedPerUnit
      if (units > 0) yield* enforceRateLimit(organization, largeBodiesPolicy, "", units)
      yield* Effect.yieldNow
    }
    if (found.length === 0) continue
    const problem = timeProblem(point, now)
    if (problem !== undefined) {
      rejected.push({ points: 1, reason: problem })
      continue
    }
    const reasons = new Set<string>()
    for (const selectedFor of groupBy(found, ({ slo }) => projectKeyText(slo)).values()) {
      const [{ slo } = { slo: undefined }] = selectedFor
      if (slo === undefined) continue
      const parts = partsOf(point, selectedFor)
      if (typeof parts === "string") {
        reasons.add(parts)
        continue
      }
      if (count + parts.length > pushedPointsMax) {
        reasons.add(`the request has more than ${pushedPointsMax} points that count`)
        continue
      }
      count += parts.length
      const { series, temporality, layout, startAt, at } = point
      pointsOf(pointsBySlo, slo).push({
        parts,
        series,
        temporality,
        ...(layout !== undefined && { layout }),
        ...(startAt !== undefined && { startAt }),
        at,
      })
    }
    // A point is one, for whatever reasons it does not count.
    for (const [index, reason] of [...reasons].entries())
      rejected.push({ points: index === 0 ? 1 : 0, reason })
  }
  const selected: SelectedPoints = { pointsBySlo, rejected }
  return selected
})

/** What a point counts for the parts of an SLO; text: why it counts for none of them. */
const partsOf = (point: MetricPoint, selected: ReadonlyArray<Selected>): PushedPoint["parts"] | string => {
  const parts: Array<PushedPoint["parts"][number]> = []
  for (const { part, events } of selected) {
    const counted = eventsOf(point, events)
    if (typeof counted === "string") return counted
    parts.push({ part, ...counted })
  }
  return parts
}

const pointsOf = (bySlo: Map<string, Array<PushedPoint>>, slo: ProjectKey): Array<PushedPoint> => {
  const points = bySlo.get(projectKeyText(slo)) ?? []
  bySlo.set(projectKeyText(slo), points)
  return points
}

const timeProblem = ({ metric, at }: MetricPoint, now: number): string | undefined => {
  if (at > now + pushedAheadMaxMs)
    return `a point of ${metric} is more than ${pushedAheadMaxMs / minuteMs} minutes in the future`
  if (at < now - pushedAgeMaxMs) return `a point of ${metric} is more than a day old`
  return undefined
}

const receiptOf = (rejected: ReadonlyArray<RejectedPoints>): MetricsReceipt => {
  const pointsByReason = new Map<string, number>()
  for (const { points, reason } of rejected)
    pointsByReason.set(reason, (pointsByReason.get(reason) ?? 0) + points)
  if (pointsByReason.size === 0) return { rejectedPoints: 0 }
  const reasons = [...pointsByReason.keys()]
  const left = reasons.length - reasonsMax
  const more = left > 0 ? `; and ${left} more ${left === 1 ? "reason" : "reasons"}` : ""
  return {
    rejectedPoints: [...pointsByReason.values()].reduce((sum, points) => sum + points, 0),
    message: `${reasons.slice(0, reasonsMax).join("; ")}${more}`,
  }
}
