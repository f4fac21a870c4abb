import type { Severity } from "@tocsin/domain/alerting"
import {
  boolean,
  dayMs,
  hourMs,
  isObject,
  type IssueList,
  minuteMs,
  nameMaxCharacters,
  string,
} from "@tocsin/domain/codec"
import { groupLabels, noDataAlertAfterMaxMs, noDataAlertAfterMinMs } from "@tocsin/domain/definitions"
import { type Annotations, description, type Labels } from "@tocsin/domain/kernel"
import { severityOfText } from "../SeverityText.ts"
import type { BurnRate, BurnRateAlert } from "./BurnRatePolicies.ts"
import type { ConversionParts, Source } from "./Conversion.ts"
import { lenientObjectOf, objectOf, type Rule } from "./ObjectRule.ts"
import { convertedAnnotations, convertedLabels, logLost, writtenName } from "./OpenSloMetadata.ts"
import { indicatorOf } from "./OpenSloSlo.ts"
import { shareOfPercent } from "./SlothSlos.ts"
import { type EventCounts, eventCounts } from "./EventQueries.ts"
import { type PromQlParser, textOf, unwrapped } from "./PromQlNode.ts"
import { readSourceQuery, sourceQuery } from "./SourceQuery.ts"

/**
 * Converts a Pyrra document: the Kubernetes resource `ServiceLevelObjective` of `pyrra.dev/v1alpha1`. Returns whether
 * the SLO and all its alerts were converted.
 *
 * Source: Pyrra, package `kubernetes/api/v1alpha1`.
 */
export const convertPyrra = ({ value, issues }: Source, parts: ConversionParts): boolean => {
  const { result, policies, services, options } = parts
  const resource = lenientObjectOf((reader) => {
    const metadata = reader.required("metadata", pyrraMetadata)
    const spec = reader.required("spec", pyrraSpec(options.promql))
    const service = metadata?.service ?? options.service
    if (metadata !== undefined && service === undefined) {
      const message =
        "has no label pyrra.dev/service, and an SLO requires a service; set one for all SLOs with --service"
      issues.add("metadata.labels", "required", message)
    }
    if (metadata === undefined || spec === undefined || service === undefined) return omitted(issues)
    const indicator = indicatorOf(spec.counts, options, issues, "spec.indicator")
    if (indicator === undefined) return false
    if (!services.has(service)) {
      const message = `requires the service ${service}, which is not in the documents; it must exist when the result is applied`
      issues.add("metadata", "not_found", message)
    }
    const burnRates = pyrraAlertsOf(spec.windowMs, spec.alerting)
    const alerts = policies.namesOf(burnRates, issues, "spec.alerting")
    const noData = noDataOf(spec, issues)
    const { service: _, ...named } = metadata
    const added = result.add(
      "SLO",
      named,
      {
        ...(spec.description !== undefined && { description: spec.description }),
        service: result.nameOf("Service", service),
        budgetingMethod: "Occurrences",
        timeWindows: [windowOf(spec.windowMs)],
        objectives: [{ target: spec.target, ...("value" in spec.counts && { value: spec.counts.value }) }],
        indicator,
        ...(alerts.names.length > 0 && { alertPolicies: alerts.names }),
        ...(noData !== undefined && { anomalyConfig: { noData } }),
      },
      issues,
      (at) => placeInPyrra.find(([pattern]) => pattern.test(at))?.[1] ?? at,
    )
    result.addSourceRatio(added, spec.counts)
    return added !== undefined && alerts.isComplete
  })
  return resource(value, "", issues) ?? false
}

const omitted = (issues: IssueList): false => {
  issues.add("", "document_invalid", "the SLO is omitted because a part that it requires is omitted")
  return false
}

/** Where a property of the definition comes from. */
const placeInPyrra: ReadonlyArray<readonly [RegExp, string]> = [
  [/^spec\.objectives/, "spec.target"],
  [/^spec\.timeWindows/, "spec.window"],
  [/^spec\.indicator/, "spec.indicator"],
  [/^spec\.anomalyConfig/, "spec.alerting.absent"],
]

interface PyrraMetadata {
  readonly name: string
  readonly service?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
}

/** Labels with this prefix become labels of the metrics and alerts, without the prefix. */
const labelPrefix = "pyrra.dev/"

const pyrraMetadata: Rule<PyrraMetadata> = lenientObjectOf((reader) => {
  const name = reader.required("name", writtenName)
  const written = reader.valueOf("labels")
  const entries = isObject(written) ? Object.entries(written) : []
  const carried = entries.filter(([key]) => key.startsWith(labelPrefix))
  for (const [key] of entries) {
    if (key.startsWith(labelPrefix)) continue
    const message = "is omitted: only labels that begin with pyrra.dev/ belong to the SLO"
    reader.issues.add(
      `${reader.at("labels")}[${JSON.stringify(key.slice(0, 64))}]`,
      "not_allowed_value",
      message,
    )
  }
  const own = Object.fromEntries(carried.map(([key, value]) => [key.slice(labelPrefix.length), value]))
  const { service, ...rest } = own
  const labels =
    Object.keys(rest).length > 0 ? convertedLabels(rest, reader.at("labels"), reader.issues) : undefined
  const notes = reader.valueOf("annotations")
  const kept = isObject(notes)
    ? Object.fromEntries(Object.entries(notes).filter(([key]) => !key.startsWith("kubectl.kubernetes.io/")))
    : {}
  const annotations =
    Object.keys(kept).length > 0
      ? convertedAnnotations(kept, reader.at("annotations"), reader.issues)
      : undefined
  if (name === undefined) return undefined
  return {
    name,
    ...(typeof service === "string" && service !== "" && { service }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  }
})

interface PyrraSpec {
  readonly description?: string
  /** A share. */
  readonly target: number
  readonly windowMs: number
  readonly counts: EventCounts
  readonly alerting: PyrraAlerting
}

const pyrraSpec = (promql: PromQlParser): Rule<PyrraSpec> =>
  objectOf((reader) => {
    const said = reader.optional("description", description.read)
    const target = reader.required("target", percentText)
    const windowMs = reader.required("window", promqlDuration)
    const counts = reader.required("indicator", pyrraIndicator(promql))
    const alerting = reader.optional("alerting", pyrraAlerting) ?? allAlerts
    // These configure the rules that Pyrra generates, which are not needed here.
    for (const name of ["partial_response_strategy", "performanceOverAccuracy", "ruleOutput"])
      reader.ignore(name)
    if (target === undefined || windowMs === undefined || counts === undefined) return undefined
    return { ...(said !== undefined && { description: said }), target, windowMs, counts, alerting }
  })

/** Kubernetes has no decimal numbers, so the target is written as a string. */
const percentText: Rule<number> = (value, path, issues) => {
  const text = String(value).trim()
  const percent = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(percent <= 100)) {
    return issues.add(path, "invalid_format", "must be a percentage from 0 to 100, such as 99.5")
  }
  return shareOfPercent(percent)
}

/** A duration of Prometheus in whole minutes, such as `4w` or `1d12h`. */
const promqlDuration: Rule<number> = (value, path, issues) =>
  promqlDurationMs(value) ??
  issues.add(path, "invalid_format", "must be a duration of whole minutes, such as 4w or 30d")

/** `undefined` for another value, and for no time. */
export const promqlDurationMs = (value: unknown): number | undefined => {
  const text = typeof value === "string" ? value : ""
  const [, years, weeks, days, hours, minutes] =
    /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:\d+s)?$/.exec(text) ?? []
  const ms =
    (Number(years ?? 0) * 365 + Number(weeks ?? 0) * 7 + Number(days ?? 0)) * dayMs +
    Number(hours ?? 0) * hourMs +
    Number(minutes ?? 0) * minuteMs
  return ms > 0 && !/[1-9]\d*s$/.test(text) ? ms : undefined
}

export const windowOf = (ms: number): object => {
  const [unit, length] = ms % dayMs === 0 ? ["Day", dayMs] : ["Minute", minuteMs]
  return { unit, count: ms / Number(length), isRolling: true }
}

const pyrraIndicator = (promql: PromQlParser): Rule<EventCounts> =>
  objectOf((reader) => {
    const kinds = { ratio, latency, latencyNative, bool_gauge: boolGauge }
    const given = Object.keys(kinds).filter((name) => reader.has(name))
    if (given.length !== 1) {
      for (const name of Object.keys(kinds)) reader.ignore(name)
      const message = "must have exactly one of ratio, latency, latencyNative and bool_gauge"
      return reader.issues.add(reader.path, "mutually_exclusive", message)
    }
    const read = Object.entries(kinds).map(([name, kind]) =>
      reader.optional(name, indicatorRule(kind, promql)),
    )
    return read.find((counts) => counts !== undefined)
  })

/** Reads an indicator, of one series or of one for each value of labels. */
type IndicatorKind = (
  query: (name: string) => string | undefined,
  read: (name: string, rule: Rule<number>) => number | undefined,
  groupBy: ReadonlyArray<string>,
  counted: (queries: { readonly good: string; readonly total: string }) => EventCounts | undefined,
) => EventCounts | undefined

const indicatorRule = (kind: IndicatorKind, promql: PromQlParser): Rule<EventCounts> =>
  objectOf((reader) => {
    const written = reader.valueOf("grouping")
    const isGrouped = Array.isArray(written) && written.length > 0
    const groupBy = isGrouped ? reader.optional("grouping", (...given) => groupLabels.read(...given)) : []
    const metric = objectOf((of) => of.required("metric", metricSelector(promql)))
    const counts = kind(
      (name) => reader.required(name, name === "metric" ? metricSelector(promql) : metric),
      (name, rule) => reader.required(name, rule),
      groupBy ?? [],
      ({ good, total }) => {
        const [part, all] = [good, total].map((query) =>
          readSourceQuery(promql, query, reader.path, reader.issues),
        )
        if (part === undefined || all === undefined) return undefined
        const parts = {
          part: { ...part, path: reader.path },
          isBad: false,
          total: { ...all, path: reader.path },
        }
        return eventCounts(parts, reader.issues)
      },
    )
    if (counts === undefined || groupBy === undefined) return undefined
    return isGrouped ? { ...counts, groupBy } : counts
  })

const metricSelector =
  (promql: PromQlParser): Rule<string> =>
  (value, path, issues) => {
    const query = sourceQuery(promql)(value, path, issues)
    if (query === undefined) return undefined
    const inner = unwrapped(query.root)
    if (inner.name === "VectorSelector") return textOf(query.text, inner)
    return issues.add(path, "invalid_format", "must be a metric with its labels, without functions")
  }

const sumOf = (expression: string, groupBy: ReadonlyArray<string>): string =>
  groupBy.length === 0 ? `sum(${expression})` : `sum by (${groupBy.join(", ")}) (${expression})`

const increaseOf = (metric: string, groupBy: ReadonlyArray<string>, range = "1m"): string =>
  sumOf(`increase(${metric}[${range}])`, groupBy)

const ratio: IndicatorKind = (query, _, groupBy) => {
  const [errors, all] = [query("errors"), query("total")]
  if (errors === undefined || all === undefined) return undefined
  const [bad, total] = [increaseOf(errors, groupBy), increaseOf(all, groupBy)]
  // Without errors there may be no series of them.
  return {
    bad: groupBy.length === 0 ? `(${bad}) or vector(0)` : `(${bad}) or (${total}) * 0`,
    total,
    sourceRatio: `(${increaseOf(errors, groupBy, "1h")}) / (${increaseOf(all, groupBy, "1h")})`,
  }
}

const latency: IndicatorKind = (query, _, groupBy, counted) => {
  const [success, total] = [query("success"), query("total")]
  if (success === undefined || total === undefined) return undefined
  return counted({ good: increaseOf(success, groupBy), total: increaseOf(total, groupBy) })
}

const latencyNative: IndicatorKind = (query, read, groupBy) => {
  const [series, ms] = [query("total"), read("latency", latencyDuration)]
  if (series === undefined || ms === undefined) return undefined
  const value = ms / 1000
  const sourceRatio = `1 - histogram_fraction(0, ${value}, ${increaseOf(series, groupBy, "1h")})`
  return { histogram: { series, type: "native" }, value, sourceRatio }
}

const latencyDuration: Rule<number> = (value, path, issues) => {
  const [, minutes, seconds, milliseconds] =
    typeof value === "string" ? (/^(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(value) ?? []) : []
  const ms = Number(minutes ?? 0) * minuteMs + Number(seconds ?? 0) * 1000 + Number(milliseconds ?? 0)
  return ms > 0 ? ms : issues.add(path, "invalid_format", "must be a duration, such as 1s or 250ms")
}

/** Each sample of the gauge is an event, which is good if it is 1. */
const boolGauge: IndicatorKind = (query, _, groupBy) => {
  const metric = query("metric")
  if (metric === undefined) return undefined
  return {
    good: sumOf(`sum_over_time(${metric}[1m])`, groupBy),
    total: sumOf(`count_over_time(${metric}[1m])`, groupBy),
    sourceRatio: `1 - ${sumOf(`sum_over_time(${metric}[1h])`, groupBy)} / ${sumOf(`count_over_time(${metric}[1h])`, groupBy)}`,
  }
}

interface PyrraAlerting {
  readonly burnRates: boolean
  /** Whether missing metrics alert, which `disabled` does not change. */
  readonly absent: boolean
  readonly severities: Readonly<Partial<Record<TierName, Severity>>>
}

const allAlerts: PyrraAlerting = { burnRates: true, absent: true, severities: {} }

const pyrraAlerting: Rule<PyrraAlerting> = objectOf((reader) => {
  const isDisabled = reader.optional("disabled", boolean.read) ?? false
  const burnRates = reader.optional("burnrates", boolean.read) ?? true
  logLost(reader, ["name", "absentName"], "is omitted: alert policies are shared by SLOs")
  const absent = reader.optional("absent", boolean.read) ?? true
  const severities = reader.optional("severities", tierSeverities)
  return { burnRates: burnRates && !isDisabled, absent, severities: severities ?? {} }
})

type TierName = "fastBurn" | "mediumBurn" | "slowBurn" | "longTermBurn"

const tierSeverities: Rule<PyrraAlerting["severities"]> = objectOf((reader) => {
  logLost(reader, ["absent"], "is omitted: alerts on missing data have no severity")
  const severities: Partial<Record<TierName, Severity>> = {}
  for (const { name } of pyrraAlerts) {
    const written = reader.optional(name, string({ max: nameMaxCharacters }).read)
    if (written === undefined) continue
    const severity = severityOfText(written) ?? "Medium"
    severities[name] = severity
    if (severity.toLowerCase() === written.toLowerCase()) continue
    const message = `becomes ${severity}: the severities are Low, Medium and High`
    reader.issues.add(reader.at(name), "not_allowed_value", message)
  }
  return severities
})

/** The alerts of a window of 28 days; those of other windows are longer or shorter in proportion. */
const pyrraAlerts = [
  {
    name: "fastBurn",
    severity: "High",
    factor: 14,
    longMs: hourMs,
    shortMs: 5 * minuteMs,
    forMs: 2 * minuteMs,
  },
  {
    name: "mediumBurn",
    severity: "High",
    factor: 7,
    longMs: 6 * hourMs,
    shortMs: 30 * minuteMs,
    forMs: 15 * minuteMs,
  },
  { name: "slowBurn", severity: "Medium", factor: 2, longMs: dayMs, shortMs: 2 * hourMs, forMs: hourMs },
  {
    name: "longTermBurn",
    severity: "Medium",
    factor: 1,
    longMs: 4 * dayMs,
    shortMs: 6 * hourMs,
    forMs: 3 * hourMs,
  },
] as const satisfies ReadonlyArray<
  BurnRate & { readonly name: TierName; readonly severity: Severity; readonly forMs: number }
>

/** A length of the alerts of a window of 28 days, for another window. */
const scaledTo =
  (windowMs: number) =>
  (ms: number): number =>
    Math.round((ms * windowMs) / (28 * dayMs) / minuteMs) * minuteMs

/**
 * The alert on a missing metric. Pyrra waits as long as the fastest burn rate alert would take if all events were bad: until they
 * exceed its burn rate over its long window, and then its `for`.
 */
const noDataOf = (
  { target, windowMs, alerting }: PyrraSpec,
  issues: IssueList,
): { readonly alertMethods: ReadonlyArray<never>; readonly alertAfter: string } | undefined => {
  if (!alerting.absent) return undefined
  const scaled = scaledTo(windowMs)
  const [{ factor, longMs, forMs }] = pyrraAlerts
  const waitMs = Math.round((factor * (1 - target) * scaled(longMs)) / minuteMs) * minuteMs + scaled(forMs)
  const alertAfterMs = Math.min(Math.max(waitMs, noDataAlertAfterMinMs), noDataAlertAfterMaxMs)
  const alertAfter = `${alertAfterMs / minuteMs}m`
  const message = `becomes spec.anomalyConfig.noData, which alerts after ${alertAfter} without data, without alert methods; add alertMethods to it before you apply the result`
  issues.add("spec.alerting.absent", "not_allowed_value", message)
  return { alertMethods: [], alertAfter }
}

const pyrraAlertsOf = (
  windowMs: number,
  { burnRates, severities }: PyrraAlerting,
): ReadonlyArray<BurnRateAlert> => {
  if (!burnRates) return []
  const scaled = scaledTo(windowMs)
  return pyrraAlerts.map(({ name, severity, factor, longMs, shortMs, forMs }) => ({
    severity: severities[name] ?? severity,
    rates: [{ factor, longMs: scaled(longMs), shortMs: scaled(shortMs) }],
    ...(scaled(forMs) > 0 && { lastsForMs: scaled(forMs) }),
  }))
}
