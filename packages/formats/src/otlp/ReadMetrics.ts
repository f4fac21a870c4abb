import type { MetricPoint, PushedMetrics, ReadPoints, RejectedPoints } from "@tocsin/domain"
import {
  exponentialBucketsMax,
  type ExponentialHistogram,
  exponentialScaleMax,
  exponentialScaleMin,
  type Parts,
} from "@tocsin/domain/adapter"
import {
  anyString,
  type Codec,
  entryPath,
  isObject,
  type Issue,
  IssueList,
  list,
  named,
  object,
  optional,
  parseDecimal,
  plain,
} from "@tocsin/domain/codec"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { EntryCount, type LazyData, TooManyEntries } from "./EntryCount.ts"
import { readProtobufRequest } from "./OtlpProtobuf.ts"

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

const scopeOf = <M>(metric: Codec<M>) =>
  object(
    {
      scope: optional(object({ name: optional(anyString), version: optional(anyString), attributes }, open)),
      metrics: optional(list(metric, all), { default: () => [] }),
    },
    open,
  )

const resourceOf = <S>(scope: Codec<S>) =>
  object(
    {
      resource: optional(object({ attributes }, open)),
      scopeMetrics: optional(list(scope, all), { default: () => [] }),
    },
    open,
  )

const requestOf = <R>(resource: Codec<R>) =>
  object({ resourceMetrics: optional(list(resource, all), { default: () => [] }) }, open)

/** What counting reads of an `ExportMetricsServiceRequest` in its JSON form; other properties are ignored. */
export const metricsRequest = named(requestOf(resourceOf(scopeOf(metric))), "ExportMetricsServiceRequest")

/** The same of each level without the one below it, which is decoded entry by entry. */
const levels = {
  request: requestOf(anything),
  resource: resourceOf(anything),
  scope: scopeOf(anything),
}

/** Metrics, or points, that are read in one part. */
const entriesAtOnce = 200

/**
 * Reads an `ExportMetricsServiceRequest` in its JSON form in parts, in which the data of a metric may be `LazyData`. Fails with
 * the issues of its structure; data points are rejected one by one.
 *
 * Source: OTLP 1.5, and the OpenTelemetry metrics data model.
 */
export function* readMetrics(
  request: unknown,
  entries = new EntryCount(),
): Parts<Result.Result<PushedMetrics, ReadonlyArray<Issue>>> {
  const issues = new IssueList()
  const metrics: Array<ReadMetric> = []
  try {
    yield* decodeMetrics(request, entries, issues, metrics)
  } catch (error) {
    return Result.fail(tooManyEntries(error))
  }
  if (!issues.isEmpty) return Result.fail(issues.sorted())
  return Result.succeed({
    names: new Set(metrics.map(({ metric }) => metric.name)),
    read: (names) => readNamed(metrics, names, entries),
  })
}

/** Reads an `ExportMetricsServiceRequest` in protobuf, as `readMetrics` reads the JSON form. */
export function* readProtobufMetrics(bytes: Uint8Array): ReturnType<typeof readMetrics> {
  const entries = new EntryCount()
  let body: Record<string, unknown>
  try {
    body = yield* readProtobufRequest(bytes, entries)
  } catch (error) {
    const isTooMany = error instanceof TooManyEntries
    const message = isTooMany ? error.message : "is not an ExportMetricsServiceRequest in protobuf"
    return Result.fail([{ path: "", code: isTooMany ? "too_many" : "document_invalid", message }])
  }
  return yield* readMetrics(body, entries)
}

/** The issue of `TooManyEntries`; throws what is another error. */
const tooManyEntries = (error: unknown): ReadonlyArray<Issue> => {
  if (!(error instanceof TooManyEntries)) throw error
  return [{ path: "", code: "too_many", message: error.message }]
}

interface ReadMetric extends PointOrigin {
  readonly metric: MetricData
}

function* decodeMetrics(
  request: unknown,
  entries: EntryCount,
  issues: IssueList,
  metrics: Array<ReadMetric>,
): Parts<void> {
  const { resourceMetrics = [] } = levels.request.read(request, "", issues, undefined) ?? {}
  let steps = 0
  for (const [resourceIndex, givenResource] of resourceMetrics.entries()) {
    if (++steps % entriesAtOnce === 0) yield
    const resourcePath = entryPath("resourceMetrics", resourceIndex)
    const decoded = levels.resource.read(givenResource, resourcePath, issues, undefined)
    if (decoded === undefined) continue
    const { resource, scopeMetrics } = decoded
    entries.add(1 + (resource?.attributes.length ?? 0))
    const ofResource = attributesOf(resource?.attributes)
    const originOf = originsIn(identityOf(ofResource))
    for (const [scopeIndex, givenScope] of scopeMetrics.entries()) {
      if (++steps % entriesAtOnce === 0) yield
      const scopePath = entryPath(`${resourcePath}.scopeMetrics`, scopeIndex)
      const decodedScope = levels.scope.read(givenScope, scopePath, issues, undefined)
      if (decodedScope === undefined) continue
      const { scope, metrics: ofScopeMetrics } = decodedScope
      entries.add(1 + (scope?.attributes.length ?? 0))
      const ofScope = attributesOf(scope?.attributes)
      const origin = originOf([scope?.name, scope?.version, identityOf(ofScope)])
      const attributes = [ofScope, ofResource]
      for (const [index, given] of ofScopeMetrics.entries()) {
        if (++steps % entriesAtOnce === 0) yield
        entries.add(1)
        const metricPath = entryPath(`${scopePath}.metrics`, index)
        const read = metric.read(given, metricPath, issues, undefined)
        if (read !== undefined) metrics.push({ metric: read, origin, attributes })
      }
    }
  }
}

function* readNamed(
  metrics: ReadonlyArray<ReadMetric>,
  names: ReadonlySet<string>,
  entries: EntryCount,
): Parts<Result.Result<ReadPoints, ReadonlyArray<Issue>>> {
  const points: Array<MetricPoint> = []
  const rejected: Array<RejectedPoints> = []
  let steps = 0
  try {
    for (const each of metrics) {
      if (++steps % entriesAtOnce === 0) yield
      if (names.has(each.metric.name)) yield* readPoints(each, entries, points, rejected)
    }
  } catch (error) {
    return Result.fail(tooManyEntries(error))
  }
  return Result.succeed({ points, rejected })
}

interface Attributes {
  /** Without lists and maps. */
  readonly texts: ReadonlyMap<string, string>
  readonly given: ReadonlyArray<{ readonly key?: unknown; readonly value?: unknown }>
}

type MetricData = Readonly<Record<string, unknown>> & { readonly name: string }

function* readPoints(
  { metric, origin, attributes }: ReadMetric,
  entries: EntryCount,
  points: Array<MetricPoint>,
  rejected: Array<RejectedPoints>,
): Parts<void> {
  const { name } = metric
  const reject = (points: number, reason: string): void => void rejected.push({ points, reason })
  const kind = metricKinds.find((each) => metric[each] !== undefined)
  const data = kind === undefined ? undefined : yield* dataOf(metric[kind], entries)
  const dataPoints = data?.["dataPoints"] ?? []
  if (kind === undefined || data === undefined || !Array.isArray(dataPoints))
    return reject(1, `${name} has no data that can be read`)
  if (typeof metric[kind] !== "function") entries.add(dataPoints.length)
  if (kind === "gauge" || kind === "summary" || (kind === "sum" && data["isMonotonic"] !== true)) {
    const actual = kind === "sum" ? "sum that can decrease" : kind
    return reject(
      dataPoints.length,
      `${name} is a ${actual}; only sums that never decrease, and histograms, count events`,
    )
  }
  const temporality = temporalities.get(data["aggregationTemporality"])
  if (temporality === undefined) return reject(dataPoints.length, `${name} has no aggregation temporality`)

  for (const [index, point] of (dataPoints as ReadonlyArray<unknown>).entries()) {
    if ((index + 1) % entriesAtOnce === 0) yield
    const at = isObject(point) ? msOf(point["timeUnixNano"]) : undefined
    if (!isObject(point) || at === undefined || at === 0) {
      reject(1, `a point of ${name} has no time`)
      continue
    }
    // The source has no value for this time.
    if (((Number(point["flags"]) || 0) & 1) === 1) continue
    const events = numberOf(kind === "sum" ? (point["asInt"] ?? point["asDouble"]) : point["count"])
    if (events === undefined || events < 0) {
      reject(1, `a point of ${name} has no value of at least 0`)
      continue
    }
    points.push(new PushedMetricPoint(name, temporality, at, events, point, { kind, origin, attributes }))
  }
}

interface PointOrigin {
  /** Identifies resource and scope. */
  readonly origin: string
  /** Of scope and resource. */
  readonly attributes: ReadonlyArray<Attributes>
}

interface PointPlace extends PointOrigin {
  readonly kind: (typeof metricKinds)[number]
}

/** Most points of a request count for no SLO, so that what only the others need is read when it is asked for. */
class PushedMetricPoint implements MetricPoint {
  readonly metric: string
  readonly temporality: MetricPoint["temporality"]
  readonly at: number
  readonly events: number
  readonly #point: Readonly<Record<string, unknown>>
  readonly #origin: PointPlace
  #own: Attributes | undefined
  #exponential: MetricPoint["exponential"]
  #layout: string | undefined

  constructor(
    metric: string,
    temporality: MetricPoint["temporality"],
    at: number,
    events: number,
    point: Readonly<Record<string, unknown>>,
    origin: PointPlace,
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

  get exponential(): MetricPoint["exponential"] {
    if (this.#origin.kind !== "exponentialHistogram") return undefined
    return (this.#exponential ??= exponentialOf(this.metric, this.#point))
  }

  get layout(): MetricPoint["layout"] {
    const { kind } = this.#origin
    if (kind === "exponentialHistogram") return kind
    return kind === "histogram" ? (this.#layout ??= layoutOf(this.#point)) : undefined
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

function* dataOf(given: unknown, entries: EntryCount): Parts<Readonly<Record<string, unknown>> | undefined> {
  if (typeof given !== "function") return isObject(given) ? given : undefined
  try {
    return yield* (given as LazyData)(entries)
  } catch (error) {
    if (error instanceof TooManyEntries) throw error
    return undefined
  }
}

const bucketsOf = (point: Readonly<Record<string, unknown>>): MetricPoint["buckets"] => {
  const bounds = numbersOf(point["explicitBounds"] ?? [])
  const counts = numbersOf(point["bucketCounts"])
  return bounds !== undefined && counts?.length === bounds.length + 1 ? { bounds, counts } : undefined
}

/** Points may have any bounds, also none. */
const layoutOf = ({ explicitBounds }: Readonly<Record<string, unknown>>): string =>
  hashOf([JSON.stringify(numbersOf(explicitBounds ?? []) ?? "")])

const exponentialOf = (
  name: string,
  { scale = 0, zeroCount = 0, zeroThreshold = 0, positive, negative }: Readonly<Record<string, unknown>>,
): ExponentialHistogram | string => {
  const read = {
    scale: numberOf(scale),
    zeroCount: numberOf(zeroCount),
    zeroThreshold: numberOf(zeroThreshold),
  }
  const buckets = [positive, negative].map(exponentialBucketsOf)
  const [ofPositive, ofNegative] = buckets
  if (
    read.scale === undefined ||
    read.scale < exponentialScaleMin ||
    read.scale > exponentialScaleMax ||
    !Number.isInteger(read.scale)
  ) {
    return `${name} has a scale that is not a whole number from ${exponentialScaleMin} to ${exponentialScaleMax}`
  }
  if (
    ofPositive === undefined ||
    ofNegative === undefined ||
    !isAtLeastZero(read.zeroCount) ||
    !isAtLeastZero(read.zeroThreshold)
  ) {
    return `${name} has buckets that cannot be read, or more than ${exponentialBucketsMax} of one sign`
  }
  return {
    scale: read.scale,
    zeroCount: read.zeroCount,
    zeroThreshold: read.zeroThreshold,
    positive: ofPositive,
    negative: ofNegative,
  }
}

const isAtLeastZero = (value: number | undefined): value is number => value !== undefined && value >= 0

const exponentialBucketsOf = (given: unknown): ExponentialHistogram["positive"] | undefined => {
  const { offset = 0, bucketCounts = [] } = isObject(given) ? given : {}
  const [first, counts] = [numberOf(offset), numbersOf(bucketCounts)]
  const isRead = counts?.every(isAtLeastZero) === true && counts.length <= exponentialBucketsMax
  return isRead && Number.isInteger(first) ? { offset: first ?? 0, counts } : undefined
}

const numbersOf = (given: unknown): ReadonlyArray<number> | undefined => {
  if (!Array.isArray(given)) return undefined
  const numbers = given.map(numberOf)
  return numbers.includes(undefined) ? undefined : (numbers as ReadonlyArray<number>)
}

/** JSON has integers of 64 bits as strings, and can have other numbers so. */
const numberOf = (given: unknown): number | undefined => {
  const value = typeof given === "string" ? parseDecimal(given) : given
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

/** Hashes the identity of a resource with those of its scopes, as `hashOf` does, and goes through the former once. */
const originsIn = (resource: string) => {
  const start = createHash("sha256").update(`[${JSON.stringify(resource)}`)
  return (scope: ReadonlyArray<string | undefined>): string =>
    start
      .copy()
      .update(`${scope.map((part) => `,${JSON.stringify(part ?? "")}`).join("")}]`)
      .digest("base64url")
      .slice(0, 24)
}
