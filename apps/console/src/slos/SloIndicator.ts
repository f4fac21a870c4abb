import type { DefinitionDocument } from "@tocsin/api"

type Slo = DefinitionDocument<"SLO">

/** Whether an SLO has its own indicator or references a data source, which can have a problem. */
export const hasSource = (slo: Slo | undefined): boolean => {
  const { prometheus, metricSource } = slo?.spec.indicator ?? {}
  return prometheus !== undefined || metricSource !== undefined
}

/** Whether the counts of an SLO are read from Prometheus. */
export const isPolled = (slo: Slo | undefined): boolean =>
  hasSource(slo) &&
  (slo?.spec.indicator?.prometheus !== undefined ||
    slo?.spec.objectives.some(({ countMetrics, rawMetric }) =>
      [countMetrics?.total, rawMetric?.query].some((query) => query !== undefined && "prometheus" in query),
    ) === true)
