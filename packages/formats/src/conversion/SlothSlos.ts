import type { Parts } from "@tocsin/domain/adapter"
import type { Severity } from "@tocsin/domain/alerting"
import {
  boolean,
  dayMs,
  hourMs,
  isObject,
  type IssueList,
  joinPaths,
  minuteMs,
  number,
} from "@tocsin/domain/codec"
import { rollingMs } from "@tocsin/domain/definitions"
import { description, type Labels } from "@tocsin/domain/kernel"
import type { BurnRateAlert } from "./BurnRatePolicies.ts"
import { type ConversionParts, defaultWindowOf, type Source } from "./Conversion.ts"
import { lenientObjectOf, listOf, objectOf, type ObjectReader, type Rule } from "./ObjectRule.ts"
import { convertedLabels, logLost, writtenName } from "./OpenSloMetadata.ts"
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
  if (format.name === "sloth") return slothSpec(parts, snakeCase)(value, "", issues)
  const resource = lenientObjectOf((reader) => {
    reader.optional(
      "metadata",
      lenientObjectOf((metadata) => {
        const message = "is omitted: spec.labels become the labels of the SLOs"
        logLost(metadata, ["labels"], message)
      }),
    )
    return reader.required("spec", slothSpec(parts, camelCase))
  })
  return resource(value, "", issues)
}

type FieldCase = (name: string) => string

const snakeCase: FieldCase = (name) => name
const camelCase: FieldCase = (name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const slothSpec = (parts: ConversionParts, field: FieldCase): Rule<ReadonlyArray<SloConversion>> =>
  objectOf((reader) => {
    reader.ignore("version")
    const service = reader.required("service", writtenName)
    const labels = reader.optional("labels", convertedLabels)
    logLost(reader, [field("slo_plugins")], pluginsMessage)
    if (service === undefined) {
      reader.ignore("slos")
      return undefined
    }
    if (!parts.services.has(service)) {
      const message = "is not in the documents; it must exist when the result is applied"
      reader.issues.add(reader.at("service"), "not_found", message)
    }
    const slo = slothSlo({ service, labels }, parts, field)
    return reader.required(
      "slos",
      listOf<SloConversion>(
        (value, path, issues) => () => slo(value, path, issues) ?? omitted(issues, path),
        {
          min: 1,
          max: slosMax,
        },
      ),
    )
  })

/** Most SLOs of one Sloth document. */
const slosMax = 1_000

const pluginsMessage = "is omitted: plugins are programs of Sloth; what they change must be changed here"

/** Returns whether the SLO and all its alerts were converted. */
const slothSlo = (
  { service, labels: shared }: { readonly service: string; readonly labels: Labels | undefined },
  { result, policies, options }: ConversionParts,
  field: FieldCase,
): Rule<boolean> =>
  objectOf((reader) => {
    const { issues, path } = reader
    const name = reader.required("name", writtenName)
    const said = reader.optional("description", description.read)
    const percent = reader.required("objective", number({}).read)
    const own = reader.optional("labels", convertedLabels)
    logLost(reader, ["plugins"], pluginsMessage)
    const counts = reader.required("sli", slothSli(field, options.promql))
    const window = defaultWindowOf(options)
    const severities = reader.optional("alerting", slothAlerting(field)) ?? bothAlerts
    if (name === undefined || percent === undefined || counts === undefined) return omitted(issues, path)
    const indicator = indicatorOf(counts, options, issues, joinPaths(path, "sli"))
    if (indicator === undefined) return false
    const burnRates = slothAlertsOf(rollingMs(window)).filter(({ severity }) => severities.includes(severity))
    const alerts = policies.namesOf(burnRates, issues, reader.at("alerting"))
    const labels = { ...shared, ...own }
    const added = result.add(
      "SLO",
      {
        name: sloName(service, name),
        displayName: name,
        ...(Object.keys(labels).length > 0 && { labels }),
      },
      {
        ...(said !== undefined && { description: said }),
        service: result.nameOf("Service", service),
        budgetingMethod: "Occurrences",
        timeWindows: [{ ...window, isRolling: true }],
        objectives: [{ target: shareOfPercent(percent), ...("value" in counts && { value: counts.value }) }],
        indicator,
        ...(alerts.names.length > 0 && { alertPolicies: alerts.names }),
      },
      issues,
      (at) => joinPaths(path, placeInSlo.find(([pattern]) => pattern.test(at))?.[1] ?? ""),
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

const slothSli = (field: FieldCase, promql: PromQlParser): Rule<EventCounts> =>
  objectOf((reader) => {
    if (reader.has("plugin")) {
      const message = "is omitted: plugins are programs of Sloth; write the queries as sli.events"
      return reader.issues.add(reader.at("plugin"), "not_allowed_value", message)
    }
    const raw = reader.optional("raw", slothRaw(field, promql))
    const events = reader.optional("events", slothEvents(field, promql))
    if (reader.has("raw") || reader.has("events")) return events ?? raw
    return reader.issues.add(reader.path, "required", "must have events or raw")
  })

const slothEvents = (field: FieldCase, promql: PromQlParser): Rule<EventCounts> =>
  objectOf((reader) => {
    const [bad, total] = [field("error_query"), field("total_query")].map((name) => {
      const query = reader.required(name, windowedQuery(promql))
      return query && { ...query, path: reader.at(name) }
    })
    return bad && total && eventCounts({ part: bad, isBad: true, total }, reader.issues)
  })

const slothRaw = (field: FieldCase, promql: PromQlParser): Rule<EventCounts> =>
  objectOf((reader) => {
    const name = field("error_ratio_query")
    const ratio = reader.required(name, windowedQuery(promql))
    if (ratio === undefined) return undefined
    const counts = ratioCounts({ ...ratio, path: reader.at(name) }, true, reader.issues)
    if (counts === undefined) return undefined
    const message = "becomes one event a minute, whose bad share is the error ratio"
    reader.issues.add(reader.at(name), "not_allowed_value", message)
    return counts
  })

const bothAlerts: ReadonlyArray<Severity> = ["High", "Medium"]

/** Returns the severities of the alerts that are not disabled. */
const slothAlerting = (field: FieldCase): Rule<ReadonlyArray<Severity>> =>
  objectOf((reader) => {
    logLost(reader, alertFields, alertFieldsMessage)
    const isOn = (name: string) => reader.optional(field(name), slothAlert) ?? true
    const [page, ticket] = [isOn("page_alert"), isOn("ticket_alert")]
    return bothAlerts.filter((severity) => (severity === "High" ? page : ticket))
  })

const slothAlert: Rule<boolean> = objectOf((reader: ObjectReader) => {
  logLost(reader, alertFields, alertFieldsMessage)
  return !(reader.optional("disable", boolean.read) ?? false)
})

const alertFields = ["name", "labels", "annotations"]
const alertFieldsMessage =
  "is omitted: alert policies are shared by SLOs, and alert methods have templates instead"

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
