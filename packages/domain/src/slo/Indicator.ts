import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { described, stored, type TypeOf } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"

/** Longest PromQL expression of an indicator, in characters. */
export const promqlMaxCharacters = 10_000

const expression = string({
  max: promqlMaxCharacters,
  format: { pattern: /\S/, message: "must be a PromQL expression" },
})

/** The Prometheus server and queries that provide the counts of an SLO. */
export const indicator = object({
  prometheus: object({
    url: sourceUrl,
    good: described(expression, "PromQL expression for the number of good events in the last minute"),
    total: described(expression, "PromQL expression for the number of all events in the last minute"),
  }),
})

export type Indicator = TypeOf<typeof indicator>

export const storedIndicator = stored(indicator, [])
