import { described, once, type Codec, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional, record } from "../codec/Containers.ts"
import { number, string } from "../codec/Leaves.ts"
import * as Schema from "effect/Schema"

/** Longest name of a metric of OpenTelemetry, in characters. Source: OpenTelemetry metrics API, instrument name syntax. */
const otlpMetricNameMaxCharacters = 255

/** Most attributes that a data point must have to be counted. */
const otlpAttributesMax = 20

/** Most values of which an attribute has one. */
const otlpAttributeValuesMax = 50

const text = string({ max: 1_000 })

const texts = list(text, { min: 1, max: otlpAttributeValuesMax, distinct: { by: (value) => value } })

/** One value, or a list of values; read as a list. */
const attributeValues: Codec<ReadonlyArray<string>, unknown, string | ReadonlyArray<string>> = {
  read: (input, path, issues, context) => {
    if (Array.isArray(input)) return texts.read(input, path, issues, context)
    if (typeof input !== "string") {
      const advice = typeof input === "number" || typeof input === "boolean" ? "; put it in quotes" : ""
      return issues.add(path, "wrong_type", `must be a string or a list of strings${advice}`)
    }
    const value = text.read(input, path, issues, context)
    return value === undefined ? undefined : [value]
  },
  write: (values, options) => (values.length === 1 ? values[0] : texts.write(values, options)),
  schema: once(() => Schema.Union([text.schema(), texts.schema()])),
}

const events = object({
  metric: described(
    string({ max: otlpMetricNameMaxCharacters }),
    "Name of a sum that only grows, or of a histogram, whose values are then counted",
  ),
  attributes: optional(
    described(
      record(string({ max: 255 }), attributeValues, { max: otlpAttributesMax }),
      "Attributes of the data point, its scope or its resource. A value that ends with * stands for all that begin with what is before it",
    ),
    { default: (): Readonly<Record<string, ReadonlyArray<string>>> => ({}) },
  ),
  atMost: optional(
    described(
      number({}),
      "Only the values of a histogram that are at most this, which must be a bound of its buckets unless it is exponential",
    ),
  ),
})

export const eventParts = ["good", "bad", "total"] as const

/** `total`: all events, good and bad. */
export type EventPart = (typeof eventParts)[number]

/** Which metrics that are pushed over OTLP count the events of an SLO. */
export const otlpIndicator = object(
  {
    good: optional(described(events, "The good events")),
    bad: optional(described(events, "The bad events")),
    total: optional(described(events, "All events")),
  },
  {
    rules: ({ has, path, issues }) => {
      const given = eventParts.filter((part) => has(part)).length
      if (given !== 2) issues.add(path, "required", "must have two of good, bad and total")
    },
  },
)

/** Exactly two of `good`, `bad` and `total` are present; the third follows from them. */
export type OtlpIndicator = TypeOf<typeof otlpIndicator>

export type PushedEvents = NonNullable<OtlpIndicator["good"]>
