import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { described, stored, type TypeOf } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"

/** Longest expression of an indicator. */
export const promqlMaxCharacters = 10_000

const expression = string({
  max: promqlMaxCharacters,
  format: { pattern: /\S/, message: "must be a PromQL expression" },
})

/** Where the counts of an SLO are read from, when nobody sends them: a Prometheus server, and what to ask it. */
export const indicator = object({
  prometheus: object({
    /** Where the server's paths begin. */
    url: sourceUrl,
    /** PromQL of one series. */
    good: described(expression, "How many events of the last minute were good"),
    /** PromQL of one series. */
    total: described(expression, "How many events there were in the last minute"),
  }),
})

/** Where the counts of an SLO are read from. */
export type Indicator = TypeOf<typeof indicator>

/** How a store keeps an indicator. */
export const storedIndicator = stored(indicator, [])
