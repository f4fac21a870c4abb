import type { Severity } from "@tocsin/domain/alerting"
import {
  boolean,
  type Codec,
  dayMs,
  type Fields,
  type FieldTypes,
  hourMs,
  isGiven,
  isObject,
  type IssueList,
  minuteMs,
  nameMaxCharacters,
  optional,
  string,
  type TypeOf,
} from "@tocsin/domain/codec"
import { groupLabels, noDataAlertAfterMaxMs, noDataAlertAfterMinMs } from "@tocsin/domain/definitions"
import { description } from "@tocsin/domain/kernel"
import { severityOfText } from "../SeverityText.ts"
import type { BurnRate, BurnRateAlert } from "./BurnRatePolicies.ts"
import type { ConversionParts, Source } from "./Conversion.ts"
import { anything, foreign, foreignObject, lost } from "./Foreign.ts"
import { convertedAnnotations, convertedLabels, writtenName } from "./OpenSloMetadata.ts"
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
  const read = pyrraResource(options.promql).read(value, "", issues, undefined)
  const { metadata, spec } = read ?? {}
  const service = metadata?.service ?? options.service
  if (metadata !== undefined && service === undefined) {
    const message =
      "has no label pyrra.dev/service, and an SLO requires a service; set one for all SLOs with --service"
    issues.add("metadata.labels", "required", message)
  }
  if (read === undefined) return false
  if (metadata === undefined || spec === undefined || service === undefined) return omitted(issues)
  const indicator = indicatorOf(spec.indicator, options, issues, "spec.indicator")
  if (indicator === undefined) return false
  if (!services.has(service)) {
    const message = `requires the service ${service}, which is not in the documents; it must exist when the result is applied`
    issues.add("metadata", "not_found", message)
  }
  const burnRates = pyrraAlertsOf(spec)
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
      timeWindows: [windowOf(spec.window)],
      objectives: [
        { target: spec.target, ...("value" in spec.indicator && { value: spec.indicator.value }) },
      ],
      indicator,
      ...(alerts.names.length > 0 && { alertPolicies: alerts.names }),
      ...(noData !== undefined && { anomalyConfig: { noData } }),
    },
    issues,
    (at) => placeInPyrra.find(([pattern]) => pattern.test(at))?.[1] ?? at,
  )
  result.addSourceRatio(added, spec.indicator)
  return added !== undefined && alerts.isComplete
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

/** Labels with this prefix become labels of the metrics and alerts, without the prefix. */
const labelPrefix = "pyrra.dev/"

const pyrraMetadata = foreignObject(
  { name: writtenName, labels: optional(anything), annotations: optional(anything) },
  { isOpen: true },
).to((whole, { value, at, issues }) => {
  const entries = isObject(value.labels) ? Object.entries(value.labels) : []
  const carried = entries.filter(([key]) => key.startsWith(labelPrefix))
  for (const [key] of entries) {
    if (key.startsWith(labelPrefix)) continue
    const message = "is omitted: only labels that begin with pyrra.dev/ belong to the SLO"
    issues.add(`${at("labels")}[${JSON.stringify(key.slice(0, 64))}]`, "not_allowed_value", message)
  }
  const own = Object.fromEntries(carried.map(([key, each]) => [key.slice(labelPrefix.length), each]))
  const { service, ...rest } = own
  const labels =
    Object.keys(rest).length > 0 ? convertedLabels.read(rest, at("labels"), issues, undefined) : undefined
  const notes = isObject(value.annotations) ? Object.entries(value.annotations) : []
  const kept = notes.filter(([key]) => !key.startsWith("kubectl.kubernetes.io/"))
  const annotations =
    kept.length > 0
      ? convertedAnnotations.read(Object.fromEntries(kept), at("annotations"), issues, undefined)
      : undefined
  return (
    whole && {
      name: whole.name,
      ...(typeof service === "string" && service !== "" && { service }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    }
  )
})

type PyrraSpec = TypeOf<ReturnType<typeof pyrraSpec>>

const pyrraResource = (promql: PromQlParser) => {
  const fields = { metadata: pyrraMetadata, spec: pyrraSpec(promql) }
  return foreignObject(fields, { isOpen: true }).to((_, { value }) => value)
}

/** These configure the rules that Pyrra generates, which are not needed here. */
const ignored = ["partial_response_strategy", "performanceOverAccuracy", "ruleOutput"]

const pyrraSpec = (promql: PromQlParser) =>
  foreignObject(
    {
      description: optional(description),
      target: percentText,
      window: promqlDuration,
      indicator: pyrraIndicator(promql),
      alerting: optional(pyrraAlerting),
    },
    { ignored },
  ).to((whole) => whole && { ...whole, alerting: whole.alerting ?? allAlerts })

/** Kubernetes has no decimal numbers, so the target is written as a string. */
const percentText = foreign<number>((value, path, issues) => {
  const text = String(value).trim()
  const percent = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(percent <= 100)) {
    return issues.add(path, "invalid_format", "must be a percentage from 0 to 100, such as 99.5")
  }
  return shareOfPercent(percent)
})

/** A duration of Prometheus in whole minutes, such as `4w` or `1d12h`. */
const promqlDuration = foreign<number>(
  (value, path, issues) =>
    promqlDurationMs(value) ??
    issues.add(path, "invalid_format", "must be a duration of whole minutes, such as 4w or 30d"),
)

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

const pyrraIndicator = (promql: PromQlParser): Codec<EventCounts> => {
  const kinds = indicatorKinds(promql)
  const names = Object.keys(kinds)
  const one = foreignObject(kinds).to((_, { value }) => Object.values(value)[0])
  const unread = Object.fromEntries(names.map((name) => [name, optional(anything)]))
  const other = foreignObject(unread).to((_, { path, issues }): EventCounts | undefined => {
    const message = "must have exactly one of ratio, latency, latencyNative and bool_gauge"
    return issues.add(path, "mutually_exclusive", message)
  })
  return foreign((value, ...at) => {
    const given = isObject(value) ? names.filter((name) => isGiven(value[name])) : []
    return (given.length === 1 ? one : other).read(value, ...at)
  })
}

/** The indicators by name, each of one series or of one for each value of labels. */
const indicatorKinds = (promql: PromQlParser) => {
  const selector = metricSelector(promql)
  const metric = foreignObject({ metric: selector }).to((whole) => whole?.metric)
  const counted = (good: string, total: string, { path, issues }: Place): EventCounts | undefined => {
    const [part, all] = [good, total].map((query) => readSourceQuery(promql, query, path, issues))
    if (part === undefined || all === undefined) return undefined
    return eventCounts({ part: { ...part, path }, isBad: false, total: { ...all, path } }, issues)
  }
  return {
    ratio: indicatorOfFields({ errors: metric, total: metric }, ({ errors, total: all }, groupBy) => {
      const [bad, total] = [increaseOf(errors, groupBy), increaseOf(all, groupBy)]
      // Without errors there may be no series of them.
      return {
        bad: groupBy.length === 0 ? `(${bad}) or vector(0)` : `(${bad}) or (${total}) * 0`,
        total,
        sourceRatio: `(${increaseOf(errors, groupBy, "1h")}) / (${increaseOf(all, groupBy, "1h")})`,
      }
    }),
    latency: indicatorOfFields({ success: metric, total: metric }, ({ success, total }, groupBy, place) =>
      counted(increaseOf(success, groupBy), increaseOf(total, groupBy), place),
    ),
    latencyNative: indicatorOfFields(
      { total: metric, latency: latencyDuration },
      ({ total: series, latency: ms }, groupBy) => {
        const value = ms / 1000
        const sourceRatio = `1 - histogram_fraction(0, ${value}, ${increaseOf(series, groupBy, "1h")})`
        return { histogram: { series, type: "native" }, value, sourceRatio }
      },
    ),
    // Each sample of the gauge is an event, which is good if it is 1.
    bool_gauge: indicatorOfFields({ metric: selector }, ({ metric: gauge }, groupBy) => {
      const over = (name: string, range: string) => sumOf(`${name}_over_time(${gauge}[${range}])`, groupBy)
      return {
        good: over("sum", "1m"),
        total: over("count", "1m"),
        sourceRatio: `1 - ${over("sum", "1h")} / ${over("count", "1h")}`,
      }
    }),
  }
}

type Place = { readonly path: string; readonly issues: IssueList }

const indicatorOfFields = <const F extends Fields>(
  fields: F,
  countsOf: (read: FieldTypes<F>, groupBy: ReadonlyArray<string>, place: Place) => EventCounts | undefined,
) =>
  optional(
    foreignObject({ grouping, ...fields }).to((whole, place): EventCounts | undefined => {
      if (whole === undefined) return undefined
      const { grouping: groupBy, ...read } = whole as FieldTypes<F> &
        FieldTypes<{ grouping: typeof grouping }>
      const counts = countsOf(read as unknown as FieldTypes<F>, groupBy, place)
      return counts === undefined || groupBy.length === 0 ? counts : { ...counts, groupBy }
    }),
  )

const grouping = {
  ...foreign<ReadonlyArray<string>>((value, ...at) =>
    Array.isArray(value) && value.length > 0 ? groupLabels.read(value, ...at) : [],
  ),
  readsAbsent: true as const,
}

const metricSelector = (promql: PromQlParser): Codec<string> =>
  foreign((value, path, issues, context) => {
    const query = sourceQuery(promql).read(value, path, issues, context)
    if (query === undefined) return undefined
    const inner = unwrapped(query.root)
    if (inner.name === "VectorSelector") return textOf(query.text, inner)
    return issues.add(path, "invalid_format", "must be a metric with its labels, without functions")
  })

const sumOf = (expression: string, groupBy: ReadonlyArray<string>): string =>
  groupBy.length === 0 ? `sum(${expression})` : `sum by (${groupBy.join(", ")}) (${expression})`

const increaseOf = (metric: string, groupBy: ReadonlyArray<string>, range = "1m"): string =>
  sumOf(`increase(${metric}[${range}])`, groupBy)

const latencyDuration = foreign<number>((value, path, issues) => {
  const [, minutes, seconds, milliseconds] =
    typeof value === "string" ? (/^(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(value) ?? []) : []
  const ms = Number(minutes ?? 0) * minuteMs + Number(seconds ?? 0) * 1000 + Number(milliseconds ?? 0)
  return ms > 0 ? ms : issues.add(path, "invalid_format", "must be a duration, such as 1s or 250ms")
})

interface PyrraAlerting {
  readonly burnRates: boolean
  /** Whether missing metrics alert, which `disabled` does not change. */
  readonly absent: boolean
  readonly severities: Readonly<Partial<Record<TierName, Severity>>>
}

const allAlerts: PyrraAlerting = { burnRates: true, absent: true, severities: {} }

type TierName = "fastBurn" | "mediumBurn" | "slowBurn" | "longTermBurn"

const tierSeverity = optional(
  foreign<Severity>((value, path, issues, context) => {
    const written = string({ max: nameMaxCharacters }).read(value, path, issues, context)
    if (written === undefined) return undefined
    const severity = severityOfText(written) ?? "Medium"
    if (severity.toLowerCase() !== written.toLowerCase()) {
      const message = `becomes ${severity}: the severities are Low, Medium and High`
      issues.add(path, "not_allowed_value", message)
    }
    return severity
  }),
)

const tierSeverities = foreignObject({
  absent: lost("is omitted: alerts on missing data have no severity"),
  fastBurn: tierSeverity,
  mediumBurn: tierSeverity,
  slowBurn: tierSeverity,
  longTermBurn: tierSeverity,
})

const shared = lost("is omitted: alert policies are shared by SLOs")

const pyrraAlerting = foreignObject({
  disabled: optional(boolean),
  burnrates: optional(boolean),
  name: shared,
  absentName: shared,
  absent: optional(boolean),
  severities: optional(tierSeverities),
}).to(
  (_, { value: { disabled = false, burnrates = true, absent = true, severities = {} } }): PyrraAlerting => ({
    burnRates: burnrates && !disabled,
    absent,
    severities,
  }),
)

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
  { target, window: windowMs, alerting }: PyrraSpec,
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

const pyrraAlertsOf = ({
  window: windowMs,
  alerting: { burnRates, severities },
}: PyrraSpec): ReadonlyArray<BurnRateAlert> => {
  if (!burnRates) return []
  const scaled = scaledTo(windowMs)
  return pyrraAlerts.map(({ name, severity, factor, longMs, shortMs, forMs }) => ({
    severity: severities[name] ?? severity,
    rates: [{ factor, longMs: scaled(longMs), shortMs: scaled(shortMs) }],
    ...(scaled(forMs) > 0 && { lastsForMs: scaled(forMs) }),
  }))
}
