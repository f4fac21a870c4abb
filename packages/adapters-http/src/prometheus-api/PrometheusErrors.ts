import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiFailure, ErrorStatus, StatusTable } from "../frame/ErrorResponse.ts"
import { QueryFailed, QueryIsInvalid } from "../promql/QueryErrors.ts"

/** The query waited or was executed for longer than its timeout. */
export class QueryTimedOut extends Data.TaggedError("QueryTimedOut") {}

/** Failures of queries, which only this API has. */
type QueryFailure = QueryIsInvalid | QueryFailed | QueryTimedOut

/**
 * Responds to failures in the form of Prometheus, with the status and headers that they have elsewhere. Those of the server
 * remain failures.
 */
export const inPrometheusForm = <E extends ApiFailure, R>(
  handled: Effect.Effect<ApiResponse, E, R>,
  errors: StatusTable<Exclude<E, QueryFailure>>,
): Effect.Effect<ApiResponse, Exclude<E, QueryFailure>, R> =>
  Effect.catchCause(handled, (cause) => {
    const thrown = Cause.squash(cause)
    if (thrown instanceof QueryIsInvalid) return Effect.succeed(errorJson(400, "bad_data", thrown.detail))
    if (thrown instanceof QueryFailed) return Effect.succeed(errorJson(422, "execution", thrown.detail))
    if (thrown instanceof QueryTimedOut) {
      return Effect.succeed(errorJson(503, "timeout", "query timed out in expression evaluation"))
    }
    const failure = Cause.findErrorOption(cause)
    const status =
      failure._tag === "Some" ? statusOf(failure.value as Exclude<E, QueryFailure>, errors) : undefined
    if (status === undefined || status.status >= 500) {
      return Effect.failCause(cause as Cause.Cause<Exclude<E, QueryFailure>>)
    }
    const [{ title, detail }] = status.errors
    const text = detail === undefined ? title : `${title}: ${detail}`
    return Effect.succeed(
      errorJson(status.status, errorTypes[status.status] ?? "bad_data", text, status.headers),
    )
  })

/** What Prometheus, or Mimir where it has none, calls errors of these statuses. */
const errorTypes: Readonly<Record<number, string>> = {
  401: "unauthorized",
  403: "unauthorized",
  404: "not_found",
  406: "not_acceptable",
  429: "too_many_requests",
}

const errorJson = (
  status: number,
  errorType: string,
  error: string,
  headers?: Readonly<Record<string, string>>,
): ApiResponse => jsonResponse(status, JSON.stringify({ status: "error", errorType, error }), headers)

const statusOf = <E extends ApiFailure>(failure: E, errors: StatusTable<E>): ErrorStatus => {
  const report: (failure: never) => ErrorStatus = errors[failure._tag as E["_tag"]]
  return report(failure as never)
}
