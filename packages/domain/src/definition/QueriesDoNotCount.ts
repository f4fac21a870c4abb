import { entryPath } from "../codec/Issue.ts"
import type { PromQlAdvisor, QueryUse } from "../slo/PromQlAdvice.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import type { SourceQuery } from "../slo/SourceMetrics.ts"
import type { Warning } from "../codec/Warning.ts"

/** A query of an SLO, and what it is used for. */
export interface UsedQuery {
  readonly path: string
  readonly expression: string
  readonly use: QueryUse
}

/** The PromQL of an SLO: that of its indicator, or of its objectives. */
export const queriesOfSlo = ({ spec }: Slo): ReadonlyArray<UsedQuery> => {
  const { good, bad, total, metric } = spec.indicator?.prometheus ?? {}
  const base = "spec.indicator.prometheus"
  const shared = [
    { path: `${base}.good`, expression: good, use: "good" as const },
    { path: `${base}.bad`, expression: bad, use: "bad" as const },
    { path: `${base}.total`, expression: total, use: "total" as const },
    { path: `${base}.metric`, expression: metric, use: "value" as const },
  ]
  const own = spec.objectives.flatMap((objective, index) => {
    if (isCompositeObjective(objective)) return []
    const at = entryPath("spec.objectives", index)
    const { countMetrics, rawMetric } = objective
    const events = (["good", "bad", "total"] as const).map((name) => ({
      path: `${at}.countMetrics.${name}.prometheus.promql`,
      expression: promqlOf(countMetrics?.[name]),
      use: countMetrics?.incremental === true ? ("counter" as const) : name,
    }))
    const path = `${at}.rawMetric.query.prometheus.promql`
    return [...events, { path, expression: promqlOf(rawMetric?.query), use: "value" as const }]
  })
  return [...shared, ...own].flatMap(({ expression, ...each }) =>
    expression === undefined ? [] : { ...each, expression },
  )
}

const promqlOf = (query: SourceQuery | undefined): string | undefined =>
  query !== undefined && "prometheus" in query ? query.prometheus.promql : undefined

/** Queries that do not return what they are used for, such as events per second instead of their number. */
export const queriesDoNotCount = (
  slo: Slo,
  { promqlAdvisor }: { readonly promqlAdvisor?: PromQlAdvisor },
): ReadonlyArray<Warning> =>
  queriesOfSlo(slo).flatMap(({ path, expression, use }) =>
    (promqlAdvisor?.advise(expression, use) ?? [])
      .filter(({ code }) => code !== "ratio_not_count" || !isOnePerMinute(slo))
      .map((advice) => ({ path, ...advice })),
  )

/** Whether each minute is meant to be one event, which is good or bad to a part: `vector(1)`, or of a ratio `(…) * 0 + 1`. */
const isOnePerMinute = ({ spec: { indicator } }: Slo): boolean =>
  /^\s*(?:vector\s*\(\s*1\s*\)|\(.*\)\s*\*\s*0\s*\+\s*1)\s*$/s.test(indicator?.prometheus?.total ?? "")
