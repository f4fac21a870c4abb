import { dateTimeToMs } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import { durationToMs } from "@tocsin/promql"
import { QueryIsInvalid } from "@tocsin/promql/series"

/** Largest body of a request in the form of Prometheus, in bytes. */
export const formMaxBytes = 65_536

/** Most points of each series of a range query, as in Prometheus. */
const pointsMax = 11_000

/** Most points of all series of a response: some 25 MB of JSON. */
export const responsePointsMax = 1_000_000

/** Longest `timeout` of a query, in milliseconds, and the one of queries without. */
export const queryTimeoutMs = 30_000

/** Longest `lookback_delta` of a query, in milliseconds. */
export const lookbackMaxMs = 3_600_000

/** How long a sample of counts is the current one, in milliseconds, unless `lookback_delta` says otherwise. */
export const lookbackDefaultMs = 300_000

const invalid = (name: string, detail: string): QueryIsInvalid =>
  new QueryIsInvalid({ detail: `invalid parameter "${name}": ${detail}` })

/** An instant in Unix seconds or of RFC 3339, as Unix milliseconds; `otherwise` if the parameter is absent. */
export const timeOf = (parameters: URLSearchParams, name: string, otherwise?: number) => {
  const text = parameters.get(name) ?? ""
  if (text === "" && otherwise !== undefined) return Effect.succeed(otherwise)
  const ms = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)
    ? Math.round(Number(text) * 1_000)
    : dateTimeToMs(text)
  return ms !== undefined && Math.abs(ms) <= timeMaxMs
    ? Effect.succeed(ms)
    : Effect.fail(invalid(name, `cannot parse "${text}" to a valid timestamp`))
}

/** The largest time of JavaScript. */
const timeMaxMs = 8.64e15

/** A duration such as `5m`, or seconds, as milliseconds; `otherwise` if the parameter is absent. */
export const durationOf = (parameters: URLSearchParams, name: string, otherwise?: number) => {
  const text = parameters.get(name) ?? ""
  if (text === "" && otherwise !== undefined) return Effect.succeed(otherwise)
  const ms = durationToMs(text)
  if (ms === undefined) return Effect.fail(invalid(name, `cannot parse "${text}" to a valid duration`))
  return ms > 0
    ? Effect.succeed(ms)
    : Effect.fail(
        invalid(
          name,
          "zero or negative query resolution step widths are not accepted. Try a positive integer",
        ),
      )
}

/** The parameter `limit`; 0 is none. */
export const limitOf = (parameters: URLSearchParams) => {
  const text = parameters.get("limit") ?? ""
  if (!/^\d{0,15}$/.test(text)) {
    return Effect.fail(invalid("limit", `cannot parse "${text}" to a number of at least 0`))
  }
  return Effect.succeed(Number(text) || Infinity)
}

/** The times of a range query. */
export const rangeOf = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  const start = yield* timeOf(parameters, "start")
  const end = yield* timeOf(parameters, "end")
  if (end < start) return yield* invalid("end", "end timestamp must not be before start time")
  const step = yield* durationOf(parameters, "step")
  const points = Math.floor((end - start) / step) + 1
  if (points > pointsMax) {
    return yield* new QueryIsInvalid({
      detail: `exceeded maximum resolution of ${pointsMax.toLocaleString("en")} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    })
  }
  return { times: Float64Array.from({ length: points }, (_, index) => start + index * step), end }
})
