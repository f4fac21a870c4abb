import { decode, named, plain } from "@tocsin/domain/internal/codec/Codec"
import { list, object, optional } from "@tocsin/domain/internal/codec/Containers"
import type { Issue } from "@tocsin/domain/internal/codec/Issue"
import { anyString, isObject } from "@tocsin/domain/internal/codec/Leaves"
import type { MetricPoint, PushedMetrics, RejectedPoints } from "@tocsin/domain/internal/otlp/MetricPoint"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

/** Most entries of each list of a request with metrics, except data points. */
export const metricsEntriesMax = 10_000

const all = { max: metricsEntriesMax }
const open = { isOpen: true }

const anything = plain(
  () => Schema.Unknown,
  (input) => input,
)

const attributes = optional(list(object({ key: anyString, value: optional(anything) }, open), all), {
  default: () => [],
})

const metric = object(
  {
    name: anyString,
    sum: optional(anything),
    histogram: optional(anything),
    exponentialHistogram: optional(anything),
    gauge: optional(anything),
    summary: optional(anything),
  },
  open,
)

/** What counting reads of an `ExportMetricsServiceRequest` in its JSON form; other properties are ignored. */
export const metricsRequest = named(
  object(
    {
      resourceMetrics: optional(
        list(
          object(
            {
              resource: optional(object({ attributes }, open)),
              scopeMetrics: optional(
                list(
                  object(
                    {
                      scope: optional(
                        object({ name: optional(anyString), version: optional(anyString), attributes }, open),
                      ),
                      metrics: optional(list(metric, all), { default: () => [] }),
                    },
                    open,
                  ),
                  all,
                ),
                { default: () => [] },
              ),
            },
            open,
          ),
          all,
        ),
        { default: () => [] },
      ),
    },
    open,
  ),
  "ExportMetricsServiceRequest",
)

/**
 * Reads an `ExportMetricsServiceRequest` in its JSON form, in which the data of a metric may be a function that reads it. Fails with
 * the issues of its structure; data points are rejected one by one.
 *
 * Source: OTLP 1.5, and the OpenTelemetry metrics data model.
 */
export const readMetrics = (request: unknown): Result.Result<PushedMetrics, ReadonlyArray<Issue>> =>
  Result.map(decode(metricsRequest, request, undefined), ({ resourceMetrics }) => {
    const metrics = resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
      const ofResource = attributesOf(resource?.attributes)
      return scopeMetrics.flatMap(({ scope, metrics }) => {
        const ofScope = attributesOf(scope?.attributes)
        const origin = hashOf([identityOf(ofResource), scope?.name, scope?.version, identityOf(ofScope)])
        return metrics.map((metric) => ({ metric, origin, attributes: [ofScope, ofResource] }))
      })
    })
    return {
      names: new Set(metrics.map(({ metric }) => metric.name)),
      read: (names) => {
        const points: Array<MetricPoint> = []
        const rejected: Array<RejectedPoints> = []
        for (const { metric, origin, attributes } of metrics) {
          if (!names.has(metric.name)) continue
          const read = readPoints(metric, origin, attributes)
          points.push(...read.points)
          rejected.push(...read.rejected)
        }
        return { points, rejected }
      },
    }
  })

interface Attributes {
  /** Without lists and maps. */
  readonly texts: ReadonlyMap<string, string>
  readonly given: ReadonlyArray<{ readonly key?: unknown; readonly value?: unknown }>
}

type MetricData = Readonly<Record<string, unknown>> & { readonly name: string }

const readPoints = (
  metric: MetricData,
  origin: string,
  attributes: ReadonlyArray<Attributes>,
): { readonly points: ReadonlyArray<MetricPoint>; readonly rejected: ReadonlyArray<RejectedPoints> } => {
  const { name } = metric
  const reject = (points: number, reason: string) => ({ points: [], rejected: [{ points, reason }] })
  const kind = metricKinds.find((each) => metric[each] !== undefined)
  const data = kind === undefined ? undefined : dataOf(metric[kind])
  const dataPoints = data?.["dataPoints"] ?? []
  if (kind === undefined || data === undefined || !Array.isArray(dataPoints))
    return reject(1, `${name} has no data that can be read`)
  if (kind === "gauge" || kind === "summary" || (kind === "sum" && data["isMonotonic"] !== true)) {
    const actual = kind === "sum" ? "sum that can decrease" : kind
    return reject(
      dataPoints.length,
      `${name} is a ${actual}; only sums that never decrease, and histograms, count events`,
    )
  }
  const temporality = temporalities.get(data["aggregationTemporality"])
  if (temporality === undefined) return reject(dataPoints.length, `${name} has no aggregation temporality`)

  const points: Array<MetricPoint> = []
  const rejected: Array<RejectedPoints> = []
  for (const point of dataPoints as ReadonlyArray<unknown>) {
    const at = isObject(point) ? msOf(point["timeUnixNano"]) : undefined
    if (!isObject(point) || at === undefined || at === 0) {
      rejected.push({ points: 1, reason: `a point of ${name} has no time` })
      continue
    }
    // The source has no value for this time.
    if (((Number(point["flags"]) || 0) & 1) === 1) continue
    const events = numberOf(kind === "sum" ? (point["asInt"] ?? point["asDouble"]) : point["count"])
    if (events === undefined || events < 0) {
      rejected.push({ points: 1, reason: `a point of ${name} has no value of at least 0` })
      continue
    }
    points.push(new PushedMetricPoint(name, temporality, at, events, point, { kind, origin, attributes }))
  }
  return { points, rejected }
}

interface PointOrigin {
  readonly kind: (typeof metricKinds)[number]
  /** Identifies resource and scope. */
  readonly origin: string
  /** Of scope and resource. */
  readonly attributes: ReadonlyArray<Attributes>
}

/** Most points of a request count for no SLO, so that what only the others need is read when it is asked for. */
class PushedMetricPoint implements MetricPoint {
  readonly metric: string
  readonly temporality: MetricPoint["temporality"]
  readonly at: number
  readonly events: number
  readonly #point: Readonly<Record<string, unknown>>
  readonly #origin: PointOrigin
  #own: Attributes | undefined

  constructor(
    metric: string,
    temporality: MetricPoint["temporality"],
    at: number,
    events: number,
    point: Readonly<Record<string, unknown>>,
    origin: PointOrigin,
  ) {
    this.metric = metric
    this.temporality = temporality
    this.at = at
    this.events = events
    this.#point = point
    this.#origin = origin
  }

  get series(): string {
    return hashOf([this.#origin.origin, this.metric, identityOf(this.#attributes)])
  }

  get startAt(): number | undefined {
    const startAt = msOf(this.#point["startTimeUnixNano"])
    return startAt === 0 ? undefined : startAt
  }

  get buckets(): MetricPoint["buckets"] {
    return this.#origin.kind === "histogram" ? bucketsOf(this.#point) : undefined
  }

  attribute(wanted: string): string | undefined {
    const own = this.#attributes.texts.get(wanted)
    if (own !== undefined) return own
    for (const { texts } of this.#origin.attributes) {
      const text = texts.get(wanted)
      if (text !== undefined) return text
    }
    return undefined
  }

  get #attributes(): Attributes {
    return (this.#own ??= attributesOf(this.#point["attributes"]))
  }
}

const metricKinds = ["sum", "histogram", "exponentialHistogram", "gauge", "summary"] as const

const temporalities = new Map<unknown, MetricPoint["temporality"]>([
  [1, "delta"],
  [2, "cumulative"],
  ["AGGREGATION_TEMPORALITY_DELTA", "delta"],
  ["AGGREGATION_TEMPORALITY_CUMULATIVE", "cumulative"],
])

const dataOf = (given: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (typeof given !== "function") return isObject(given) ? given : undefined
  try {
    return given() as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

const bucketsOf = (point: Readonly<Record<string, unknown>>): MetricPoint["buckets"] => {
  const bounds = numbersOf(point["explicitBounds"] ?? [])
  const counts = numbersOf(point["bucketCounts"])
  return bounds !== undefined && counts?.length === bounds.length + 1 ? { bounds, counts } : undefined
}

const numbersOf = (given: unknown): ReadonlyArray<number> | undefined => {
  if (!Array.isArray(given)) return undefined
  const numbers = given.map(numberOf)
  return numbers.includes(undefined) ? undefined : (numbers as ReadonlyArray<number>)
}

/** JSON has integers of 64 bits as strings. */
const numberOf = (given: unknown): number | undefined => {
  const value = typeof given === "string" && given !== "" ? Number(given) : given
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** With fractions: what a program counts first may begin and end within a millisecond. */
const msOf = (nanoseconds: unknown): number | undefined => {
  const value = numberOf(nanoseconds)
  return value === undefined || value < 0 ? undefined : value / 1e6
}

const attributesOf = (given: unknown): Attributes => {
  if (!Array.isArray(given) || given.length === 0) return noAttributes
  const texts = new Map<string, string>()
  const attributes = given.filter(isObject)
  for (const { key, value } of attributes) {
    const text = attributeText(value)
    if (typeof key === "string" && text !== undefined) texts.set(key, text)
  }
  return { texts, given: attributes }
}

const noAttributes: Attributes = { texts: new Map(), given: [] }

/** The same for the same attributes in any order, in protobuf and JSON. */
const identityOf = ({ given }: Attributes): string =>
  given
    .map(({ key, value }) => JSON.stringify([key, attributeText(value) ?? value ?? null]))
    .toSorted()
    .join()

/** The text of a string, a boolean or a number; lists and maps have none. */
const attributeText = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined
  const { stringValue, boolValue, intValue, doubleValue } = value
  const scalar = stringValue ?? boolValue ?? intValue ?? doubleValue
  return typeof scalar === "string" || typeof scalar === "boolean" || typeof scalar === "number"
    ? String(scalar)
    : undefined
}

const hashOf = (parts: ReadonlyArray<string | undefined>): string =>
  createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part ?? "")))
    .digest("base64url")
    .slice(0, 24)
