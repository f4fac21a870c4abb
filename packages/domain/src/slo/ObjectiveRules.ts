import { entryPath, type IssueList, joinPaths } from "../codec/Issue.ts"
import { isGiven, isObject } from "../codec/Leaves.ts"
import type { BudgetingMethod } from "./BudgetingMethod.ts"
import { type ObjectiveMetrics, queriesOf, type SourceQuery } from "./SourceMetrics.ts"

const hasProperty = (value: unknown, name: string): boolean =>
  isObject(value) && Object.hasOwn(value, name) && isGiven(value[name])

/** The fields of an objective depend on the budgeting method. */
export const checkObjectiveMethod = (
  objective: unknown,
  method: BudgetingMethod,
  path: string,
  issues: IssueList,
): void => {
  if (!isObject(objective)) return
  const isComposite = hasProperty(objective, "composite")
  if (isComposite && method === "Timeslices") {
    const message = "is supported only for the budgeting method Occurrences"
    issues.add(joinPaths(path, "composite"), "not_allowed_value", message)
  }
  const at = joinPaths(path, "timeSliceTarget")
  if (!hasProperty(objective, "timeSliceTarget")) {
    if (method === "Timeslices" && !isComposite) {
      issues.add(at, "required", "is required for the budgeting method Timeslices")
    }
  } else if (isComposite) {
    issues.add(at, "not_allowed_value", "is not supported for a composite objective")
  } else if (method === "Occurrences") {
    issues.add(at, "not_allowed_value", "is supported only for the budgeting method Timeslices")
  }
}

/**
 * Objectives have metrics if, and only if, the indicator is a data source of their queries; and a threshold if, and only if,
 * there is a metric to compare with it.
 */
export const checkThresholds = (
  objectives: unknown,
  indicator: unknown,
  path: string,
  issues: IssueList,
): void => {
  const hasSource = isObject(indicator) && hasProperty(indicator, "metricSource")
  for (const [index, objective] of Array.isArray(objectives) ? objectives.entries() : []) {
    if (!isObject(objective)) continue
    const at = entryPath(path, index)
    checkMetrics(objective, hasSource, at, issues)
    checkThreshold(objective, thresholdOf(objective, indicator), at, issues)
  }
}

const checkMetrics = (objective: PlainObject, hasSource: boolean, path: string, issues: IssueList): void => {
  const given = ["countMetrics", "rawMetric"].filter((name) => hasProperty(objective, name))
  const isComposite = hasProperty(objective, "composite")
  if (given.length > 1) {
    issues.add(path, "mutually_exclusive", "must have either countMetrics or rawMetric, not both")
  } else if (given.length === 0) {
    if (!hasSource || isComposite) return
    const message = "is required with indicator.metricSource, unless rawMetric is given"
    issues.add(joinPaths(path, "countMetrics"), "required", message)
  } else if (isComposite || !hasSource) {
    const message = isComposite
      ? "is not supported for a composite objective"
      : "is supported only with indicator.metricSource"
    for (const name of given) issues.add(joinPaths(path, name), "not_allowed_value", message)
  }
}

type PlainObject = Readonly<Record<string, unknown>>

/** Which parts of a threshold an objective needs, and by what; `allowed` are those that it may have besides. */
const thresholdOf = (
  objective: PlainObject,
  indicator: unknown,
): {
  readonly names: ReadonlyArray<string>
  readonly by: string
  readonly allowed: ReadonlyArray<string>
} => {
  if (hasProperty(objective, "composite")) return { names: [], by: "", allowed: [] }
  if (hasProperty(objective, "rawMetric"))
    return { names: ["op", "value"], by: "rawMetric is given", allowed: [] }
  // It says which objective it is, as names once did not.
  if (hasProperty(objective, "countMetrics")) return { names: [], by: "", allowed: ["value"] }
  const prometheus = isObject(indicator) ? indicator["prometheus"] : undefined
  if (hasProperty(prometheus, "metric")) {
    return { names: ["op", "value"], by: "indicator.prometheus has a metric", allowed: [] }
  }
  const names = hasProperty(prometheus, "histogram") ? ["value"] : []
  return { names, by: "indicator.prometheus has a histogram", allowed: [] }
}

const checkThreshold = (
  objective: PlainObject,
  { names, by, allowed }: ReturnType<typeof thresholdOf>,
  path: string,
  issues: IssueList,
): void => {
  for (const name of ["op", "value"]) {
    const needsOne = names.includes(name)
    const isGiven = hasProperty(objective, name)
    const at = joinPaths(path, name)
    if (needsOne && !isGiven) issues.add(at, "required", `is required, as ${by}`)
    if (needsOne || !isGiven || allowed.includes(name)) continue
    const message =
      name === "op"
        ? "is supported only with rawMetric or indicator.prometheus.metric, and not for a composite objective"
        : "is supported only with metrics of the objective, or a metric or histogram of the indicator, and not for a composite objective"
    issues.add(at, "not_allowed_value", message)
  }
}

/** Minutes without data count as good or bad only where they can be told from those that have none yet. */
export const checkAbsent = (
  objectives: unknown,
  unsupportedWith: string | undefined,
  path: string,
  issues: IssueList,
): void => {
  for (const [index, objective] of Array.isArray(objectives) ? objectives.entries() : []) {
    if (!isObject(objective) || !hasProperty(objective, "absent")) continue
    const at = joinPaths(entryPath(path, index), "absent")
    if (hasProperty(objective, "composite")) {
      const message = "is not supported for a composite objective: use whenDelayed of its components"
      issues.add(at, "not_allowed_value", message)
    } else if (unsupportedWith !== undefined && objective["absent"] !== "ignored") {
      issues.add(at, "not_allowed_value", `must be ignored with ${unsupportedWith}`)
    }
  }
}

/** At most one objective is the main one. */
export const checkPrimary = (objectives: unknown, path: string, issues: IssueList): void => {
  const primary = (Array.isArray(objectives) ? objectives : []).flatMap((objective, index) =>
    isObject(objective) && objective["primary"] === true ? [index] : [],
  )
  for (const index of primary.slice(1)) {
    const at = joinPaths(entryPath(path, index), "primary")
    issues.add(at, "duplicate", "must be true for at most one objective")
  }
}

/** The queries of an SLO are all for its one data source. */
export const checkOneSourceType = (
  objectives: ReadonlyArray<ObjectiveMetrics>,
  path: string,
  issues: IssueList,
): void => {
  const types = new Set(objectives.flatMap(queriesOf).map(typeOf))
  if (types.size <= 1) return
  const message = `must have queries for one type of data source, not ${[...types].sort().join(" and ")}`
  issues.add(path, "mutually_exclusive", message)
}

const typeOf = (query: SourceQuery): string => ("prometheus" in query ? "prometheus" : query.unsupported.type)

export const checkCompositeMethod = (
  composite: unknown,
  method: BudgetingMethod,
  path: string,
  issues: IssueList,
): void => {
  if (!isObject(composite)) return
  const at = joinPaths(path, "burnRateCondition")
  const hasCondition = hasProperty(composite, "burnRateCondition")
  if (method === "Occurrences" && !hasCondition) {
    issues.add(at, "required", "is required for the budgeting method Occurrences")
  }
  if (method === "Timeslices" && hasCondition) {
    issues.add(at, "not_allowed_value", "is not supported for the budgeting method Timeslices")
  }
}
