import {
  burnRateOf,
  type FleetFigure,
  type ObjectiveMinute,
  reliabilityOf,
  secondsRemaining,
  shareRemaining,
} from "@tocsin/domain"
import { isCompositeObjective, type Objective, objectivesOf, type Slo } from "@tocsin/domain/definitions"
import type { CountSum, StoredDefinition } from "@tocsin/domain/ports"
import type { Labels } from "@tocsin/promql/series"

/** What a metric is computed from: the definition, the status, or the counts of one minute, with or without adjustments. */
export type MetricSource = "definition" | "status" | "counts" | "receivedCounts"

/** A metric of objectives that queries can select. */
export interface SloMetric {
  readonly name: string
  readonly help: string
  readonly unit: string
  readonly source: MetricSource
  /** Whether an objective has it. */
  readonly isOf: (objective: Objective, slo: Slo) => boolean
  /** Which figure of the latest status it is, if every objective has it. */
  readonly figure?: FleetFigure
  /** Of the source `definition`. */
  readonly valueOfDefinition?: (objective: Objective) => number | undefined
  /** Of the source `status`: whether it is of the last hour, and not of the window. */
  readonly isBurnRate?: true
  /** Of the source `status`. */
  readonly valueOfStatus?: (minute: ObjectiveMinute) => number | undefined
  /** Of the sources `counts` and `receivedCounts`. */
  readonly valueOfCounts?: (sum: CountSum) => number | undefined
}

const anyObjective = (): boolean => true
const isPlain = (objective: Objective): boolean => !isCompositeObjective(objective)
/** Whether the events of the objective are those of its indicator, and not samples that a threshold was applied to. */
const isRatio = (objective: Objective): boolean =>
  !isCompositeObjective(objective) && objective.op === undefined
const isTimeslices = (objective: Objective, slo: Slo): boolean =>
  isPlain(objective) && slo.spec.budgetingMethod === "Timeslices"

const ofStatus = (
  name: string,
  help: string,
  unit: string,
  valueOfStatus: (minute: ObjectiveMinute) => number | undefined,
): SloMetric => ({ name, help, unit, source: "status", isOf: anyObjective, valueOfStatus })

const ofCounts = (
  name: string,
  help: string,
  source: "counts" | "receivedCounts",
  valueOfCounts: (sum: CountSum) => number | undefined,
  isOf: SloMetric["isOf"] = isRatio,
): SloMetric => ({ name, help, unit: "", source, isOf, valueOfCounts })

const ofDefinition = (
  name: string,
  help: string,
  unit: string,
  isOf: SloMetric["isOf"],
  valueOfDefinition: (objective: Objective) => number | undefined,
): SloMetric => ({ name, help, unit, source: "definition", isOf, valueOfDefinition })

const reliability = (name: string): SloMetric => ({
  ...ofStatus(name, "Good share of the time window, 0 to 1.", "ratio", ({ window }) => reliabilityOf(window)),
  figure: "reliability",
})
const target = (name: string): SloMetric => ({
  ...ofDefinition(
    name,
    "Target of the objective, 0 to 1.",
    "ratio",
    anyObjective,
    (objective) => objective.target,
  ),
  figure: "target",
})
const budget = (name: string): SloMetric => ({
  ...ofStatus(
    name,
    "Ratio of the error budget remaining; negative when overspent.",
    "ratio",
    ({ budget, window }) => shareRemaining(budget, window),
  ),
  figure: "errorBudgetRemainingPercentage",
})
const burnRate = (name: string): SloMetric => ({
  ...ofStatus(
    name,
    "Burn rate of the last hour; 1 spends exactly the error budget over the time window.",
    "",
    ({ budget, recent }) => burnRateOf(budget, recent),
  ),
  isBurnRate: true,
  figure: "burnRate",
})

/** The metric of open alerts, as Prometheus has it of its own. */
export const alertsMetric = "ALERTS"

/** The metrics of components of composite objectives have labels of the components. */
const componentWeight = "component_weight"

/** All metrics of objectives, by name. */
export const sloMetrics: ReadonlyArray<SloMetric> = [
  budget("budget"),
  burnRate("burn_rate"),
  ofDefinition(
    componentWeight,
    "Weight of a component of a composite objective.",
    "",
    isCompositeObjective,
    () => undefined,
  ),
  ofDefinition(
    "composite_max_delay",
    "How late the counts of components may be, in seconds.",
    "seconds",
    isCompositeObjective,
    (objective) => (isCompositeObjective(objective) ? objective.composite.maxDelay.ms / 1_000 : undefined),
  ),
  ofStatus(
    "count_good",
    "Good events of the time window; minutes with Timeslices and for composite objectives.",
    "",
    (minute) => minute.window?.good,
  ),
  ofStatus(
    "count_total",
    "All events of the time window; minutes with Timeslices and for composite objectives.",
    "",
    (minute) => minute.window?.total,
  ),
  reliability("reliability"),
  ofCounts(
    "sli_ratio_received_bad",
    "Bad events of the minute, as received.",
    "receivedCounts",
    ({ good, total }) => total - good,
  ),
  ofCounts(
    "sli_ratio_received_good",
    "Good events of the minute, as received.",
    "receivedCounts",
    ({ good }) => good,
  ),
  ofCounts(
    "sli_ratio_received_total",
    "All events of the minute, as received.",
    "receivedCounts",
    ({ total }) => total,
  ),
  ofCounts(
    "sli_ratio_used_good",
    "Good events of the minute, with budget adjustments.",
    "counts",
    ({ good }) => good,
  ),
  ofCounts(
    "sli_ratio_used_total",
    "All events of the minute, with budget adjustments.",
    "counts",
    ({ total }) => total,
  ),
  target("target"),
  ofDefinition(
    "threshold",
    "What the metric of the indicator is compared with.",
    "",
    (objective) => !isCompositeObjective(objective) && objective.value !== undefined,
    (objective) => (isCompositeObjective(objective) ? undefined : objective.value),
  ),
  ofDefinition(
    "time_slice_allowance",
    "Share of good events that a good minute has at least, 0 to 1.",
    "ratio",
    isTimeslices,
    (objective) => (isCompositeObjective(objective) ? undefined : objective.timeSliceTarget),
  ),
  ofCounts(
    "time_slice_reliability",
    "Good share of the minute, 0 to 1.",
    "counts",
    ({ good, total }) => (total > 0 ? good / total : undefined),
    isTimeslices,
  ),
  ofCounts(
    "time_slice_status",
    "1 for a good minute, 0 for a bad one.",
    "counts",
    ({ goodMinutes }) => goodMinutes,
    isTimeslices,
  ),
  burnRate("tocsin_slo_objective_burn_rate"),
  budget("tocsin_slo_objective_error_budget_remaining_ratio"),
  {
    ...ofStatus(
      "tocsin_slo_objective_error_budget_remaining_seconds",
      "Remaining error budget, as time in which everything may be bad.",
      "seconds",
      ({ budget, lengthMs, window }) => secondsRemaining(budget, lengthMs, window),
    ),
    figure: "errorBudgetRemaining",
  },
  reliability("tocsin_slo_objective_reliability"),
  target("tocsin_slo_objective_target"),
]

/** A series of an SLO, before its samples are known. */
export interface SloSeriesKey {
  readonly metric: SloMetric
  readonly slo: StoredDefinition<Slo>
  readonly objective: Objective
  readonly labels: Labels
  /** Of a series with one value for all times. */
  readonly constant?: number
}

/** The series of some metrics of an SLO. */
export const seriesOfSlo = (
  slo: StoredDefinition<Slo>,
  metrics: ReadonlyArray<SloMetric>,
): ReadonlyArray<SloSeriesKey> => {
  const { metadata, spec } = slo.definition
  return objectivesOf(slo.definition).flatMap((objective) =>
    metrics.flatMap((metric): ReadonlyArray<SloSeriesKey> => {
      if (!metric.isOf(objective, slo.definition)) return []
      const labels = new Map([
        ["__name__", metric.name],
        ["objective", objective.name],
        ["project", metadata.project],
        ["service", spec.service],
        ["slo", metadata.name],
      ])
      if (metric.name === componentWeight) {
        if (!isCompositeObjective(objective)) return []
        return objective.composite.components.map((component) => ({
          metric,
          slo,
          objective,
          labels: new Map([
            ...labels,
            ["component_objective", component.objective],
            ["component_project", component.slo.project],
            ["component_slo", component.slo.name],
          ]),
          constant: component.weight,
        }))
      }
      const constant = metric.valueOfDefinition?.(objective)
      return [{ metric, slo, objective, labels, ...(constant !== undefined && { constant }) }]
    }),
  )
}
