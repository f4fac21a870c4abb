import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { prometheusIndicator } from "./Indicator.ts"
import { plainOf, type Slo, thresholdOps } from "./Slo.ts"

const polledIndicator = object({
  prometheus: prometheusIndicator,
  /** What its metric is compared with, or the bounds of its histogram, of each objective that is not composite. */
  thresholds: exactOptional(
    list(object({ objective: anyString, op: exactOptional(literals(thresholdOps)), value: number({}) }), {
      max: Number.MAX_SAFE_INTEGER,
    }),
  ),
})

/** Everything that the counts of an SLO are read by: when it changes, they are read again. */
export type PolledIndicator = TypeOf<typeof polledIndicator>

export const storedIndicator = stored(polledIndicator, [])

/** What is read from Prometheus for an SLO, with the thresholds of its objectives; `undefined` if nothing is. */
export const polledIndicatorOf = (slo: Slo): PolledIndicator | undefined => {
  const { prometheus } = slo.spec.indicator ?? {}
  if (prometheus === undefined) return undefined
  const { metric, histogram } = prometheus
  if (metric === undefined && histogram === undefined) return { prometheus }
  const thresholds = plainOf(slo.spec.objectives).flatMap(({ name, op, value }) =>
    value === undefined ? [] : [{ objective: name, ...(op !== undefined && { op }), value }],
  )
  return { prometheus, thresholds }
}
