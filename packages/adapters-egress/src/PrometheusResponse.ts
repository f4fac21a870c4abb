import type { SecretMask } from "@tocsin/domain"
import { parseDecimal } from "@tocsin/domain/codec"
import { groupKey } from "@tocsin/domain/definitions"
import { metricNameMaxCharacters, namesReadMax } from "@tocsin/domain/limits"
import {
  type MetricFailure,
  metricFailureText,
  MetricsAreUnavailable,
  type NameList,
  type Sample,
} from "@tocsin/domain/ports"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A series of a response: its labels, if they could be read, and its samples. */
export interface ReadSeries {
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly samples: ReadonlyArray<Sample>
}

/** How much of a response is read without a pause, in characters. */
const partCharacters = 64 * 1024

/** Most characters that are read without a pause, where a response cannot be divided into parts. */
const partMaxCharacters = 4 * partCharacters

/**
 * Reads the response of Prometheus's HTTP API to a range query, in parts, with a pause after each.
 *
 * With `isComplete`, an answer with warnings, such as that a part of the data could not be read, is no answer.
 *
 * Of an error that the server reports, the detail has the server's own text (spec/data-sources §3), with what `mask` hides.
 */
export const readSeriesResponse = async (
  status: number,
  body: string,
  mask: SecretMask,
  isComplete = false,
): Promise<Result.Result<ReadonlyArray<ReadSeries>, MetricsAreUnavailable>> => {
  const { envelope, groups, values } = await takeApart(body)
  const isTooLong = [envelope, ...groups].some(({ length }) => length > partMaxCharacters)
  const isError = status < 200 || status > 299
  if (isTooLong && !isError) return failed("response_too_large")
  const read = readData(status, isTooLong ? "" : envelope, mask)
  if (isComplete && isPartial(jsonOf(envelope))) return failed("response_invalid")
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const found = Option.getOrUndefined(matrix(read.success))
  if (found === undefined) return failed("response_invalid")
  const all: Array<ReadSeries> = []
  const add = async (some: ReadonlyArray<unknown>): Promise<boolean> => {
    for (const series of some) {
      const samples = await samplesOf(series, values)
      if (samples === undefined) return false
      all.push({ labels: Option.getOrUndefined(metricOf(series))?.metric, samples })
    }
    return true
  }
  if (!(await add(found.result.slice(0, 1)))) return failed("response_invalid")
  for (const group of groups) {
    const some = jsonOf(`[${group}]`)
    if (!isList(some) || !(await add(some))) return failed("response_invalid")
  }
  return (await add(found.result.slice(1))) ? Result.succeed(all) : failed("response_invalid")
}

/** A long response in parts: each list of values is replaced by its place in `values`. */
interface ResponseParts {
  /** The response with its first series, and those after the `groups`. */
  readonly envelope: string
  /** The series after the first, separated by commas. */
  readonly groups: ReadonlyArray<string>
  /** The values of a series, separated by commas. */
  readonly values: ReadonlyArray<string>
}

/** Takes a long response apart, whatever white space it has, with pauses. */
const takeApart = async (body: string): Promise<ResponseParts> => {
  if (body.length <= partCharacters) return { envelope: body, groups: [], values: [] }
  // No text within a string has this name, as its quotation marks would be escaped.
  const begin = /"values"\s*:\s*\[\s*\[/g
  const end = /\]\s*\]/g
  const between = /\s*\}\s*,\s*(?=\{)/y
  const values: Array<string> = []
  const groups: Array<string> = []
  let group = ""
  let done = 0
  for (let pauseAt = partCharacters; ;) {
    begin.lastIndex = done
    const name = begin.exec(body)
    end.lastIndex = begin.lastIndex
    const close = name && end.exec(body)
    if (name === null || close === null) break
    group += `${body.slice(done, name.index)}"values":[${values.length}]`
    values.push(body.slice(begin.lastIndex - 1, close.index + 1))
    done = between.lastIndex = end.lastIndex
    // Behind values, this is no text within a string.
    if ((groups.length === 0 || group.length >= partCharacters) && between.test(body)) {
      groups.push(`${group}}`)
      group = ""
      done = between.lastIndex
    }
    if (done < pauseAt) continue
    await immediately()
    pauseAt = done + partCharacters
  }
  group += body.slice(done)
  const [first, ...others] = groups
  return { envelope: first === undefined ? group : `${first},${group}`, groups: others, values }
}

/** The samples of the one series, or with `groupBy` of one series for each group; none without a series. */
export const samplesOfSeries = (
  all: ReadonlyArray<ReadSeries>,
  groupBy?: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<Sample>, MetricsAreUnavailable> => {
  if (groupBy !== undefined) return groupedSamples(all, groupBy)
  return all.length > 1 ? failed("several_series") : Result.succeed(all[0]?.samples ?? [])
}

/** Reads the response to a request for names: at most `namesReadMax`, without those that are too long. */
export const readNamesResponse = (
  status: number,
  body: string,
  mask: SecretMask,
): Result.Result<NameList, MetricsAreUnavailable> => {
  const read = readData(status, body, mask)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const all = read.success
  if (!isList(all) || !all.every((name) => typeof name === "string")) return failed("response_invalid")
  const names = all.filter((name) => name !== "" && name.length <= metricNameMaxCharacters).toSorted()
  return Result.succeed({ names: names.slice(0, namesReadMax), isComplete: all.length <= namesReadMax })
}

/** The data of a response of Prometheus's HTTP API. */
const readData = (
  status: number,
  body: string,
  mask: SecretMask,
): Result.Result<unknown, MetricsAreUnavailable> => {
  if (status >= 300 && status < 400) return failed("redirect_rejected")
  const response = jsonOf(body)
  if (status === 401 || status === 403) {
    const text = Option.getOrUndefined(rejectionOf(response))?.error ?? ""
    return failed("credentials_rejected", withText(rejectedText(status), mask(text)))
  }
  const error = Option.getOrUndefined(errorOf(response))
  if (error !== undefined) return failed(...reasonOf({ ...error, error: mask(error.error ?? "") }, status))
  if (status < 200 || status > 299) return failed("http_status", statusText(status))
  const found = Option.getOrUndefined(successOf(response))
  return found === undefined ? failed("response_invalid") : Result.succeed(found.data)
}

/** A failure with the message of its reason by default. */
export const metricFailure = (
  reason: MetricFailure,
  detail: string = metricFailureText[reason],
): MetricsAreUnavailable => new MetricsAreUnavailable({ reason, detail })

const failed = (reason: MetricFailure, detail?: string) => Result.fail(metricFailure(reason, detail))

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const errorOf = Schema.decodeUnknownOption(
  Schema.Struct({
    status: Schema.Literal("error"),
    errorType: Schema.String,
    error: Schema.optionalKey(Schema.String),
  }),
)

/** Gateways in front of a server name no `errorType`. */
const rejectionOf = Schema.decodeUnknownOption(
  Schema.Struct({ status: Schema.Literal("error"), error: Schema.String }),
)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const ListSchema = Schema.declare(isList)

const successOf = Schema.decodeUnknownOption(
  Schema.Struct({ status: Schema.Literal("success"), data: Schema.Unknown }),
)

/** Whether a server says that an answer lacks some of the data. */
const isPartial = (response: unknown): boolean => Option.isSome(partialOf(response))

const partialOf = Schema.decodeUnknownOption(
  Schema.Union([
    Schema.Struct({ isPartial: Schema.Literal(true) }),
    Schema.Struct({ warnings: Schema.NonEmptyArray(Schema.Unknown) }),
  ]),
)

const matrix = Schema.decodeUnknownOption(
  Schema.Struct({ resultType: Schema.Literal("matrix"), result: ListSchema }),
)

const valuesOf = Schema.decodeUnknownOption(Schema.Struct({ values: ListSchema }))

/** The samples of a series, whose values may have been taken out of the response. */
const samplesOf = async (
  series: unknown,
  taken: ReadonlyArray<string>,
): Promise<ReadonlyArray<Sample> | undefined> => {
  const found = Option.getOrUndefined(valuesOf(series))
  if (found === undefined) return undefined
  const [place] = found.values
  if (found.values.length !== 1 || typeof place !== "number") return samplesOfValues(found.values)
  const text = taken[place]
  if (text === undefined) return undefined
  const between = /\]\s*,\s*\[/g
  const all: Array<Sample> = []
  for (let from = 0; from < text.length;) {
    between.lastIndex = from + partCharacters
    const next = between.exec(text)
    const to = next === null ? text.length : next.index + 1
    if (to - from > partMaxCharacters) return undefined
    const values = jsonOf(`[${text.slice(from, to)}]`)
    const samples = isList(values) ? samplesOfValues(values) : undefined
    if (samples === undefined) return undefined
    for (const sample of samples) all.push(sample)
    from = next === null ? to : between.lastIndex - 1
    await immediately()
  }
  return all
}

const immediately = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Hand-written for speed: a schema takes a hundred times as long. */
const samplesOfValues = (values: ReadonlyArray<unknown>): ReadonlyArray<Sample> | undefined => {
  const samples: Array<Sample> = []
  for (const pair of values) {
    if (!isList(pair) || pair.length !== 2) return undefined
    const [seconds, value] = pair
    if (typeof seconds !== "number" || typeof value !== "string") return undefined
    samples.push({ at: Math.round(seconds * 1_000), value: valueOf(value) })
  }
  return samples
}

const metricOf = Schema.decodeUnknownOption(
  Schema.Struct({ metric: Schema.Record(Schema.String, Schema.String) }),
)

const groupedSamples = (
  series: ReadonlyArray<ReadSeries>,
  groupBy: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<Sample>, MetricsAreUnavailable> => {
  const seen = new Set<string>()
  const all: Array<Sample> = []
  for (const { labels, samples } of series) {
    if (labels === undefined) return failed("response_invalid")
    if (!groupBy.some((label) => Object.hasOwn(labels, label))) return failed("labels_missing")
    // A label without a value is the same as none.
    const group = groupBy.map((label) => labels[label] ?? "")
    if (seen.has(groupKey(group))) {
      const by = groupBy.join(", ")
      return failed(
        "several_series",
        `the expression yields several series of one group; aggregate them, for example with sum by (${by}) (…)`,
      )
    }
    seen.add(groupKey(group))
    for (const sample of samples) all.push({ ...sample, group })
  }
  return Result.succeed(all)
}

const reasonOf = (
  { errorType, error }: { readonly errorType: string; readonly error: string },
  status: number,
): readonly [MetricFailure, string?] => {
  switch (errorType) {
    case "bad_data":
      return ["query_invalid", withText(metricFailureText.query_invalid, error)]
    case "execution":
      return ["query_failed", withText(metricFailureText.query_failed, error)]
    case "timeout":
    case "canceled":
      return ["timeout"]
    default:
      return ["http_status", statusText(status)]
  }
}

/** Longest text of a Prometheus server's error that is shown, in characters. */
const upstreamErrorMaxCharacters = 300

/** Adds the server's text on one line; what is no text of its own, such as control characters, is left out. */
const withText = (message: string, error: string): string => {
  const line = error.replaceAll(/[\p{C}\s]+/gu, " ").trim()
  const cut = Array.from(line.slice(0, 2 * upstreamErrorMaxCharacters)).slice(0, upstreamErrorMaxCharacters)
  const text = cut.join("")
  return text === "" ? message : `${message}: ${text}`
}

const statusText = (status: number): string =>
  status === 404 || status === 405
    ? `the server responded with ${status}; check that the URL is where the paths of Prometheus's HTTP API begin`
    : `the server responded with ${status}`

const rejectedText = (status: number): string =>
  `the server responded with ${status}; check the credentials of the data source`

/** `NaN`, `+Inf` and `-Inf` beside numbers as Go writes them. */
const valueOf = (text: string): number => {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity
  return parseDecimal(text) ?? Number.NaN
}
