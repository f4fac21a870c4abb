import * as Result from "effect/Result"
import { ParameterIsInvalid, type ParameterCode } from "../codec/ParameterIsInvalid.ts"
import { minuteOf, parseUtcInstant } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"

/** Longest range between `from` and `to`, in days, unless said otherwise. */
export const dataRangeMaxDays = 7

/** Longest range of a series and of what happened to an SLO, in days: the longest time window. */
export const historyRangeMaxDays = 400

export interface DataRangeQuery {
  readonly fields?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * Parses `fields`, `from` and `to` into the range of the requested counts; `undefined` if none are requested.
 *
 * Empty strings are treated as omitted. `fields` is `counts` or omitted. `from` and `to` come together, in UTC,
 * `from` before `to`, at most 7 days apart, and are cut to the start of their minute.
 */
export const parseDataRange = (
  query: DataRangeQuery,
): Result.Result<MinuteRange | undefined, ParameterIsInvalid> => {
  const fields = query.fields || undefined
  if (fields !== undefined && fields !== "counts") {
    return refuse("fields_invalid", "fields", fields, "the one supported value of fields is counts")
  }
  if (!query.from && !query.to) {
    return fields === undefined
      ? Result.succeed(undefined)
      : refuse(
          "range_incomplete",
          "from",
          undefined,
          `fields=counts needs a range: ${missingRule(["from", "to"])}`,
        )
  }
  const range = parseTimeRange(query)
  if (Result.isFailure(range)) return range
  const { from, to } = range.success
  return Result.succeed(fields === undefined ? undefined : { from: minuteOf(from), to: minuteOf(to) })
}

/** Parses required `from` and `to` like `parseDataRange`, at most `maxDays` apart, into Unix milliseconds. */
export const parseTimeRange = (
  query: {
    readonly from?: string | undefined
    readonly to?: string | undefined
  },
  maxDays = dataRangeMaxDays,
): Result.Result<{ readonly from: number; readonly to: number }, ParameterIsInvalid> => {
  const [from, to] = [query.from, query.to].map((text) => text || undefined)
  if (from === undefined && to === undefined) {
    return refuse("range_incomplete", "from", undefined, missingRule(["from", "to"]))
  }
  if (from === undefined) return refuse("range_incomplete", "from", undefined, missingRule(["from"]))
  if (to === undefined) return refuse("range_incomplete", "to", undefined, missingRule(["to"]))
  const start = parseUtcInstant(from)
  if (start === undefined) return refuse("date_time_invalid", "from", from, dateTimeRule("from"))
  const end = parseUtcInstant(to)
  if (end === undefined) return refuse("date_time_invalid", "to", to, dateTimeRule("to"))
  if (start >= end) return refuse("range_invalid", "from", from, "from must be before to")
  if (end - start > maxDays * 86_400_000) {
    const detail = `from and to must be at most ${maxDays} days apart`
    return refuse("range_too_long", "to", to, detail)
  }
  return Result.succeed({ from: start, to: end })
}

const missingRule = (names: ReadonlyArray<string>): string =>
  names.length === 1
    ? `${names.join()} is missing: add it as a date-time of RFC 3339 in UTC, such as ${exampleTime}`
    : `${names.join(" and ")} are missing: add both as date-times of RFC 3339 in UTC, such as ${exampleTime}`

const exampleTime = "2026-01-30T12:00:00Z"

const dateTimeRule = (name: string): string =>
  `${name} must be a date-time of RFC 3339 in UTC, such as ${exampleTime}`

const refuse = (
  code: ParameterCode,
  propertyName: string,
  propertyValue: string | undefined,
  detail: string,
): Result.Result<never, ParameterIsInvalid> =>
  Result.fail(
    new ParameterIsInvalid({
      code,
      propertyName,
      ...(propertyValue !== undefined && { propertyValue }),
      detail,
    }),
  )
