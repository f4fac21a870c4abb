import { ownedKey, objectName } from "../metadata/Metadata.ts"
import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { described, mapped, stored, type TypeOf } from "../codec/Codec.ts"
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

/** The Prometheus server and queries that provide the counts of an SLO. */
export const indicator = object({
  prometheus: object(
    {
      url: optional(sourceUrl),
      dataSource: optional(described(ownedKey(objectName), "Data source to read from, instead of a URL")),
      good: described(expression, "PromQL expression for the number of good events in the last minute"),
      total: described(expression, "PromQL expression for the number of all events in the last minute"),
    },
    {
      rules: ({ has, at, issues }) => {
        if (has("url") && has("dataSource")) {
          issues.add(at("dataSource"), "mutually_exclusive", "must not be specified together with url")
        } else if (!has("url") && !has("dataSource")) {
          issues.add(at("url"), "required", "is required, unless dataSource names a data source")
        }
      },
    },
  ),
})

export type Indicator = TypeOf<typeof indicator>

export const storedIndicator = stored(indicator, [])
