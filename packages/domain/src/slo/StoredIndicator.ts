import * as Result from "effect/Result"
import { histogramExpressions } from "./HistogramExpressions.ts"
import { entryPath, type Issue, IssueList } from "../codec/Issue.ts"
import { isCompositeObjective } from "./Objectives.ts"
import type { Objective, PlainObjective, Slo } from "./Slo.ts"
import { type ObjectiveMetrics, storedIndicatorName } from "./SourceMetrics.ts"

/**
 * The SLO with the indicator of the stored one, where its data source is named `storedIndicatorName` and stands for that. Its
 * objectives must have the queries of the indicator. Source: spec/client-slos §2.
 */
export const withStoredIndicator = (
  slo: Slo,
  stored: Slo | undefined,
): Result.Result<Slo, ReadonlyArray<Issue>> => {
  if (slo.spec.indicator?.metricSource?.name !== storedIndicatorName) return Result.succeed(slo)
  const issues = new IssueList()
  if (stored === undefined || stored.spec.indicator?.metricSource !== undefined) {
    const message = `refers to the indicator of a stored SLO, but ${stored === undefined ? "the SLO does not exist" : "the stored SLO has its own data source"}; name a data source`
    issues.add("spec.indicator.metricSource.name", "not_found", message)
    return Result.fail(issues.sorted())
  }
  const { indicator } = stored.spec
  const { prometheus } = indicator ?? {}
  const hasValue = prometheus?.metric !== undefined || prometheus?.histogram !== undefined
  const objectives = slo.spec.objectives.map((objective, index): Objective => {
    if (isCompositeObjective(objective)) return objective
    const path = entryPath("spec.objectives", index)
    const { countMetrics: _counts, rawMetric, value, ...rest } = objective
    if (hasValue && value === undefined)
      issues.add(`${path}.value`, "required", "is required by the indicator")
    else if (!isSame(objective, indicatorQueries(indicator, objective))) {
      const name = rawMetric === undefined ? "countMetrics" : "rawMetric"
      const message = "must stay as it was returned; to change it, apply spec.indicator as it is documented"
      issues.add(`${path}.${name}`, "not_allowed_value", message)
    }
    return { ...rest, ...(hasValue && value !== undefined && { value }) }
  })
  if (!issues.isEmpty) return Result.fail(issues.sorted())
  const { indicator: _standIn, ...spec } = slo.spec
  return Result.succeed({
    ...slo,
    spec: { ...spec, objectives, ...(indicator !== undefined && { indicator }) },
  })
}

/** The queries of an indicator for an objective; where counts are sent or pushed, they are only named `good` and `total`. */
export const indicatorQueries = (
  indicator: Slo["spec"]["indicator"],
  { value = 0 }: PlainObjective,
): ObjectiveMetrics => {
  const { metric, histogram, good = "good", bad, total = "total", groupBy } = indicator?.prometheus ?? {}
  if (metric !== undefined) return { rawMetric: { query: { prometheus: { promql: metric } } } }
  const expressions =
    histogram && histogramExpressions(histogram.series, histogram.type ?? "classic", groupBy)
  return {
    countMetrics: {
      incremental: false,
      ...(bad === undefined
        ? { good: { prometheus: { promql: expressions?.goodOf(value) ?? good } } }
        : { bad: { prometheus: { promql: bad } } }),
      total: { prometheus: { promql: expressions?.total ?? total } },
    },
  }
}

const isSame = (a: ObjectiveMetrics, b: ObjectiveMetrics): boolean => textOf(a) === textOf(b)

const textOf = ({ countMetrics: counts, rawMetric }: ObjectiveMetrics): string =>
  JSON.stringify([counts?.incremental, counts?.good, counts?.bad, counts?.total, rawMetric])
