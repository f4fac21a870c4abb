import { durationOf } from "@tocsin/domain/codec"
import type { Alert, AlertPolicy, Condition } from "@tocsin/domain/alerting"
import * as fc from "fast-check"
import type { ModelAlert, ModelCondition, ModelPolicy } from "./AlertingModel.ts"
import { aPolicy } from "./Incident.ts"

const least = {
  lastsFor: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
  minEvents: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined, freq: 4 }),
  minBadEvents: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 4 }),
}
const alertingWindow = fc.constantFrom(5, 6, 10, 30, 60, 90, 120, 360)
const maybeWindow = fc.option(alertingWindow, { nil: undefined, freq: 4 })

const given = <A extends object>(arbitrary: fc.Arbitrary<A>) =>
  arbitrary.map(
    (one) =>
      Object.fromEntries(
        Object.entries(one).filter(([, value]) => value !== undefined),
      ) as never as ModelCondition,
  )

const condition: fc.Arbitrary<ModelCondition> = fc.oneof(
  {
    weight: 3,
    arbitrary: given(
      fc.record({
        measurement: fc.constant("averageBurnRate" as const),
        op: fc.constant("gte" as const),
        value: fc.constantFrom(0, 0.5, 1, 2, 5, 6, 14.4),
        alertingWindow: maybeWindow,
        ...least,
      }),
    ),
  },
  given(
    fc.record({
      measurement: fc.constant("burnedBudget" as const),
      op: fc.constantFrom("gt" as const, "gte" as const, "lt" as const, "lte" as const),
      value: fc.constantFrom(0.02, 0.1, 0.5, 0.8, 1, 2),
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("timeToBurnBudget" as const),
      op: fc.constant("lt" as const),
      value: fc.constantFrom(5, 60, 720, 4_320),
      alertingWindow: maybeWindow,
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("timeToBurnEntireBudget" as const),
      op: fc.constant("lte" as const),
      value: fc.constantFrom(5, 60, 720, 4_320),
      alertingWindow: maybeWindow,
      ...least,
    }),
  ),
  given(
    fc.record({
      measurement: fc.constant("budgetDrop" as const),
      op: fc.constant("gte" as const),
      value: fc.constantFrom(0.01, 0.05, 0.2, 1),
      alertingWindow,
      ...least,
    }),
  ),
)

const conditions = fc.array(condition, { minLength: 1, maxLength: 3 })

/** A random policy. Its conditions measure up to six hours. */
export const randomPolicy: fc.Arbitrary<ModelPolicy> = fc.record({
  coolDown: fc.integer({ min: 5, max: 12 }),
  groups: fc.oneof(
    { weight: 5, arbitrary: fc.array(conditions, { minLength: 1, maxLength: 3 }) },
    fc.constantFrom("page" as const, "ticket" as const),
  ),
})

export const minutesText = (minutes: number) => durationOf(`${minutes}m`)

const conditionOf = ({ value, alertingWindow, lastsFor, ...rest }: ModelCondition) =>
  ({
    ...rest,
    value: rest.measurement.startsWith("timeTo") ? minutesText(value) : value,
    ...(alertingWindow === undefined ? {} : { alertingWindow: minutesText(alertingWindow) }),
    ...(lastsFor === undefined ? {} : { lastsFor: minutesText(lastsFor) }),
  }) as Condition

/** The definition of a policy of the model: `policy-0`, `policy-1`, … */
export const policyOf = ({ coolDown, groups }: ModelPolicy, index: number): AlertPolicy => {
  const { conditions: _, ...spec } = aPolicy([], { coolDown: minutesText(coolDown) }).spec
  const [only, ...more] = typeof groups === "string" ? [] : groups.map((group) => group.map(conditionOf))
  return {
    ...aPolicy([], {}, `policy-${index}`),
    spec: {
      ...spec,
      ...(typeof groups === "string"
        ? { sreWorkbook: groups }
        : only !== undefined && more.length === 0
          ? { conditions: only }
          : { conditionGroups: [only ?? [], ...more].map((conditions) => ({ conditions })) }),
    },
  }
}

/** A stored alert as the model describes it, with times in minutes relative to an origin. */
export const modelAlertOf = (
  {
    reason,
    status,
    triggeredAt,
    triggeredMetricAt,
    resolvedAt,
    resolvedMetricAt,
  }: Pick<
    Alert,
    "reason" | "status" | "triggeredAt" | "triggeredMetricAt" | "resolvedAt" | "resolvedMetricAt"
  >,
  origin: number,
): ModelAlert => ({
  state: (reason ?? status) as ModelAlert["state"],
  triggered: triggeredAt / 60_000 - origin,
  triggeredMetric: (triggeredMetricAt ?? NaN) / 60_000 - origin,
  ...(resolvedAt !== undefined && {
    ended: resolvedAt / 60_000 - origin,
    endedMetric: (resolvedMetricAt ?? NaN) / 60_000 - origin,
  }),
})

/** An alert with times relative to an origin. */
export const relative = (alert: ModelAlert, origin: number): ModelAlert => ({
  ...alert,
  triggered: alert.triggered - origin,
  triggeredMetric: alert.triggeredMetric - origin,
  ...(alert.ended === undefined ? {} : { ended: alert.ended - origin }),
  ...(alert.endedMetric === undefined ? {} : { endedMetric: alert.endedMetric - origin }),
})
