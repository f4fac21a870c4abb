import { ownedKey, objectName } from "../metadata/Metadata.ts"
import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { described, mapped, type TypeOf } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"
import type { PromQlContext } from "./PromQlCheck.ts"

/** Longest PromQL expression of an indicator, in characters. */
export const promqlMaxCharacters = 10_000

const expression = mapped(
  string({
    max: promqlMaxCharacters,
    format: { pattern: /\S/, message: "must be a PromQL expression" },
  }),
  {
    decode: (text, path, issues, { checkPromQl }: PromQlContext) => {
      const problems = checkPromQl?.(text) ?? []
      for (const problem of problems) issues.add(path, "invalid_format", problem)
      return problems.length === 0 ? text : undefined
    },
    encode: (text) => text,
  },
)

/** A Prometheus server, and the expressions `good` and `total`, or `metric`. */
export const prometheusIndicator = object(
  {
    url: optional(sourceUrl),
    dataSource: optional(described(ownedKey(objectName), "Data source to read from, instead of a URL")),
    good: optional(
      described(expression, "PromQL expression for the number of good events in the last minute"),
    ),
    total: optional(
      described(expression, "PromQL expression for the number of all events in the last minute"),
    ),
    metric: optional(
      described(
        expression,
        "PromQL expression for a value, such as a latency, that each objective compares by op and value. Instead of good and total",
      ),
    ),
  },
  {
    rules: ({ has, at, path, issues }) => {
      const [hasCounts, hasMetric] = [has("good") || has("total"), has("metric")]
      if (hasCounts && hasMetric) {
        issues.add(path, "mutually_exclusive", "must have either good and total or metric, not both")
      } else if (!hasMetric) {
        if (!has("good")) issues.add(at("good"), "required", "is required, unless metric is given")
        if (!has("total")) issues.add(at("total"), "required", "is required, unless metric is given")
      }
      if (has("url") && has("dataSource")) {
        issues.add(at("dataSource"), "mutually_exclusive", "must not be specified together with url")
      } else if (!has("url") && !has("dataSource")) {
        issues.add(at("url"), "required", "is required, unless dataSource names a data source")
      }
    },
  },
)

/** The Prometheus server and queries that provide the counts of an SLO. */
export const indicator = object({ prometheus: prometheusIndicator })

export type Indicator = TypeOf<typeof indicator>
