import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { prometheusIndicator } from "./Indicator.ts"
import { plainObjectivesOf, type Slo, thresholdOps } from "./Slo.ts"

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

/** The indicator of an SLO with the thresholds of its objectives; `undefined` without an indicator. */
export const polledIndicatorOf = (slo: Slo): PolledIndicator | undefined => {
  const { indicator } = slo.spec
  const { metric, histogram } = indicator?.prometheus ?? {}
  if (indicator === undefined || (metric === undefined && histogram === undefined)) return indicator
  const thresholds = plainObjectivesOf(slo).flatMap(({ name, op, value }) =>
    value === undefined ? [] : [{ objective: name, ...(op !== undefined && { op }), value }],
  )
  return { ...indicator, thresholds }
}
