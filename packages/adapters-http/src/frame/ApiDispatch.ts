import * as Result from "effect/Result"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isVersionAcceptable, VersionIsNotAcceptable } from "./AcceptVersion.ts"
import { AccessLog } from "./AccessLog.ts"
import type { ApiResponse } from "./ApiResponse.ts"
import { ApiOptions } from "./ApiOptions.ts"
import type { ApiRequest, IncomingRequest } from "./ApiRequest.ts"
import { makeRouter, PathIsUnknown, type ApiHandler, type ApiRoute } from "./ApiRouter.ts"
import { errorResponse } from "./ErrorResponse.ts"
import { errorStatus, type ApiFailure } from "./ErrorStatus.ts"
import { deprecationHeaders, isVersion1, VersionIsTurnedOff } from "../slos/StatusDeprecation.ts"
import { newTraceId } from "./TraceId.ts"

/** Answers every request, whatever it is: nothing fails out of it. */
export type ApiDispatch<R> = (request: IncomingRequest) => Effect.Effect<ApiResponse, never, R>

/**
 * Routes requests to their handlers and turns what these fail with into answers.
 *
 * Every answer has a `Trace-Id` of ours and the security headers; an answer says `no-store` unless its handler says
 * otherwise. A defect is logged with the `Trace-Id` and answered 500 without a word of what it was.
 *
 * Answers under `/api/v1/` tell that it is deprecated; turned off, each of them is 410.
 *
 * What has no route is left to `otherwise`.
 *
 * Source: decisions 0501, 0502 and 0514.
 */
export const makeDispatch = <R>(
  routes: ReadonlyArray<ApiRoute<R>>,
  otherwise: ApiHandler<R> = () => Effect.fail(new PathIsUnknown()),
): ApiDispatch<R> => {
  const findRoute = makeRouter(routes)

  const handle = (incoming: IncomingRequest, path: string, search: string, traceId: string) =>
    isVersion1(path)
      ? Effect.flatMap(ApiOptions, ({ isV1Served }) =>
          isV1Served ? route(incoming, path, search, traceId) : Effect.fail(new VersionIsTurnedOff()),
        )
      : route(incoming, path, search, traceId)

  const route = (incoming: IncomingRequest, path: string, search: string, traceId: string) => {
    const found = findRoute(incoming.method, path)
    if (Result.isFailure(found)) {
      return found.failure._tag === "PathIsUnknown"
        ? otherwise(new RoutedRequest(incoming, path, search, {}, traceId))
        : Effect.fail(found.failure)
    }
    if (!isVersionAcceptable(incoming.header("accept"))) return Effect.fail(new VersionIsNotAcceptable())
    return Effect.suspend(() =>
      found.success.handler(new RoutedRequest(incoming, path, search, found.success.params, traceId)),
    )
  }

  return (incoming) => {
    const traceId = newTraceId()
    const { path, search } = splitTarget(incoming.target)
    const handled: Effect.Effect<ApiResponse, ApiFailure, R> = handle(incoming, path, search, traceId)
    const answered = Effect.catchCause(handled, (cause) => answerOfCause(cause, traceId))
    return Effect.flatMap(AccessLog, ({ note }) =>
      note === undefined
        ? Effect.map(answered, (answer) => withFrameHeaders(answer, path, traceId))
        : Effect.flatMap(Clock.currentTimeMillis, (start) =>
            Effect.zipWith(answered, Clock.currentTimeMillis, (answer, at) => {
              const { status } = answer
              note({ at, traceId, method: incoming.method, path, status, durationMs: at - start })
              return withFrameHeaders(answer, path, traceId)
            }),
          ),
    )
  }
}

class RoutedRequest implements ApiRequest {
  readonly path: string
  readonly pathParams: Readonly<Record<string, string>>
  readonly traceId: string
  readonly #incoming: IncomingRequest
  readonly #search: string
  #query: URLSearchParams | undefined

  constructor(
    incoming: IncomingRequest,
    path: string,
    search: string,
    pathParams: Readonly<Record<string, string>>,
    traceId: string,
  ) {
    this.#incoming = incoming
    this.#search = search
    this.path = path
    this.pathParams = pathParams
    this.traceId = traceId
  }

  get method() {
    return this.#incoming.method
  }
  get target() {
    return this.#incoming.target
  }
  get peerAddress() {
    return this.#incoming.peerAddress
  }
  get body() {
    return this.#incoming.body
  }
  get query() {
    return (this.#query ??= new URLSearchParams(this.#search))
  }
  header(name: string) {
    return this.#incoming.header(name)
  }
}

/** An absolute URL counts by its path; a fragment is no part of a request. */
const splitTarget = (target: string): { readonly path: string; readonly search: string } => {
  const from = target.startsWith("/") ? 0 : Math.max(0, target.indexOf("/", target.indexOf("://") + 3))
  const hash = target.indexOf("#")
  const to = hash === -1 ? target.length : hash
  const question = target.indexOf("?")
  return question === -1 || question > to
    ? { path: target.slice(from, to), search: "" }
    : { path: target.slice(from, question), search: target.slice(question + 1, to) }
}

const answerOfCause = (cause: Cause.Cause<ApiFailure>, traceId: string): Effect.Effect<ApiResponse> => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (failure !== undefined) {
    const { status, errors, headers } = errorStatus(failure)
    const answer = errorResponse(status, errors, headers)
    if (status < 500) return Effect.succeed(answer)
    return Effect.as(Effect.annotateLogs(Effect.logWarning(cause), { traceId }), answer)
  }
  const answer = errorResponse(500, [{ title: "Something went wrong on our side", code: "internal_error" }])
  return Cause.hasInterruptsOnly(cause)
    ? Effect.succeed(answer)
    : Effect.as(Effect.annotateLogs(Effect.logError(cause), { traceId }), answer)
}

const withFrameHeaders = (answer: ApiResponse, path: string, traceId: string): ApiResponse => {
  const headers: Record<string, string> = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  }
  Object.assign(headers, answer.headers, isVersion1(path) ? deprecationHeaders(path) : undefined)
  headers["trace-id"] = traceId
  return { ...answer, headers }
}
