import * as Schema from "effect/Schema"
import { type Codec, once, type SealedSecrets } from "../codec/Codec.ts"
import { type PlainJson, plainJson } from "../codec/PlainJson.ts"
import { propertyPath } from "../codec/Issue.ts"
import { nearestName } from "../codec/NearestName.ts"
import { isObject } from "../codec/Leaves.ts"

/** Types of data sources whose documents are known, and which are not read. */
export const unsupportedSourceTypes = [
  "amazonPrometheus",
  "appDynamics",
  "atlas",
  "azureMonitor",
  "azurePrometheus",
  "bigQuery",
  "cloudWatch",
  "coralogix",
  "dash0",
  "datadog",
  "dynatrace",
  "elasticsearch",
  "gcm",
  "generic",
  "grafanaLoki",
  "graphite",
  "honeycomb",
  "influxdb",
  "instana",
  "lightstep",
  "logicMonitor",
  "newRelic",
  "opentsdb",
  "pingdom",
  "redshift",
  "splunk",
  "splunkObservability",
  "sumoLogic",
  "thousandEyes",
] as const

export type UnsupportedSourceType = (typeof unsupportedSourceTypes)[number]

/** What a data source, or a query of one, has for a type that is not read: kept as it was written. */
interface UnsupportedSource {
  readonly type: UnsupportedSourceType
  readonly json: PlainJson
}

/** A part of a document of one type of data sources. */
export type OfSourceType<P> = { readonly prometheus: P } | { readonly unsupported: UnsupportedSource }

/** Which types of data sources a definition may have. */
export interface SourceTypeContext extends SealedSecrets {
  /** Whether definitions of types that are not read are stored. Stored ones are always read. */
  readonly allowUnsupportedSources?: boolean
}

/** The types of data sources in a document, known or not, in its order. */
const sourceTypesOf = (document: PlainJson): ReadonlyArray<string> =>
  Object.keys(document).filter((name) => document[name] !== undefined && document[name] !== null)

/** Types of data sources, read or not. */
export const sourceTypes: ReadonlyArray<string> = ["prometheus", ...unsupportedSourceTypes]

/** Whether a property of an Agent or Direct is the type of its data source. */
export const isSourceType = (name: string): boolean => sourceTypes.includes(name)

const isUnsupportedType = (name: string): name is UnsupportedSourceType =>
  unsupportedSourceTypes.some((each) => each === name)

/** Why nothing is read from a data source of a type. */
export const unsupportedText = (type: UnsupportedSourceType): string =>
  `Data source type ${type} is not supported: only prometheus is read`

/** An object with one property, whose name is a type of data sources. `keep` is what is kept of a type that is not read. */
export const ofSourceType = <P, C, J>(
  prometheus: Codec<P, C, J>,
  keep: (json: PlainJson) => PlainJson = (json) => json,
): Codec<
  OfSourceType<P>,
  C & SourceTypeContext,
  { readonly prometheus?: J | undefined } & { readonly [T in UnsupportedSourceType]?: unknown }
> => ({
  read: (input, path, issues, context) => {
    if (!isObject(input)) return issues.add(path, "wrong_type", "must be an object")
    const types = sourceTypesOf(input)
    for (const type of types) {
      if (isSourceType(type)) continue
      const nearest = nearestName(type, sourceTypes)
      const advice = nearest === undefined ? "" : `; did you mean ${nearest}?`
      issues.add(propertyPath(path, type), "unknown_property", `is not a type of data sources${advice}`)
    }
    const known = types.filter(isSourceType)
    const [type, another] = known
    if (another !== undefined) {
      return issues.add(
        path,
        "mutually_exclusive",
        `must have one type of data source, not ${known.join(" and ")}`,
      )
    }
    if (type === undefined) {
      return types.length > 0
        ? undefined
        : issues.add(propertyPath(path, "prometheus"), "required", "is required")
    }
    const at = propertyPath(path, type)
    if (!isUnsupportedType(type)) {
      const read = prometheus.read(input[type], at, issues, context)
      return read === undefined ? undefined : { prometheus: read }
    }
    if (context.allowUnsupportedSources !== true && context.sealed === undefined) {
      const message = `Data source type ${type} is not supported; use prometheus. A server with TOCSIN_ALLOW_UNSUPPORTED_SOURCES stores it without reading it`
      return issues.add(at, "not_allowed_value", message)
    }
    const json = plainJson.read(input[type], at, issues, context)
    return json === undefined ? undefined : { unsupported: { type, json: keep(json) } }
  },
  write: (value, options) =>
    "prometheus" in value
      ? { prometheus: prometheus.write(value.prometheus, options) }
      : { [value.unsupported.type]: value.unsupported.json },
  schema: once(() =>
    Schema.Struct({
      prometheus: Schema.optionalKey(prometheus.schema()),
      ...Object.fromEntries(unsupportedSourceTypes.map((type) => [type, notRead])),
    }).annotate({ description: "Exactly one property, named after the type of the data source" }),
  ),
})

const notRead = Schema.optionalKey(
  Schema.Unknown.annotate({ description: "Stored only with TOCSIN_ALLOW_UNSUPPORTED_SOURCES, and not read" }),
)
