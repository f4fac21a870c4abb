import { type Codec, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, isObject, literals, number } from "../codec/Leaves.ts"
import { prometheusIndicator } from "./Indicator.ts"
import { plainOf } from "./Objectives.ts"
import { type PlainObjective, type Slo, thresholdOps } from "./Slo.ts"
import { type MetricSourceKey, sourceKinds, type SourceQuery, unsupportedTypeOf } from "./SourceMetrics.ts"
import type { UnsupportedSourceType } from "./SourceType.ts"

const all = { max: Number.MAX_SAFE_INTEGER }

const sharedIndicator = object({
  prometheus: prometheusIndicator,
  /** What its metric is compared with, or the bounds of its histogram, of each objective that is not composite. */
  thresholds: exactOptional(
    list(object({ objective: anyString, op: exactOptional(literals(thresholdOps)), value: number({}) }), all),
  ),
})

const eventQueries = object({
  objective: anyString,
  /** Whether the queries return cumulative counters. */
  isCumulative: boolean,
  /** Whether `part` has the bad events, and not the good ones. */
  isBad: boolean,
  part: anyString,
  total: anyString,
})

const valueQuery = object({
  objective: anyString,
  metric: anyString,
  op: literals(thresholdOps),
  value: number({}),
})

const ownIndicator = object({
  source: object({ kind: literals(sourceKinds), project: anyString, name: anyString }),
  /** Of each objective that is not composite. */
  events: list(eventQueries, all),
  values: list(valueQuery, all),
})

/** The queries of an indicator for all objectives. */
export type SharedIndicator = TypeOf<typeof sharedIndicator>

/** The queries that objectives have of their own, and the data source that they are for. */
export type OwnIndicator = TypeOf<typeof ownIndicator>

/** Everything that the counts of an SLO are read by: when it changes, they are read again. */
export type PolledIndicator = SharedIndicator | OwnIndicator

/** Whether the objectives have queries of their own (`countMetrics`, `rawMetric`), and do not share those of the SLO. */
export const isOwnIndicator = (indicator: PolledIndicator): indicator is OwnIndicator => "source" in indicator

type ContextOf<S> = S extends Codec<infer _, infer C> ? C : never

const polledIndicator: Codec<PolledIndicator, ContextOf<typeof sharedIndicator>> = {
  read: (input, path, issues, context) =>
    isObject(input) && Object.hasOwn(input, "source")
      ? ownIndicator.read(input, path, issues, context)
      : sharedIndicator.read(input, path, issues, context),
  write: (indicator, options) =>
    isOwnIndicator(indicator)
      ? ownIndicator.write(indicator, options)
      : sharedIndicator.write(indicator, options),
  schema: sharedIndicator.schema,
}

/** The stored form of the queries of an SLO. Contains no secret; reading requires `addressPolicy` and `owner`. */
export const storedIndicator = stored(polledIndicator, [])

/** What is read from Prometheus for an SLO; `undefined` if nothing is. */
export const polledIndicatorOf = (slo: Slo): PolledIndicator | undefined => {
  const { prometheus, metricSource } = slo.spec.indicator ?? {}
  const objectives = plainOf(slo.spec.objectives)
  if (metricSource !== undefined) {
    return unsupportedSourceOf(slo) === undefined ? ownIndicatorOf(metricSource, objectives) : undefined
  }
  if (prometheus === undefined) return undefined
  const { metric, histogram } = prometheus
  if (metric === undefined && histogram === undefined) return { prometheus }
  const thresholds = objectives.flatMap(({ name, op, value }) =>
    value === undefined ? [] : [{ objective: name, ...(op !== undefined && { op }), value }],
  )
  return { prometheus, thresholds }
}

/** The type of the data source of an SLO whose queries are not read; `undefined` if they are, or there are none. */
export const unsupportedSourceOf = ({ spec }: Slo): UnsupportedSourceType | undefined => {
  for (const objective of plainOf(spec.objectives)) {
    const type = unsupportedTypeOf(objective)
    if (type !== undefined) return type
  }
  return undefined
}

const ownIndicatorOf = (
  source: MetricSourceKey,
  objectives: ReadonlyArray<PlainObjective>,
): OwnIndicator => ({
  source,
  events: objectives.flatMap(({ name, countMetrics }) => {
    if (countMetrics === undefined) return []
    const { incremental, good, bad, total } = countMetrics
    return {
      objective: name,
      isCumulative: incremental,
      isBad: bad !== undefined,
      part: promqlOf(good ?? bad),
      total: promqlOf(total),
    }
  }),
  values: objectives.flatMap(({ name, rawMetric, op, value }) =>
    rawMetric === undefined || op === undefined || value === undefined
      ? []
      : { objective: name, metric: promqlOf(rawMetric.query), op, value },
  ),
})

const promqlOf = (query: SourceQuery | undefined): string =>
  query !== undefined && "prometheus" in query ? query.prometheus.promql : ""
