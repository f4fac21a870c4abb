import * as Result from "effect/Result"
import type { Parts } from "@tocsin/domain/adapter"
import { dayMs, isObject, IssueList, joinPaths } from "@tocsin/domain/codec"
import { severityOfText } from "../SeverityText.ts"
import type { BurnRate, BurnRateAlert } from "./BurnRatePolicies.ts"
import type { ConversionParts, Source } from "./Conversion.ts"
import { type EventCounts, eventCounts, ratioCounts } from "./EventQueries.ts"
import { convertedLabels } from "./OpenSloMetadata.ts"
import { indicatorOf } from "./OpenSloSlo.ts"
import {
  calledBy,
  isTooDeep,
  operandsOf,
  partsOf,
  type PromQlNode,
  type PromQlParser,
  replaced,
  textOf,
  unwrapped,
} from "./PromQlNode.ts"
import { constantLabelsOf, labelsOf } from "./QueryLabels.ts"
import { promqlDurationMs, windowOf } from "./PyrraSlo.ts"
import { sloName } from "./SlothSlos.ts"
import { readSourceQuery, type SourceQuery } from "./SourceQuery.ts"

/** A recording or alerting rule, and where it is. */
interface PlacedRule {
  readonly path: string
  /** The notes about its document. */
  readonly issues: IssueList
  readonly record: string
  readonly alert: string
  readonly expr: string
  readonly lasting: unknown
  readonly labels: Readonly<Record<string, string>>
}

/** The rules that were generated from one SLO, at least one. */
interface RuleSlo {
  readonly tool: "sloth" | "pyrra"
  readonly name: string
  readonly service: string | undefined
  readonly rules: ReadonlyArray<PlacedRule>
}

/** The lists of rules of a `PrometheusRule` or of a rule file, and where they are. */
const ruleListsOf = (
  value: unknown,
): ReadonlyArray<{ readonly path: string; readonly rules: ReadonlyArray<unknown> }> => {
  if (!isObject(value)) return []
  const [base, groups] = isObject(value["spec"])
    ? ["spec.groups", value["spec"]["groups"]]
    : ["groups", value["groups"]]
  if (!Array.isArray(groups)) return []
  return groups.flatMap((group: unknown, at) => {
    const rules = isObject(group) ? group["rules"] : undefined
    return Array.isArray(rules) ? [{ path: `${base}[${at}].rules`, rules }] : []
  })
}

function* rulesOf({ value, issues }: Pick<Source, "value" | "issues">): Generator<PlacedRule, void> {
  for (const { path, rules } of ruleListsOf(value)) {
    for (const [index, rule] of rules.entries()) yield ruleOf(rule, `${path}[${index}]`, issues)
  }
}

const ruleOf = (value: unknown, path: string, issues: IssueList): PlacedRule => {
  const { record, alert, expr, for: lasting, labels } = isObject(value) ? value : {}
  const text = (each: unknown): string => (typeof each === "string" ? each : "")
  return {
    path,
    issues,
    record: text(record),
    alert: text(alert),
    expr: typeof expr === "number" ? String(expr) : text(expr),
    lasting,
    labels: isObject(labels)
      ? Object.fromEntries(
          Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        )
      : {},
  }
}

/** What identifies the SLO that a rule was generated from. */
const sloOfRule = ({
  record,
  alert,
  expr,
  labels,
}: PlacedRule): readonly [RuleSlo["tool"], string] | undefined => {
  const id = labels["sloth_id"] ?? (alert === "" ? undefined : slothIdOf.exec(expr)?.[1])
  if (id !== undefined) return ["sloth", id]
  const { slo = "" } = labels
  return slo !== "" && (alert !== "" || pyrraRecord.test(record)) ? ["pyrra", slo] : undefined
}

const slothIdOf = /\bsloth_id="([^"\\]*)"/
const pyrraRecord = /:(?:burnrate|increase|sum|count)\d\w*$|^pyrra_/
/** Records of the share of bad events, and the window of each. */
const ratioRecord = /(?:^slo:sli_error:ratio_rate|:burnrate)(\d\w*)$/

/** Rules of one SLO as they are collected, and what is known of them by `identityOf`. */
interface CollectedRules {
  readonly rules: Array<PlacedRule>
  readonly identities: Set<string>
}

/** No two rules of one SLO are the same in this. */
const identityOf = ({ record, alert, labels }: PlacedRule): string =>
  JSON.stringify([record, alert, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])

/**
 * The SLOs that the rules of several documents were generated from, and the rules of none. The rules of an SLO can be spread over
 * documents; a document that repeats a rule of another one has another SLO of the same name.
 */
export const readRules = (sources: ReadonlyArray<Pick<Source, "value" | "issues">>): GeneratedRules => {
  const byId = new Map<string, Array<CollectedRules>>()
  const others: Array<PlacedRule> = []
  for (const source of sources) {
    const own = new Map<string, Array<PlacedRule>>()
    for (const rule of rulesOf(source)) {
      const [tool, id] = sloOfRule(rule) ?? []
      if (tool === undefined || id === undefined) {
        others.push(rule)
        continue
      }
      const known = own.get(`${tool} ${id}`)
      if (known === undefined) own.set(`${tool} ${id}`, [rule])
      else known.push(rule)
    }
    for (const [id, rules] of own) {
      const identities = new Set(rules.map(identityOf))
      const known = byId.get(id) ?? []
      byId.set(id, known)
      const joined = known.find(
        (each) => !Array.from(identities).some((identity) => each.identities.has(identity)),
      )
      if (joined === undefined) known.push({ rules, identities })
      else {
        joined.rules.push(...rules)
        for (const identity of identities) joined.identities.add(identity)
      }
    }
  }
  const slos = [...byId].flatMap(([key, collected]) => {
    const [tool] = key.split(" ", 1)
    const id = key.slice(key.indexOf(" ") + 1)
    return collected.map(({ rules: own }): RuleSlo => {
      const label = (name: string) => own.map(({ labels }) => labels[name]).find((each) => each !== undefined)
      return tool === "sloth"
        ? { tool, name: label("sloth_slo") ?? id, service: label("sloth_service"), rules: own }
        : { tool: "pyrra", name: id, service: label("service"), rules: own }
    })
  })
  return { slos, others }
}

/** Rules that Sloth or Pyrra generated, and others. */
export interface GeneratedRules {
  readonly slos: ReadonlyArray<RuleSlo>
  readonly others: ReadonlyArray<PlacedRule>
}

/** Whether a document has rules that Sloth or Pyrra generate. */
export const hasSloRules = (value: unknown): boolean => {
  for (const rule of rulesOf({ value, issues: new IssueList() }))
    if (sloOfRule(rule) !== undefined) return true
  return false
}

/** Maximum number of rules that are generated from one SLO, as they are counted. */
const rulesPerSlo = 20

/** How many objects the rules of a document count as: the SLOs that they were generated from, or more if there are many other rules. */
export const countRuleSlos = (value: unknown, most: number): number => {
  const byRules = Math.ceil(
    ruleListsOf(value).reduce((sum, { rules }) => sum + rules.length, 0) / rulesPerSlo,
  )
  return byRules > most
    ? byRules
    : Math.max(byRules, readRules([{ value, issues: new IssueList() }]).slos.length)
}

/** The names of the SLOs that rules were generated from. */
export const ruleSloNames = ({ slos }: GeneratedRules): ReadonlyArray<string> => slos.map(writtenNameOf)

const writtenNameOf = ({ tool, name, service }: RuleSlo): string =>
  tool === "sloth" && service !== undefined ? sloName(service, name) : name

/**
 * Converts the rules that Sloth and Pyrra generate, in a `PrometheusRule` of `monitoring.coreos.com/v1` or a rule file, to the SLOs that
 * they were generated from. Returns whether every rule belongs to an SLO, and every SLO and all its alerts were converted.
 *
 * Source: the rules of Sloth (`slo:sli_error:ratio_rate5m`, labels `sloth_id`, `sloth_service`, `sloth_slo`) and of Pyrra
 * (`METRIC:burnrate5m`, label `slo`).
 */
export function* convertRules({ slos, others }: GeneratedRules, parts: ConversionParts): Parts<boolean> {
  let isComplete = others.length === 0
  for (const { path, issues } of others) {
    issues.add(
      path,
      "not_allowed_value",
      "is omitted: it is not a rule that Sloth or Pyrra generates for an SLO",
    )
  }
  const missing = new Set<string>()
  for (const slo of slos) {
    yield
    const service = slo.service ?? parts.options.service
    if (service !== undefined && !parts.services.has(service) && !missing.has(service)) {
      missing.add(service)
      const message = `requires the service ${service}, which is not in the documents; it must exist when the result is applied`
      slo.rules[0]?.issues.add(pathOf(slo), "not_found", message)
    }
    if (!convertRuleSlo(slo, service, parts)) isComplete = false
  }
  return isComplete
}

const pathOf = ({ rules: [first] }: RuleSlo): string => first?.path ?? ""

const convertRuleSlo = (
  slo: RuleSlo,
  service: string | undefined,
  { result, policies, options }: ConversionParts,
): boolean => {
  const omitted = (why: string): false => {
    slo.rules[0]?.issues.add(pathOf(slo), "document_invalid", `the SLO is omitted: ${why}`)
    return false
  }
  const ratio = shortestRatio(slo)
  if (ratio === undefined) return omitted("no rule records its error ratio")
  if (service === undefined) {
    return omitted("its rules have no label of a service; set one for all SLOs with --service")
  }
  const alerts = slo.rules.filter(({ alert }) => alert !== "").map((rule) => readAlert(rule, options.promql))
  const target = targetOf(slo, alerts)
  if (target === undefined) return omitted("no rule has its objective")
  const windowMs = windowMsOf(slo, alerts)
  if (windowMs === undefined) return omitted("no rule has its time window")
  const { issues } = ratio.rule
  const counts = countsOf(ratio, options.promql)
  if (counts === undefined) return omitted("its error ratio cannot be converted")
  const at = joinPaths(ratio.rule.path, "expr")
  const indicator = indicatorOf(counts.counts, options, issues, at)
  if (indicator === undefined) return false
  let isComplete = true
  const burnRates = alerts.flatMap(({ rule, rates, isAbsent }) => {
    if (rates !== undefined) return [alertOf(rule, rates)]
    const message = isAbsent
      ? "is omitted: add spec.anomalyConfig.noData with the alert methods to the SLO"
      : "is omitted: it is not an alert on burn rates that Sloth or Pyrra generates"
    rule.issues.add(rule.path, "not_allowed_value", message)
    isComplete = isComplete && isAbsent
    return []
  })
  const firstAlert = alerts[0]?.rule ?? ratio.rule
  const named = policies.namesOf(burnRates, firstAlert.issues, firstAlert.path)
  const own = Object.entries(ratio.rule.labels).filter(
    ([key]) =>
      !key.startsWith("sloth_") &&
      (slo.tool === "sloth" || (key !== "slo" && key !== "service" && !counts.constant.has(key))),
  )
  const labels =
    own.length > 0
      ? convertedLabels.read(Object.fromEntries(own), joinPaths(ratio.rule.path, "labels"), issues, undefined)
      : undefined
  const added = result.add(
    "SLO",
    {
      name: writtenNameOf(slo),
      ...(slo.tool === "sloth" && { displayName: slo.name }),
      ...(labels !== undefined && { labels }),
    },
    {
      service: result.nameOf("Service", service),
      budgetingMethod: "Occurrences",
      timeWindows: [windowOf(windowMs)],
      objectives: [{ target, ...("value" in counts.counts && { value: counts.counts.value }) }],
      indicator,
      ...(named.names.length > 0 && { alertPolicies: named.names }),
    },
    issues,
    () => ratio.rule.path,
  )
  result.addSourceRatio(added, counts.counts)
  return added !== undefined && named.isComplete && isComplete
}

interface RatioRule {
  readonly rule: PlacedRule
  readonly windowMs: number
}

/** The rule of the share of bad events over the shortest window. */
const shortestRatio = ({ rules }: RuleSlo): RatioRule | undefined =>
  rules
    .flatMap((rule) => {
      const windowMs = promqlDurationMs(ratioRecord.exec(rule.record)?.[1])
      return windowMs === undefined ? [] : [{ rule, windowMs }]
    })
    .toSorted((a, b) => a.windowMs - b.windowMs)[0]

/** Reads the ratio over one minute: the bad or good events by all where it divides them, otherwise the ratio. */
const countsOf = (
  { rule, windowMs }: RatioRule,
  promql: PromQlParser,
): { readonly counts: EventCounts; readonly constant: ReadonlySet<string> } | undefined => {
  const { issues } = rule
  const path = joinPaths(rule.path, "expr")
  const written = readSourceQuery(promql, rule.expr, path, issues)
  if (written === undefined) return undefined
  const ranges = partsOf(written.root).flatMap((part) =>
    part.name === "MatrixSelector" || part.name === "SubqueryExpr"
      ? (part.getChild("DurationExpr") ?? [])
      : [],
  )
  if (ranges.some((range) => promqlDurationMs(textOf(written.text, range).trim()) !== windowMs)) {
    return issues.add(path, "invalid_format", "is omitted: it has a range other than the window of its rule")
  }
  const minute = ranges.map(({ from, to }) => ({ from, to, text: "1m" }))
  const whole = readSourceQuery(promql, replaced(written.text, minute), path, issues)
  if (whole === undefined) return undefined
  const constant = constantLabelsOf(whole)
  const counts = nativeCounts(whole) ?? dividedCounts(whole, promql, path, issues)
  if (counts !== "none") return counts && { counts, constant }
  const averaged = ratioCounts({ ...whole, path }, true, issues)
  if (averaged === undefined) return undefined
  issues.add(path, "not_allowed_value", "becomes one event a minute, whose bad share is the error ratio")
  return { counts: averaged, constant }
}

/** `bad / total`, or `1 - good / total`; `none` for other expressions. */
const dividedCounts = (
  { text, root }: SourceQuery,
  promql: PromQlParser,
  path: string,
  issues: IssueList,
): EventCounts | "none" | undefined => {
  const inner = unwrapped(root)
  const rest = withoutOne(text, inner)
  const division = rest ?? inner
  if (division.name !== "BinaryExpr" || division.getChild("Div") === null) return "none"
  if (division.getChild("MatchingModifierClause") !== null) return "none"
  const operands = operandsOf(division)
  const areEvents = operands.every((each) => partsOf(each).some((part) => counting.has(calledBy(text, part))))
  if (!areEvents) return "none"
  const [part, total] = operands.map((each) => readSourceQuery(promql, textOf(text, each), path, issues))
  if (part === undefined || total === undefined) return undefined
  return eventCounts(
    { part: { ...part, path }, isBad: rest === undefined, total: { ...total, path } },
    issues,
  )
}

/** Functions of which the sum over series is a number of events, or of events per second. */
const counting: ReadonlySet<string> = new Set(["rate", "increase", "count_over_time", "sum_over_time"])

/** `1 - histogram_fraction(0, BOUND, sum(rate(HISTOGRAM[1m])))`. */
const nativeCounts = ({ text, root }: SourceQuery): EventCounts | undefined => {
  const call = withoutOne(text, unwrapped(root))
  if (call === undefined || calledBy(text, call) !== "histogram_fraction") return undefined
  const [from, bound, histogram] = operandsOf(call)
  if (from === undefined || bound === undefined || histogram === undefined) return undefined
  const value = Number(textOf(text, bound))
  const selectors = partsOf(histogram).filter(({ name }) => name === "VectorSelector")
  const [selector] = selectors
  if (Number(textOf(text, from)) !== 0 || !(value > 0) || selector === undefined || selectors.length > 1)
    return undefined
  const labels = labelsOf({ text, root: histogram })
  if (!Array.isArray(labels)) return undefined
  return {
    histogram: { series: textOf(text, selector), type: "native" },
    value,
    ...(labels.length > 0 && { groupBy: labels }),
    sourceRatio: textOf(text, root).replaceAll("[1m]", "[1h]"),
  }
}

/** Of `1 - expression`, the expression. */
const withoutOne = (text: string, node: PromQlNode): PromQlNode | undefined => {
  if (node.name !== "BinaryExpr" || node.getChild("Sub") === null) return undefined
  const [left, right] = operandsOf(node)
  const isOne = left !== undefined && numberOf(text, left) === 1
  return isOne && right !== undefined ? unwrapped(right) : undefined
}

const numberOf = (text: string, node: PromQlNode): number | undefined => {
  const inner = unwrapped(node)
  const value = inner.name === "NumberDurationLiteral" ? Number(textOf(text, inner)) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

interface ReadAlert {
  readonly rule: PlacedRule
  readonly isAbsent: boolean
  /** `undefined` for an expression that is not recognized. */
  readonly rates?: ReadonlyArray<BurnRate>
  /** As its thresholds have it. */
  readonly target?: number
}

const readAlert = (rule: PlacedRule, promql: PromQlParser): ReadAlert => {
  const text = rule.expr
  const parsed = promql.parse(text)
  if (Result.isFailure(parsed) || isTooDeep(parsed.success)) return { rule, isAbsent: false }
  const isAbsent = partsOf(parsed.success).some((part) => calledBy(text, part) === "absent")
  const groups = alternativesOf(parsed.success).map((group) => {
    const [one, other, ...rest] = partsOf(group).flatMap((part) => thresholdOf(text, part) ?? [])
    if (one === undefined || other === undefined || rest.length > 0 || one.factor !== other.factor)
      return undefined
    const [shortMs, longMs] = [one.windowMs, other.windowMs].toSorted((a, b) => a - b)
    return shortMs === undefined || longMs === undefined
      ? undefined
      : { rate: { factor: one.factor, shortMs, longMs }, target: one.target }
  })
  const known = groups.filter((each) => each !== undefined)
  if (known.length === 0 || known.length < groups.length) return { rule, isAbsent }
  const [{ target } = { target: undefined }] = known
  return { rule, isAbsent, rates: known.map(({ rate }) => rate), ...(target !== undefined && { target }) }
}

/** The operands of `or`. */
const alternativesOf = (node: PromQlNode): ReadonlyArray<PromQlNode> => {
  const inner = unwrapped(node)
  return inner.name === "BinaryExpr" && inner.getChild("Or") !== null
    ? operandsOf(inner).flatMap(alternativesOf)
    : [inner]
}

/** `RECORD5m{…} > (14.4 * 0.001)`, or `RECORD5m{…} > (14 * (1-0.99))`. */
const thresholdOf = (text: string, node: PromQlNode) => {
  if (node.name !== "BinaryExpr" || node.getChild("Gtr") === null) return undefined
  const [left, right] = operandsOf(node)
  if (left === undefined || right === undefined) return undefined
  const names = partsOf(left).flatMap((part) =>
    part.name === "VectorSelector" ? (part.getChild("Identifier") ?? []) : [],
  )
  const [name] = names.map((each) => textOf(text, each))
  const windowMs = promqlDurationMs(ratioRecord.exec(name ?? "")?.[1])
  const product = unwrapped(right)
  if (windowMs === undefined || names.length > 1 || product.getChild("Mul") === null) return undefined
  const [times, budget] = operandsOf(product)
  const factor = times && numberOf(text, times)
  if (factor === undefined || budget === undefined) return undefined
  const rest = withoutOne(text, unwrapped(budget))
  return { windowMs, factor, target: rest && numberOf(text, rest) }
}

const alertOf = (
  { path, issues, labels, lasting }: PlacedRule,
  rates: ReadonlyArray<BurnRate>,
): BurnRateAlert => {
  const { sloth_severity: ofSloth, severity: written = "" } = labels
  const known = ofSloth === "page" ? "High" : ofSloth === "ticket" ? "Medium" : severityOfText(written)
  if (known === undefined) {
    const message = "becomes Medium: the severities are Low, Medium and High"
    issues.add(joinPaths(path, "labels.severity"), "not_allowed_value", message)
  }
  const lastsForMs = promqlDurationMs(lasting)
  return { severity: known ?? "Medium", rates, ...(lastsForMs !== undefined && { lastsForMs }) }
}

const targetOf = ({ rules }: RuleSlo, alerts: ReadonlyArray<ReadAlert>): number | undefined => {
  const recorded = constantOf(rules, "slo:objective:ratio") ?? constantOf(rules, "pyrra_objective")
  const target = recorded ?? alerts.find((each) => each.target !== undefined)?.target
  return target === undefined ? undefined : Number(target.toPrecision(12))
}

const windowMsOf = ({ tool, rules }: RuleSlo, alerts: ReadonlyArray<ReadAlert>): number | undefined => {
  if (tool === "sloth") {
    const days = constantOf(rules, "slo:time_period:days")
    return days === undefined ? undefined : days * dayMs
  }
  const seconds = constantOf(rules, "pyrra_window")
  if (seconds !== undefined) return seconds * 1000
  const exhaustions = alerts.flatMap(({ rule, rates: [rate] = [] }) => {
    const ms = promqlDurationMs(rule.labels["exhaustion"])
    return ms === undefined || rate === undefined ? [] : [ms * rate.factor]
  })
  const recorded = rules.flatMap(
    ({ record }) => promqlDurationMs(/:(?:increase|sum|count)(\d\w*)$/.exec(record)?.[1]) ?? [],
  )
  const longest = Math.max(...(recorded.length > 0 ? recorded : [0]))
  // Of rules in two steps, those of this document may record short increases only.
  return longest >= dayMs ? longest : exhaustions.find((ms) => ms >= dayMs)
}

/** The number that a rule records: `vector(0.99)`, or `0.99`. */
const constantOf = (rules: ReadonlyArray<PlacedRule>, record: string): number | undefined => {
  const found = rules.find((rule) => rule.record === record)
  const [, number = ""] =
    /^\s*(?:vector\s*\(\s*)?([\d.]+(?:e[-+]?\d+)?)\s*\)?\s*$/i.exec(found?.expr ?? "") ?? []
  const value = Number(number)
  return number !== "" && Number.isFinite(value) ? value : undefined
}
