import type { SloRecord } from "@tocsin/domain"
import type { Parts } from "@tocsin/domain/adapter"
import { objectivesOf } from "@tocsin/domain/definitions"

/** The gauges of each objective: their names, what they say, and where their values are. */
const gauges = [
  ["tocsin_slo_objective_target", "Target of the objective, 0 to 1.", "target"],
  ["tocsin_slo_objective_reliability", "Good share of the time window, 0 to 1.", "reliability"],
  [
    "tocsin_slo_objective_error_budget_remaining_ratio",
    "Ratio of the error budget remaining; negative when overspent.",
    "errorBudgetRemainingPercentage",
  ],
  [
    "tocsin_slo_objective_error_budget_remaining_seconds",
    "Remaining error budget, as time in which everything may be bad.",
    "errorBudgetRemaining",
  ],
  [
    "tocsin_slo_objective_burn_rate",
    "Current burn rate; 1 spends exactly the error budget over the time window.",
    "burnRate",
  ],
] as const

/** The label of a metric that has the values of a label of SLOs. */
export const metricLabel = (key: string): string => `label_${key.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`

/** SLOs that are written in one part. */
const recordsAtOnce = 50

/**
 * The metrics of objectives in Prometheus' text format 0.0.4, in parts, and with `isOpenMetrics` in OpenMetrics 1.0. `labels` are
 * the keys of labels of SLOs that the metrics have too, with their values joined by commas. A metric without data is left
 * out.
 */
export function* sloMetricsText(
  records: ReadonlyArray<SloRecord>,
  labels: ReadonlyArray<string>,
  isOpenMetrics: boolean,
): Parts<string> {
  const samples = gauges.map((): Array<string> => [])
  for (const [index, { slo, statuses }] of records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    const { metadata, spec } = slo
    const chosen = labels.map((key): [string, string] => [
      metricLabel(key),
      Object.hasOwn(metadata.labels ?? {}, key) ? (metadata.labels?.[key] ?? []).toSorted().join(",") : "",
    ])
    for (const { name, target } of objectivesOf(slo)) {
      const pairs = [
        ["project", metadata.project],
        ["service", spec.service],
        ["slo", metadata.name],
        ["objective", name],
        ...chosen.filter(([, value]) => value !== ""),
      ]
      const text = pairs.map(([label = "", value = ""]) => `${label}="${escaped(value)}"`).join(",")
      const status = statuses.get(name)
      // The target is that of the new definition, and outdated figures those of the one before.
      const values = { target, ...(status?.isOutdated === true ? {} : status) }
      for (const [place, [metric, , field]] of gauges.entries()) {
        const value = values[field]
        if (value !== undefined) samples[place]?.push(`${metric}{${text}} ${value}\n`)
      }
    }
  }
  const families: Array<string> = []
  for (const [place, [metric, help]] of gauges.entries()) {
    yield
    families.push(`# HELP ${metric} ${help}\n# TYPE ${metric} gauge\n${samples[place]?.join("") ?? ""}`)
  }
  return families.join("") + (isOpenMetrics ? "# EOF\n" : "")
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
