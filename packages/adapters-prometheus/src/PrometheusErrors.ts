import { TaggedError } from "@tocsin/domain/adapter"
import { jsonResponse, type JsonResponse } from "./JsonResponse.ts"
import type { QueryFailed, QueryIsInvalid } from "@tocsin/promql/series"

/** The query waited or was executed for longer than its timeout. */
export class QueryTimedOut extends TaggedError("QueryTimedOut") {}

/** What the API says of an error. */
export interface ErrorStatus {
  /** The status code. */
  readonly status: number
  /** What went wrong. */
  readonly errors: readonly [
    { readonly title: string; readonly detail?: string; readonly code?: string },
    ...ReadonlyArray<{ readonly title: string }>,
  ]
  /** By their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Failures of queries, which only this API has. */
export const queryErrors = {
  QueryIsInvalid: ({ detail }: QueryIsInvalid): ErrorStatus => ({ status: 400, errors: [{ title: detail }] }),
  QueryFailed: ({ detail }: QueryFailed): ErrorStatus => ({ status: 422, errors: [{ title: detail }] }),
  QueryTimedOut: (): ErrorStatus => ({
    status: 503,
    errors: [{ title: "query timed out in expression evaluation", code: queryTimeoutCode }],
  }),
}

const queryTimeoutCode = "query_timeout"

/** The path of everything that Prometheus's own errors are expected of. */
const prefix = "/api/prometheus/"

/** Writes errors as Prometheus does, which its clients show; status and headers are those that they have elsewhere. */
export const prometheusErrorForm = {
  prefix,
  toResponse: ({ status, errors: [{ title, detail, code }], headers }: ErrorStatus): JsonResponse =>
    jsonResponse(
      status,
      JSON.stringify({
        status: "error",
        errorType: code === queryTimeoutCode ? "timeout" : (errorTypes[status] ?? typeOfOther(status)),
        error: detail === undefined ? title : `${title}: ${detail}`,
      }),
      headers,
    ),
}

/** What Prometheus, or Mimir where it has none, calls errors of these statuses. */
const errorTypes: Readonly<Record<number, string>> = {
  401: "unauthorized",
  403: "unauthorized",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  422: "execution",
  429: "too_many_requests",
  503: "unavailable",
}

const typeOfOther = (status: number): string => (status >= 500 ? "internal" : "bad_data")
