import type { SharedIndicator } from "@tocsin/domain/adapter"
import { type AlertPolicy, type Condition, conditionText, groupsOf } from "@tocsin/domain/alerting"
import { dayMs, entryPath, type Issue, IssueList, minuteMs, tidy } from "@tocsin/domain/codec"
import {
  countsAbsent,
  isCalendarWindow,
  isCompositeObjective,
  type PlainObjective,
  rollingMs,
  type Slo,
  treatsZeroAsNoData,
} from "@tocsin/domain/definitions"
import { budgetShare, burnRateLookbackMs } from "@tocsin/domain/slo"
import type { LabelSet } from "./RuleText.ts"
import { alertNameOf, labelsOf, literalText, promqlDuration, selectorOf } from "./RuleText.ts"

/** A recording rule or an alerting rule of a Prometheus rule file. */
type PrometheusRule =
  | { readonly record: string; readonly expr: string; readonly labels: LabelSet }
  | {
      readonly alert: string
      readonly expr: string
      readonly for?: string
      readonly keep_firing_for: string
      readonly labels: LabelSet
      readonly annotations: LabelSet
    }

/** The rules are evaluated in their order. */
interface PrometheusRuleGroup {
  readonly name: string
  readonly interval: string
  readonly rules: ReadonlyArray<PrometheusRule>
}

/** What `prometheusRulesOf` writes. */
export interface PrometheusRules {
  /** Absent if the SLO has no rules. */
  readonly group?: PrometheusRuleGroup
  /** What rules cannot express, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}

/**
 * Writes the Prometheus rules of an SLO: recording rules for the counts of each minute and the burn rates, and an
 * alerting rule for each objective and alert policy, as this program would evaluate them.
 *
 * `policies` are the alert policies by name; one that is missing is an issue. `eventsOf` returns the expression by which
 * the expression of an indicator is read.
 *
 * Source: spec/prometheus-rules.
 */
export const prometheusRulesOf = (
  slo: Slo,
  policies: ReadonlyMap<string, AlertPolicy>,
  eventsOf: (expression: string) => string,
): PrometheusRules => {
  const issues = new IssueList()
  const { indicator, objectives, alertPolicies } = slo.spec
  const { project, name } = slo.metadata
  if (indicator?.prometheus === undefined) {
    issues.add("spec.indicator", "required", "is required: rules read the counts from Prometheus")
    return { issues: issues.sorted() }
  }
  if (slo.spec.composite !== undefined) {
    issues.add("spec.composite", "not_allowed_value", "cannot be expressed in rules")
  }
  if ((slo.spec.emptyTimeSlices ?? "good") !== "good") {
    issues.add("spec.emptyTimeSlices", "not_allowed_value", "cannot be expressed in rules, which use good")
  }
  const identity = { project, service: slo.spec.service, slo: name }
  const counts = countRules(indicator.prometheus, identity, eventsOf, issues)
  if (counts === undefined) return { issues: issues.sorted() }
  const found = alertPolicies.flatMap((each, index) => {
    const policy = policies.get(each)
    if (policy !== undefined) return [policy]
    const message = "is not in the documents; add the alert policy"
    issues.add(entryPath("spec.alertPolicies", index), "not_found", message)
    return []
  })
  const ofObjectives = objectives.map((objective, index) => {
    if (isCompositeObjective(objective)) {
      const path = `${entryPath("spec.objectives", index)}.composite`
      issues.add(path, "not_allowed_value", "cannot be expressed in rules")
      return { records: [], alerts: [] }
    }
    if (countsAbsent(objective)) {
      const path = `${entryPath("spec.objectives", index)}.absent`
      issues.add(path, "not_allowed_value", "cannot be expressed in rules, which use ignored")
    }
    return objectiveRules({ slo, objective, identity }, found, issues)
  })
  const labels = labelsOf(slo.metadata.labels ?? {}, issues)
  const rules = [
    ...counts,
    ...ofObjectives.flatMap(({ records }) => records),
    ...ofObjectives.flatMap(({ alerts }) => alerts),
    ...noDataRules(slo, identity),
  ].map((rule) => ("alert" in rule ? { ...rule, labels: { ...labels, ...rule.labels } } : rule))
  return {
    group: { name: `tocsin-${project}-${name}`, interval: promqlDuration(minuteMs), rules },
    issues: issues.sorted(),
  }
}

const totalRecord = "slo:events_total:count1m"
const badRecord = "slo:events_bad:count1m"
const badMinuteRecord = "slo:minute_bad:bool"
const remainingRecord = "slo:error_budget:remaining"

interface Identity {
  readonly project: string
  readonly service: string
  readonly slo: string
}

const shortIdentity = ({ project, slo }: Identity): LabelSet => ({ project, slo })

/** Both counts of a minute, or neither. */
const countRules = (
  prometheus: SharedIndicator["prometheus"],
  identity: Identity,
  eventsOf: (expression: string) => string,
  issues: IssueList,
): ReadonlyArray<PrometheusRule> | undefined => {
  const unknown = Object.keys(prometheus).filter((name) => !indicatorFields.includes(name))
  for (const name of unknown) {
    const instead = isInsteadOfCounts(name) ? "; write good or bad, and total" : ""
    const message = `cannot be expressed in rules${instead}`
    issues.add(`spec.indicator.prometheus.${name}`, "not_allowed_value", message)
  }
  const part = prometheus.bad ?? prometheus.good
  if (unknown.length > 0 || part === undefined || prometheus.total === undefined) return undefined
  const [read, total] = [`sum(${eventsOf(part)})`, `sum(${eventsOf(prometheus.total)})`]
  const bad = prometheus.bad === undefined ? `${total} - clamp_min(${read}, 0)` : atMost(read, total)
  const labels = { ...identity }
  return [
    { record: totalRecord, expr: `${total} and ${read}`, labels },
    { record: badRecord, expr: `clamp_min(${bad}, 0)`, labels },
  ]
}

/** The smaller of two series, if both have a value. */
const atMost = (expression: string, most: string): string =>
  `(${expression} <= ${most}) or (${most} and ${expression})`

/** Whether a property has what is counted, in place of `good` or `bad`, and `total`. */
const isInsteadOfCounts = (name: string): boolean => name === "metric" || name === "histogram"

const indicatorFields: ReadonlyArray<string> = ["url", "dataSource", "good", "bad", "total"]

interface ObjectivePlace {
  readonly slo: Slo
  readonly objective: PlainObjective
  readonly identity: Identity
}

interface ObjectiveRules {
  readonly records: ReadonlyArray<PrometheusRule>
  readonly alerts: ReadonlyArray<PrometheusRule>
}

const objectiveRules = (
  place: ObjectivePlace,
  policies: ReadonlyArray<AlertPolicy>,
  issues: IssueList,
): ObjectiveRules => {
  const { slo, objective, identity } = place
  const records = new Map<string, PrometheusRule>()
  const labels = { ...identity, objective: objective.name }
  const add = (record: string, expr: string): string => {
    records.set(record, { record, expr, labels })
    return record + selectorOf({ ...shortIdentity(identity), objective: objective.name })
  }
  if (objective.timeSliceTarget !== undefined) {
    const counts = selectorOf(shortIdentity(identity))
    const limit = tidy(1 - objective.timeSliceTarget)
    add(badMinuteRecord, `${badRecord}${counts} / ${totalRecord}${counts} > bool ${limit}`)
  }
  /** The burn rate over the last `ms`. */
  const burnRate = (ms: number): string =>
    add(`slo:burn_rate:${promqlDuration(ms)}`, `${badShare(place, ms)} / ${budgetShare(objective.target)}`)
  const { timeWindow } = slo.spec
  const windowMs = isCalendarWindow(timeWindow) ? undefined : rollingMs(timeWindow)
  burnRate(Math.min(burnRateLookbackMs, windowMs ?? Infinity))
  const remaining =
    windowMs === undefined
      ? undefined
      : add(remainingRecord, `1 - ${badShare(place, windowMs)} / ${budgetShare(objective.target)}`)
  const events = (record: string, ms: number): string =>
    `sum_over_time(${record}${selectorOf(shortIdentity(identity))}[${promqlDuration(ms)}])`
  const measured = { burnRate, events, remaining, windowMs }
  const alerts = policies.flatMap((policy) => policyRule(place, policy, measured, issues) ?? [])
  return { records: [...records.values()], alerts }
}

/** The bad share of the last `ms`, in events or in minutes. */
const badShare = ({ objective, identity }: ObjectivePlace, ms: number): string => {
  const range = `[${promqlDuration(ms)}]`
  if (objective.timeSliceTarget === undefined) {
    const counts = selectorOf(shortIdentity(identity))
    return `sum_over_time(${badRecord}${counts}${range}) / sum_over_time(${totalRecord}${counts}${range})`
  }
  const minutes = selectorOf({ ...shortIdentity(identity), objective: objective.name })
  return `sum_over_time(${badMinuteRecord}${minutes}${range}) / ${ms / minuteMs}`
}

interface Measured {
  readonly burnRate: (ms: number) => string
  /** The sum of one of the count records over the last `ms`. */
  readonly events: (record: string, ms: number) => string
  /** Absent with a calendar-aligned window, which has no range. */
  readonly remaining: string | undefined
  readonly windowMs: number | undefined
}

/** An alert fires when all conditions are met, and until they are not all met for the cool-down. */
const policyRule = (
  { slo, objective, identity }: ObjectivePlace,
  { metadata, spec }: AlertPolicy,
  measured: Measured,
  issues: IssueList,
): PrometheusRule | undefined => {
  const path = `alert policy ${metadata.name}`
  const known = new Set(policyFields)
  const unknown = Object.keys(spec).filter((name) => !known.has(name))
  for (const name of unknown) {
    issues.add(`${path}: spec.${name}`, "not_allowed_value", "cannot be expressed in rules")
  }
  const { timeWindow } = slo.spec
  const isMonth = isCalendarWindow(timeWindow) && timeWindow.unit === "Month" && timeWindow.count === 1
  // Every month has the conditions of a month of 30 days.
  const windowMs = measured.windowMs ?? (isMonth ? 30 * dayMs : undefined)
  if (spec.sreWorkbook !== undefined && windowMs === undefined) {
    const message = "cannot be expressed in rules for a calendar-aligned window of varying length"
    return issues.add(`${path}: spec.sreWorkbook`, "not_allowed_value", message)
  }
  const groups = groupsOf(spec, windowMs ?? 0)
  const placeOf = (group: number, index: number): string => {
    const conditions = entryPath("spec.conditionGroups", group)
    return spec.conditionGroups === undefined
      ? entryPath(`${path}: spec.conditions`, index)
      : entryPath(`${path}: ${conditions}.conditions`, index)
  }
  const expressions = groups.map((group, at) =>
    group.map((condition, index) => conditionExpression(condition, measured, placeOf(at, index), issues)),
  )
  const times = new Set(groups.flat().map(({ lastsFor }) => lastsFor?.ms ?? 0))
  if (times.size > 1) {
    const message = "cannot be expressed in rules: all conditions must have the same lastsFor"
    issues.add(`${path}: spec`, "not_allowed_value", message)
  }
  if (unknown.length > 0 || times.size > 1 || expressions.flat().includes(undefined)) return undefined
  const [forMs = 0] = times
  return {
    alert: alertNameOf(metadata.name),
    expr: joined(
      expressions.map((group) => joined(group, "and")),
      "or",
    ),
    ...(forMs > 0 && { for: promqlDuration(forMs) }),
    keep_firing_for: promqlDuration(spec.coolDown.ms),
    labels: {
      ...identity,
      objective: objective.name,
      alert_policy: metadata.name,
      severity: spec.severity,
    },
    annotations: {
      summary: literalText(`${slo.metadata.displayName ?? slo.metadata.name}: ${objective.name}`),
      description: literalText(groups.map((group) => group.map(conditionText).join(", ")).join("; or ")),
    },
  }
}

const joined = (expressions: ReadonlyArray<string | undefined>, operator: "and" | "or"): string =>
  expressions.map((each) => (expressions.length === 1 ? each : `(${each})`)).join(` ${operator} `)

const policyFields: ReadonlyArray<string> = [
  "description",
  "severity",
  "coolDown",
  "conditions",
  "conditionGroups",
  "sreWorkbook",
  "alertMethods",
  "renotify",
  "then",
]

const conditionFields: ReadonlyArray<string> = [
  "measurement",
  "value",
  "op",
  "alertingWindow",
  "lastsFor",
  "minEvents",
  "minBadEvents",
  "usual",
]

/** The condition, and its fewest events in the range that it measures. */
const conditionExpression = (
  condition: Condition,
  measured: Measured,
  path: string,
  issues: IssueList,
): string | undefined => {
  const unknown = Object.keys(condition).filter((name) => !conditionFields.includes(name))
  for (const name of unknown) {
    issues.add(`${path}.${name}`, "not_allowed_value", "cannot be expressed in rules")
  }
  const expression = measurementExpression(condition, measured, path, issues)
  if (unknown.length > 0 || expression === undefined) return undefined
  const { minEvents, minBadEvents } = condition
  const rangeMs =
    condition.measurement === "burnedBudget" ? measured.windowMs : rateRangeMs(condition, measured)
  const least = [
    ...(minEvents === undefined ? [] : [`${measured.events(totalRecord, rangeMs ?? 0)} >= ${minEvents}`]),
    ...(minBadEvents === undefined ? [] : [`${measured.events(badRecord, rangeMs ?? 0)} >= ${minBadEvents}`]),
  ]
  return least.reduce((all, each) => `(${all}) and on (project, slo) (${each})`, expression)
}

/** The range of the burn rate; without an alerting window, that of the status. */
const rateRangeMs = ({ alertingWindow }: Condition, { windowMs }: Measured): number =>
  alertingWindow?.ms ?? Math.min(burnRateLookbackMs, windowMs ?? Infinity)

const operatorSigns = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** Source: spec/alerting §2. */
const measurementExpression = (
  condition: Condition,
  measured: Measured,
  path: string,
  issues: IssueList,
): string | undefined => {
  const { burnRate, remaining, windowMs } = measured
  const rate = () => burnRate(rateRangeMs(condition, measured))
  if (condition.measurement === "averageBurnRate") return `${rate()} >= ${condition.value}`
  if (condition.measurement === "fewerThan") {
    if (condition.usual === undefined)
      return `${measured.events(totalRecord, condition.alertingWindow.ms)} < ${condition.value}`
    const message = "cannot be expressed in rules: use fewerThan with events"
    return issues.add(`${path}.fewerThan`, "not_allowed_value", message)
  }
  if (remaining === undefined || windowMs === undefined) {
    const message = "cannot be expressed in rules for a calendar-aligned window, which has no range"
    return issues.add(`${path}.measurement`, "not_allowed_value", message)
  }
  switch (condition.measurement) {
    case "burnedBudget":
      return `1 - ${remaining} ${operatorSigns[condition.op]} ${condition.value}`
    case "timeToBurnBudget": {
      // The remaining time is 0 when nothing remains, even if nothing burns.
      const seconds = windowMs / 1_000
      return `(clamp_min(${remaining}, 0) * ${seconds} < ${rate()} * ${condition.value.ms / 1_000}) or (${remaining} <= 0)`
    }
    case "timeToBurnEntireBudget":
      return `${rate()} >= ${tidy(windowMs / condition.value.ms)}`
    case "budgetDrop": {
      // Without data then, the budget was full.
      const before = `${remaining} offset ${promqlDuration(condition.alertingWindow.ms)}`
      return `((${before}) or (${remaining} * 0 + 1)) - ${remaining} >= ${condition.value}`
    }
  }
}

const noDataRules = (slo: Slo, identity: Identity): ReadonlyArray<PrometheusRule> => {
  const noData = slo.spec.anomalyConfig?.noData
  if (noData === undefined) return []
  const range = promqlDuration(noData.alertAfter.ms)
  const series = `${totalRecord}${selectorOf(shortIdentity(identity))}[${range}]`
  return [
    {
      alert: alertNameOf("no-data"),
      expr: treatsZeroAsNoData(slo)
        ? `(max_over_time(${series}) <= 0) or absent_over_time(${series})`
        : `absent_over_time(${series})`,
      keep_firing_for: promqlDuration(minuteMs),
      labels: { ...identity, anomaly_type: "no_data" },
      annotations: {
        summary: literalText(`${slo.metadata.displayName ?? slo.metadata.name}: no data`),
        description: `No counts for ${range}`,
      },
    },
  ]
}
