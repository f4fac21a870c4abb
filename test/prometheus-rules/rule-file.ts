import * as Result from "effect/Result"
import { writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { counterExpression } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import type { Slo } from "@tocsin/domain/definitions"
import { prometheusRulesOf } from "@tocsin/formats/prometheus-rules"
import { anAlertPolicy, anSlo, decodeOptions, type Plain } from "../definition/valid-definitions.ts"

const decoded = (document: Plain) => {
  const result = decodeDefinition(document, decodeOptions)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}

export const sloOf = (spec: Plain = {}, metadata: Plain = {}): Slo => {
  const slo = anSlo()
  return decoded({
    ...slo,
    metadata: { ...(slo["metadata"] as Plain), ...metadata },
    spec: {
      ...(slo["spec"] as Plain),
      objectives: [{ name: "good", target: 0.99 }],
      indicator: {
        prometheus: {
          url: "https://prometheus.example.com",
          good: 'sum(increase(orders_total{code!~"5.."}[1m]))',
          total: "sum(increase(orders_total[1m]))",
        },
      },
      ...spec,
    },
  }) as Slo
}

export const policyOf = (conditions: ReadonlyArray<Plain>, spec: Plain = {}): AlertPolicy => {
  const policy = anAlertPolicy()
  return decoded({ ...policy, spec: { ...(policy["spec"] as Plain), ...spec, conditions } }) as AlertPolicy
}

/** A policy with groups of conditions or a preset. */
export const policyWith = (given: Plain): AlertPolicy => {
  const policy = anAlertPolicy()
  const { conditions: _, ...spec } = policy["spec"] as Plain
  return decoded({ ...policy, spec: { ...spec, ...given } }) as AlertPolicy
}

export const burnRateOver = (value: number, alertingWindow: string): Plain => ({
  measurement: "averageBurnRate",
  value,
  alertingWindow,
})

/** The rules of an SLO whose only policy is `fast-burn`. */
export const rulesOf = (
  slo: Slo,
  policy?: AlertPolicy,
  eventsOf: (expression: string) => string = (expression) => expression,
) => prometheusRulesOf(slo, new Map(policy === undefined ? [] : [["fast-burn", policy]]), eventsOf)

/** The rule file of an SLO. */
export const ruleFileOf = (slo: Slo, policy: AlertPolicy): string =>
  `groups:\n${writeDocuments(
    yamlFormat,
    [rulesOf(slo, policy, (expression) => counterExpression(expression).events).group].filter(
      (group) => group !== undefined,
    ),
  )}`
