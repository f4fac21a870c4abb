import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { type Codec, described, hiddenValue, type JsonOf, once, type TypeOf } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { durationOf } from "../codec/Duration.ts"
import { boolean, isObject, literals, number } from "../codec/Leaves.ts"
import type { Issue } from "../codec/Issue.ts"
import { nearestName } from "../codec/NearestName.ts"
import type { PlainJson } from "../codec/PlainJson.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { description, objectName, unlabelledMetadata } from "../metadata/Metadata.ts"
import type { DataSource } from "./DataSource.ts"
import { isSourceType, ofSourceType, sourceTypes } from "./SourceType.ts"
import { plainOf } from "./Objectives.ts"
import type { Slo } from "./Slo.ts"
import { queriesOf, storedIndicatorName } from "./SourceMetrics.ts"

/** Longest query delay of an Agent or Direct, in milliseconds. */
const agentQueryDelayMaxMs = 86_400_000

/** Shortest step of an Agent or Direct, in seconds. */
const stepMinSeconds = 15

const amount = number({ min: 0, isInteger: true })

const delayUnitMs = { Second: 1_000, Minute: minuteMs } as const

/** Clients send it back as they received it. */
const ignored = ["minimumAgentVersion"]

const queryDelay = object(
  { value: amount, unit: literals(["Second", "Minute"]) },
  {
    ignored,
    rules: ({ value: { value, unit }, path, issues }) => {
      if (value === undefined || unit === undefined) return
      if (value * delayUnitMs[unit] <= agentQueryDelayMaxMs) return
      issues.add(path, "out_of_range", `must be at most ${agentQueryDelayMaxMs / minuteMs} minutes`)
    },
  },
)

const retrievalDuration = object({ value: amount, unit: literals(["Minute", "Hour", "Day"]) })

const historicalDataRetrieval = object(
  { maxDuration: retrievalDuration, defaultDuration: retrievalDuration },
  { ignored },
)

const settings = object(
  {
    description: optional(description),
    releaseChannel: optional(described(literals(["stable", "beta", "alpha"]), "Kept, and not used")),
    queryDelay: optional(
      described(queryDelay, "Time after the end of a minute at which the minute is queried, at least 15 s"),
    ),
    historicalDataRetrieval: optional(described(historicalDataRetrieval, "Kept, and not used")),
    logCollectionEnabled: optional(described(boolean, "Kept, and not used")),
  },
  // Clients send these back as they received them, or did before.
  { ignored: ["interval", "timeout", "jitter", "sourceOf"] },
)

/** Nothing logs in with the secrets of a data source that is not read, so they are not stored. */
const withoutSecrets = (json: PlainJson): PlainJson =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      if (isObject(value)) return [name, withoutSecrets(value)]
      return [name, typeof value === "string" && value !== "" && secretName.test(name) ? hiddenValue : value]
    }),
  )

const secretName = /(?:key|token|secret|password)$|^access(?:key)?id$/i

const source = ofSourceType(
  object({
    url: sourceUrl,
    step: optional(described(number({ min: stepMinSeconds, isInteger: true }), "Kept, and not used")),
  }),
  withoutSecrets,
)

type AgentSpec = TypeOf<typeof settings> & { readonly source: TypeOf<typeof source> }

type ContextOf<S> = S extends Codec<infer _, infer C> ? C : never

/** The settings, and one property that is named after the type of the data source. */
const agentSpec: Codec<
  AgentSpec,
  ContextOf<typeof settings> & ContextOf<typeof source>,
  JsonOf<typeof settings> & JsonOf<typeof source>
> = {
  read: (input, path, issues, context) => {
    if (!isObject(input)) return issues.add(path, "wrong_type", "must be an object")
    const isType = ([name]: readonly [string, unknown]): boolean => isSourceType(name) || isMisspeltType(name)
    const entries = Object.entries(input)
    const types = Object.fromEntries(entries.filter(isType))
    const others = Object.fromEntries(entries.filter((entry) => !isType(entry)))
    const readSettings = settings.read(others, path, issues, context)
    const readSource = source.read(types, path, issues, context)
    return readSettings && readSource && { ...readSettings, source: readSource }
  },
  write: ({ source: written, ...rest }, options) => ({
    ...(settings.write(rest, options) as object),
    ...(source.write(written, options) as object),
  }),
  schema: once(() => Schema.Struct({ ...fieldsOf(settings), ...fieldsOf(source) })),
}

/** Whether a property is neither a setting nor a type, and is nearer to a type. */
const isMisspeltType = (name: string): boolean => {
  const known = Object.keys(fieldsOf(settings))
  return !known.includes(name) && isSourceType(nearestName(name, [...known, ...sourceTypes]) ?? "")
}

const fieldsOf = (codec: Pick<Codec<never, never>, "schema">): Schema.Struct.Fields =>
  (codec.schema() as unknown as Schema.Struct<Schema.Struct.Fields>).fields

const agentMetadata: typeof unlabelledMetadata = {
  ...unlabelledMetadata,
  read: (input, path, issues, context) => {
    const read = unlabelledMetadata.read(input, path, issues, context)
    return read?.name === storedIndicatorName
      ? issues.add(`${path}.name`, "reserved", "is reserved; choose another name")
      : read
  },
}

/** A data source of one type, which is read at its URL without authentication if it is Prometheus. */
export const agent = definitionOf("Agent", {
  identifier: "AgentDefinition",
  metadata: agentMetadata,
  spec: agentSpec,
})

/** As an Agent; the clients distinguish who runs the queries, which is always the service here. */
export const direct = definitionOf("Direct", {
  identifier: "DirectDefinition",
  metadata: agentMetadata,
  spec: agentSpec,
})

/** An Agent or Direct: a data source whose queries are those of the objectives. */
export type MetricAgent = TypeOf<typeof agent> | TypeOf<typeof direct>

/** How to read an Agent or Direct; `undefined` for a type that is not read. */
export const serverOfAgent = ({ spec }: MetricAgent): DataSource["spec"]["prometheus"] | undefined => {
  if (!("prometheus" in spec.source)) return undefined
  const { url } = spec.source.prometheus
  const { queryDelay: delay } = spec
  if (delay === undefined) return { url, headers: [] }
  return { url, headers: [], queryDelay: durationOf(`${(delay.value * delayUnitMs[delay.unit]) / 1_000}s`) }
}

/** The property that is named after the type of a data source. */
export const typeOfAgent = ({ spec: { source } }: MetricAgent): string =>
  "prometheus" in source ? "prometheus" : source.unsupported.type

/** The type of a stored Agent or Direct stays, as the queries of SLOs are for it. */
const withSameType = <A extends MetricAgent>(
  agent: A,
  stored: MetricAgent | undefined,
): Result.Result<A, ReadonlyArray<Issue>> => {
  const type = typeOfAgent(agent)
  if (stored === undefined || typeOfAgent(stored) === type) return Result.succeed(agent)
  const message = `cannot replace the type ${typeOfAgent(stored)}; choose another name, or delete the ${agent.kind} first`
  return Result.fail([{ path: `spec.${type}`, code: "not_allowed_value", message }])
}

/** The issue of an SLO whose queries are for another type than that of its data source. */
export const sourceTypeIssues = ({ spec }: Slo, source: MetricAgent | undefined): ReadonlyArray<Issue> => {
  const [query] = plainOf(spec.objectives).flatMap(queriesOf)
  if (source === undefined || query === undefined) return []
  const type = "prometheus" in query ? "prometheus" : query.unsupported.type
  if (type === typeOfAgent(source)) return []
  const message = `names a data source of the type ${typeOfAgent(source)}, and the queries are for ${type}`
  return [{ path: "spec.indicator.metricSource.name", code: "not_allowed_value", message }]
}

export const agentKind = {
  kind: "Agent",
  shortName: "agt",
  words: "an agent",
  home: "project",
  codec: agent,
  name: objectName,
  resolve: (draft, stored) => withSameType(draft, stored),
} as const satisfies KindDescription<TypeOf<typeof agent>>

export const directKind = {
  kind: "Direct",
  shortName: "drt",
  words: "a direct connection",
  home: "project",
  codec: direct,
  name: objectName,
  resolve: (draft, stored) => withSameType(draft, stored),
} as const satisfies KindDescription<TypeOf<typeof direct>>
