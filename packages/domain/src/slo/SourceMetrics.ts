import { described, mapped, type TypeOf } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { boolean, literals } from "../codec/Leaves.ts"
import { objectName, type OwnerContext } from "../metadata/Metadata.ts"
import { expression } from "./PromQlExpression.ts"
import { type OfSourceType, ofSourceType, type UnsupportedSourceType } from "./SourceType.ts"

/** The kinds of data sources that the service's own documents name. */
export const sourceKinds = ["Agent", "Direct"] as const

export type SourceKind = (typeof sourceKinds)[number]

/** The name of a data source that stands for the indicator of the stored SLO (spec/client-slos §2). */
export const storedIndicatorName = "stored-indicator"

/** The data source of an SLO whose objectives have queries of their own. */
export const metricSource = mapped(
  object({
    name: objectName,
    project: optional(objectName),
    kind: optional(described(literals(sourceKinds), "Default: Agent")),
  }),
  {
    decode: ({ name, project, kind }, _path, _issues, { owner }: OwnerContext) => ({
      kind: kind ?? "Agent",
      project: project ?? owner.project,
      name,
    }),
    encode: (source) => source,
  },
)

export type MetricSourceKey = TypeOf<typeof metricSource>

const query = ofSourceType(object({ promql: described(expression, "PromQL expression") }))

export type SourceQuery = OfSourceType<{ readonly promql: string }>

/** The events of an objective. */
export const countMetrics = object(
  {
    incremental: described(
      boolean,
      "true: the queries return cumulative counters, whose increase is the minute's events. false: they return the events of the last minute",
    ),
    good: optional(described(query, "The good events. With total, instead of bad")),
    bad: optional(described(query, "The bad events. With total, instead of good")),
    total: optional(described(query, "All events")),
    goodTotal: optional(described(query, "Good and all events in one query. Not for prometheus")),
  },
  {
    rules: ({ value: { goodTotal }, has, at, path, issues }) => {
      if (has("goodTotal")) {
        if (has("good") || has("bad") || has("total")) {
          issues.add(path, "mutually_exclusive", "must have either goodTotal, or total with good or bad")
        } else if (goodTotal !== undefined && "prometheus" in goodTotal) {
          issues.add(
            at("goodTotal"),
            "not_allowed_value",
            "is not supported for prometheus; use good and total",
          )
        }
        return
      }
      if (!has("total")) issues.add(at("total"), "required", "is required")
      if (has("good") && has("bad")) {
        issues.add(path, "mutually_exclusive", "must have either good or bad, not both")
      } else if (!has("good") && !has("bad")) {
        issues.add(at("good"), "required", "is required, unless bad is given")
      }
    },
  },
)

type CountMetrics = TypeOf<typeof countMetrics>

/** A value that an objective compares. */
export const rawMetric = object({
  query: described(query, "Returns a value, such as a latency, that is compared by op and value"),
})

type RawMetric = TypeOf<typeof rawMetric>

/** The metrics of an objective. */
export interface ObjectiveMetrics {
  readonly countMetrics?: CountMetrics
  readonly rawMetric?: RawMetric
}

/** The queries of an objective. */
export const queriesOf = ({ countMetrics, rawMetric }: ObjectiveMetrics): ReadonlyArray<SourceQuery> => {
  const { good, bad, total, goodTotal } = countMetrics ?? {}
  return [good, bad, total, goodTotal, rawMetric?.query].filter((query) => query !== undefined)
}

/** The type of an objective's queries that are not read. */
export const unsupportedTypeOf = (objective: ObjectiveMetrics): UnsupportedSourceType | undefined => {
  for (const query of queriesOf(objective)) if ("unsupported" in query) return query.unsupported.type
  return undefined
}
