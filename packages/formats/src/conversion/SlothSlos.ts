import type { Parts } from "@tocsin/domain/adapter"
import type { Severity } from "@tocsin/domain/alerting"
import {
  boolean,
  dayMs,
  hourMs,
  type Codec,
  isObject,
  type IssueList,
  joinPaths,
  list,
  minuteMs,
  number,
  optional,
} from "@tocsin/domain/codec"
import { rollingMs } from "@tocsin/domain/definitions"
import { description, type Labels } from "@tocsin/domain/kernel"
import type { BurnRateAlert } from "./BurnRatePolicies.ts"
import { type ConversionParts, defaultWindowOf, type Source } from "./Conversion.ts"
import { anything, foreign, foreignObject, lost, withProperty } from "./Foreign.ts"
import { convertedLabels, writtenName } from "./OpenSloMetadata.ts"
import { indicatorOf } from "./OpenSloSlo.ts"
import { type EventCounts, eventCounts, ratioCounts } from "./EventQueries.ts"
import type { PromQlParser } from "./PromQlNode.ts"
import { windowedQuery } from "./SourceQuery.ts"

/** The names of the SLOs of a Sloth document. They are unique within their service, so the service comes first. */
export const slothNames = ({ value, format }: Source): ReadonlyArray<string> => {
  const spec = format.name === "sloth" ? value : isObject(value) ? value["spec"] : undefined
  if (!isObject(spec) || !Array.isArray(spec["slos"])) return []
  return spec["slos"].flatMap((each: unknown) =>
    isObject(each) && typeof each["name"] === "string" && typeof spec["service"] === "string"
      ? [sloName(spec["service"], each["name"])]
      : [],
  )
}

export const sloName = (service: string, name: string): string => `${service}-${name}`

/**
 * Converts a Sloth document: `version: prometheus/v1`, or the Kubernetes resource `PrometheusServiceLevel`, whose fields
 * have the same names in camel case. Returns whether every SLO was converted.
 *
 * Source: Sloth, package `prometheus/api/v1` and `kubernetes/api/sloth/v1`.
 */
export function* convertSloth(source: Source, parts: ConversionParts): Parts<boolean> {
  let isComplete = true
  const slos = readSloth(source, parts)
  for (const convert of slos ?? []) {
    yield
    isComplete = convert() && isComplete
  }
  return slos !== undefined && isComplete
}

/** Converts one SLO. Returns whether it was converted. */
type SloConversion = () => boolean

const readSloth = (
  { value, format, issues }: Source,
  parts: ConversionParts,
): ReadonlyArray<SloConversion> | undefined => {
  if (format.name === "sloth") return slothSpec(parts, snakeCase).read(value, "", issues, undefined)
  const labels = lost("is omitted: spec.labels become the labels of the SLOs")
  const resource = foreignObject(
    {
      metadata: optional(foreignObject({ labels }, { isOpen: true })),
      spec: slothSpec(parts, camelCase),
    },
    { isOpen: true },
  ).to((whole) => whole?.spec)
  return resource.read(value, "", issues, undefined)
}

type FieldCase = (name: string) => string

const snakeCase: FieldCase = (name) => name
const camelCase: FieldCase = (name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const slothSpec = (parts: ConversionParts, field: FieldCase): Codec<ReadonlyArray<SloConversion>> =>
  foreignObject(
    {
      service: writtenName,
      labels: optional(convertedLabels),
      ...({ [field("slo_plugins")]: lost(pluginsMessage) } as object),
      slos: anything,
    },
    { ignored: ["version"] },
  ).to((whole, { value: { service }, at, issues, context }) => {
    if (service !== undefined && !parts.services.has(service)) {
      const message = "is not in the documents; it must exist when the result is applied"
      issues.add(at("service"), "not_found", message)
    }
    if (whole === undefined) return undefined
    const slo = slothSlo(whole, parts, field)
    const conversion = foreign<SloConversion>(
      (value, path) => () => slo.read(value, path, issues, context) ?? omitted(issues, path),
    )
    return list(conversion, { min: 1, max: slosMax }).read(whole.slos, at("slos"), issues, context)
  })

/** Most SLOs of one Sloth document. */
const slosMax = 1_000

const pluginsMessage = "is omitted: plugins are programs of Sloth; what they change must be changed here"

/** Returns whether the SLO and all its alerts were converted. */
const slothSlo = (
  { service, labels: shared }: { readonly service: string; readonly labels?: Labels },
  { result, policies, options }: ConversionParts,
  field: FieldCase,
): Codec<boolean> =>
  foreignObject({
    name: writtenName,
    description: optional(description),
    objective: number({}),
    labels: optional(convertedLabels),
    plugins: lost(pluginsMessage),
    sli: slothSli(field, options.promql),
    alerting: optional(slothAlerting(field)),
  }).to((whole, { path, at, issues }) => {
    if (whole === undefined) return omitted(issues, path)
    const { name, sli: counts, alerting: severities = bothAlerts } = whole
    const window = defaultWindowOf(options)
    const indicator = indicatorOf(counts, options, issues, at("sli"))
    if (indicator === undefined) return false
    const burnRates = slothAlertsOf(rollingMs(window)).filter(({ severity }) => severities.includes(severity))
    const alerts = policies.namesOf(burnRates, issues, at("alerting"))
    const labels = { ...shared, ...whole.labels }
    const added = result.add(
      "SLO",
      {
        name: sloName(service, name),
        displayName: name,
        ...(Object.keys(labels).length > 0 && { labels }),
      },
      {
        ...(whole.description !== undefined && { description: whole.description }),
        service: result.nameOf("Service", service),
        budgetingMethod: "Occurrences",
        timeWindows: [{ ...window, isRolling: true }],
        objectives: [
          { target: shareOfPercent(whole.objective), ...("value" in counts && { value: counts.value }) },
        ],
        indicator,
        ...(alerts.names.length > 0 && { alertPolicies: alerts.names }),
      },
      issues,
      (place) => joinPaths(path, placeInSlo.find(([pattern]) => pattern.test(place))?.[1] ?? ""),
    )
    result.addSourceRatio(added, counts)
    return added !== undefined && alerts.isComplete
  })

/** Where a property of the definition comes from. */
const placeInSlo: ReadonlyArray<readonly [RegExp, string]> = [
  [/^spec\.objectives\[0\]\.target/, "objective"],
  [/^spec\.indicator/, "sli"],
  [/^metadata\.labels/, "labels"],
  [/^metadata\.name/, "name"],
]

const omitted = (issues: IssueList, path: string): false => {
  issues.add(path, "document_invalid", "the SLO is omitted because a part that it requires is omitted")
  return false
}

/** 99.95 / 100 is no decimal fraction of as few digits. */
export const shareOfPercent = (percent: number): number => Number((percent / 100).toPrecision(15))

const slothSli = (field: FieldCase, promql: PromQlParser): Codec<EventCounts> => {
  const plugin = lost("is omitted: plugins are programs of Sloth; write the queries as sli.events")
  return withProperty<EventCounts>(
    "plugin",
    foreignObject({ plugin }).to((): EventCounts | undefined => undefined),
    foreignObject({
      plugin,
      raw: optional(slothRaw(field, promql)),
      events: optional(slothEvents(field, promql)),
    }).to((_, { value: { events, raw }, has, path, issues }) =>
      has("raw") || has("events") ? (events ?? raw) : issues.add(path, "required", "must have events or raw"),
    ),
  )
}

const slothEvents = (field: FieldCase, promql: PromQlParser): Codec<EventCounts> => {
  const query = windowedQuery(promql)
  return foreignObject({ [field("error_query")]: query, [field("total_query")]: query }).to(
    (_, { value, at, issues }) => {
      const [bad, total] = [field("error_query"), field("total_query")].map((name) => {
        const read = value[name]
        return read && { ...read, path: at(name) }
      })
      return bad && total && eventCounts({ part: bad, isBad: true, total }, issues)
    },
  )
}

const slothRaw = (field: FieldCase, promql: PromQlParser): Codec<EventCounts> => {
  const name = field("error_ratio_query")
  return foreignObject({ [name]: windowedQuery(promql) }).to((_, { value, at, issues }) => {
    const ratio = value[name]
    const counts = ratio && ratioCounts({ ...ratio, path: at(name) }, true, issues)
    if (counts === undefined) return undefined
    const message = "becomes one event a minute, whose bad share is the error ratio"
    issues.add(at(name), "not_allowed_value", message)
    return counts
  })
}

const bothAlerts: ReadonlyArray<Severity> = ["High", "Medium"]

const alertField = lost(
  "is omitted: alert policies are shared by SLOs, and alert methods have templates instead",
)
const alertFields = { name: alertField, labels: alertField, annotations: alertField }

const slothAlert = foreignObject({ ...alertFields, disable: optional(boolean) }).to(
  (_, { value }) => value.disable !== true,
)

/** The severities of the alerts that are not disabled. */
const slothAlerting = (field: FieldCase): Codec<ReadonlyArray<Severity>> => {
  const [page, ticket] = [field("page_alert"), field("ticket_alert")] as const
  return foreignObject({ ...alertFields, [page]: optional(slothAlert), [ticket]: optional(slothAlert) }).to(
    (_, { value }): ReadonlyArray<Severity> => {
      const alerts: Readonly<Record<string, unknown>> = value
      return bothAlerts.filter((severity) => alerts[severity === "High" ? page : ticket] !== false)
    },
  )
}

/** The alerts that Sloth generates: the share of the budget that is burned in the long window. */
const slothAlertsOf = (windowMs: number): ReadonlyArray<BurnRateAlert> =>
  slothAlerts.map(({ severity, rates }) => ({
    severity,
    rates: rates.map(({ budgetPercent, longMs, shortMs }) => ({
      factor: Number(((budgetPercent / 100) * (windowMs / longMs)).toPrecision(12)),
      longMs,
      shortMs,
    })),
  }))

const slothAlerts = [
  {
    severity: "High",
    rates: [
      { budgetPercent: 2, longMs: hourMs, shortMs: 5 * minuteMs },
      { budgetPercent: 5, longMs: 6 * hourMs, shortMs: 30 * minuteMs },
    ],
  },
  {
    severity: "Medium",
    rates: [
      { budgetPercent: 10, longMs: dayMs, shortMs: 2 * hourMs },
      { budgetPercent: 10, longMs: 3 * dayMs, shortMs: 6 * hourMs },
    ],
  },
] as const
