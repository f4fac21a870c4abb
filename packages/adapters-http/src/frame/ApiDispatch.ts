import * as Result from "effect/Result"
import { nearestName } from "@tocsin/domain/codec"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isTraced, parseTraceparent, RequestTraceparent } from "@tocsin/domain/adapter"
import type * as Tracer from "effect/Tracer"
import { AccessLog } from "./AccessLog.ts"
import { ApiOptions } from "./ApiOptions.ts"
import { newTraceId, type ApiRequest, type IncomingRequest } from "./ApiRequest.ts"
import { addHeaders, type ApiResponse } from "./ApiResponse.ts"
import { clientAddress } from "./ClientAddress.ts"
import { HelpOptions, helpPath, type HelpSite } from "./HelpOptions.ts"
import { requestMetrics } from "./RequestMetrics.ts"
import { makeRouter, rejectedRoute, type ApiHandler, type ApiRoute, PathNotFound } from "./ApiRouter.ts"
import { representationOf } from "./ContentCoding.ts"
import { preflightResponse, withCors } from "./Cors.ts"
import {
  deprecationHeaders,
  isVersion1,
  isVersionAcceptable,
  VersionIsNotAcceptable,
  VersionIsTurnedOff,
} from "./ApiVersions.ts"
import {
  errorResponse,
  oneError,
  type ApiFailure,
  type ErrorStatus,
  type StatusTable,
} from "./ErrorResponse.ts"
import type { RoutingFailure } from "./FrameErrors.ts"

/** How errors are written under a path, other than as `errorResponse` does. */
export interface ErrorForm {
  /** Ends with a slash. */
  readonly prefix: string
  readonly toResponse: (status: ErrorStatus) => ApiResponse
}

/** Answers a request with a response of the API; every failure is one. */
export type ApiDispatch<R> = (request: IncomingRequest) => Effect.Effect<ApiResponse, never, R>

/**
 * Routes requests to their handlers, and requests without a route to `otherwise`; `errors` reports failures, and `errorForms`
 * says where they are written otherwise than in the API's own form.
 *
 * Every response has a new `Trace-Id` and the security headers, and says `no-store` unless its handler says otherwise.
 * A defect is logged with the `Trace-Id` and reported as 500 without its cause; of each other failure of the server, one
 * a minute is logged. Responses under `/api/v1/` are marked
 * deprecated; turned off, each is 410. Responses are compressed for clients that accept it, and readable for pages of
 * `ApiOptions.corsOrigins`.
 */
export const makeDispatch = <E extends ApiFailure, R>(
  routes: ReadonlyArray<ApiRoute<E, R>>,
  errors: StatusTable<E | RoutingFailure>,
  otherwise: ApiHandler<RoutingFailure, R> = () => Effect.fail(new PathNotFound()),
  errorForms: ReadonlyArray<ErrorForm> = [],
): ApiDispatch<R> => {
  const findRoute = makeRouter(routes)
  const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(":"))
  const nearestPath = (path: string) =>
    path.length <= comparedPathMaxCharacters
      ? (nearestName(path, paths) ?? nearestName(`/api${path}`, paths))
      : undefined
  const logUnavailable = makeUnavailableLog()

  const handle = (
    incoming: IncomingRequest,
    { path, search }: RequestTarget,
    found: ReturnType<typeof findRoute>,
    traceId: string,
  ): Effect.Effect<ApiResponse, E | RoutingFailure, R> =>
    isVersion1(path)
      ? Effect.flatMap(ApiOptions, ({ isV1Served }) =>
          isV1Served ? route(incoming, path, search, found, traceId) : Effect.fail(new VersionIsTurnedOff()),
        )
      : route(incoming, path, search, found, traceId)

  const route = (
    incoming: IncomingRequest,
    path: string,
    search: string,
    found: ReturnType<typeof findRoute>,
    traceId: string,
  ): Effect.Effect<ApiResponse, E | RoutingFailure, R> => {
    if (Result.isFailure(found)) {
      const rejection = rejectedRoute(found.failure, incoming.method, path)
      return rejection._tag === "PathNotFound"
        ? Effect.mapError(otherwise(new RoutedRequest(incoming, path, search, {}, traceId)), (failure) =>
            failure._tag === "PathNotFound" ? new PathNotFound({ nearest: nearestPath(path) }) : failure,
          )
        : Effect.fail(rejection)
    }
    if (!isVersionAcceptable(incoming.header("accept"))) return Effect.fail(new VersionIsNotAcceptable())
    const { route, params } = found.success
    return Effect.suspend(() => route.handler(new RoutedRequest(incoming, path, search, params, traceId)))
  }

  const statusOf = (failure: E | RoutingFailure): ErrorStatus => {
    const report: (failure: never) => ErrorStatus = errors[failure._tag as (E | RoutingFailure)["_tag"]]
    return report(failure as never)
  }

  const toResponse = (status: ErrorStatus, path: string, help: HelpSite | undefined): ApiResponse => {
    const form = errorForms.find(({ prefix }) => path.startsWith(prefix))
    if (form !== undefined) return form.toResponse(status)
    const response = errorResponse(status)
    return help?.isBuilt() === true ? addHeaders(response, helpLinks(status)) : response
  }

  const causeResponse = (
    cause: Cause.Cause<E | RoutingFailure>,
    path: string,
    traceId: string,
    help: HelpSite | undefined,
  ): Effect.Effect<ApiResponse> => {
    const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (failure !== undefined) {
      const status = statusOf(failure)
      const response = toResponse(status, path, help)
      return status.status < 500
        ? Effect.succeed(response)
        : Effect.as(logUnavailable(failure, cause, traceId), response)
    }
    const response = toResponse(internalError, path, help)
    return Cause.hasInterruptsOnly(cause)
      ? Effect.succeed(response)
      : Effect.as(Effect.annotateLogs(Effect.logError(cause), { traceId }), response)
  }

  /** Responds, and passes what is sent to `done` as soon as it is known. */
  const respond = (
    incoming: IncomingRequest,
    target: RequestTarget,
    found: ReturnType<typeof findRoute>,
    traceId: string,
    corsOrigins: ReadonlyArray<string>,
    help: HelpSite | undefined,
    done: (response: ApiResponse, traceId: string) => void,
  ): Effect.Effect<ApiResponse, never, R> => {
    const finish = (response: ApiResponse): Effect.Effect<ApiResponse> => {
      const framed = withFrameHeaders(response, target.path, traceId)
      const shared = corsOrigins.length === 0 ? framed : withCors(incoming, corsOrigins, framed)
      const sent = representationOf(incoming, shared)
      const answered = (response: ApiResponse): ApiResponse => {
        done(response, traceId)
        return response
      }
      return Effect.isEffect(sent) ? Effect.map(sent, answered) : Effect.succeed(answered(sent))
    }
    if (incoming.fault !== undefined) return finish(toResponse(incoming.fault, target.path, help))
    const preflight = corsOrigins.length === 0 ? undefined : preflightResponse(incoming, corsOrigins)
    return preflight === undefined
      ? Effect.matchCauseEffect(handle(incoming, target, found, traceId), {
          onSuccess: finish,
          onFailure: (cause) => Effect.flatMap(causeResponse(cause, target.path, traceId, help), finish),
        })
      : finish(preflight)
  }

  return (incoming) =>
    Effect.withFiber((fiber) => {
      const target = splitTarget(incoming.target)
      const found = findRoute(incoming.method, target.path)
      const routed = Result.isSuccess(found) ? found.success.route : undefined
      const options = fiber.getRef(ApiOptions)
      const { corsOrigins } = options
      const { site: help } = fiber.getRef(HelpOptions)
      const { note } = fiber.getRef(AccessLog)
      const clock = fiber.getRef(Clock.Clock)
      const startedAt = note === undefined ? 0 : clock.currentTimeMillisUnsafe()
      const started = performance.now()
      const measured = requestMetrics(fiber.context)
      const done = ({ status }: ApiResponse, traceId: string): void => {
        measured.note(routed?.operation ?? "other", status, (performance.now() - started) / 1_000)
        if (note === undefined) return
        const at = clock.currentTimeMillisUnsafe()
        const address = clientAddress(incoming, options)
        note({
          at,
          traceId,
          method: incoming.method,
          path: target.path,
          ...(address !== "" && { clientAddress: address }),
          status,
          durationMs: at - startedAt,
        })
      }
      const given = incoming.header("traceparent")
      if (isTraced(fiber)) {
        return traceRequest(incoming, routed, parseTraceparent(given), (traceId) =>
          respond(incoming, target, found, traceId, corsOrigins, help, done),
        )
      }
      const response = respond(incoming, target, found, newTraceId(), corsOrigins, help, done)
      return parseTraceparent(given) === undefined
        ? response
        : Effect.provideService(response, RequestTraceparent, given)
    })
}

/** Responds within a span, with the ID of its trace; spans say the route, and not what the request is about. */
const traceRequest = <R>(
  { method }: IncomingRequest,
  routed: { readonly path: string; readonly operation?: string } | undefined,
  parent: Tracer.ExternalSpan | undefined,
  respond: (traceId: string) => Effect.Effect<ApiResponse, never, R>,
): Effect.Effect<ApiResponse, never, R> =>
  Effect.useSpan(
    routed?.operation ?? method,
    {
      kind: "server",
      ...(parent === undefined ? { root: true } : { parent }),
      attributes: {
        "http.request.method": method,
        ...(routed !== undefined && { "http.route": routed.path }),
      },
    },
    (span) =>
      Effect.map(Effect.withParentSpan(respond(span.traceId), span), (response) => {
        span.attribute("http.response.status_code", response.status)
        return response
      }),
  )

/**
 * Logs failures that every request has while a store is unavailable: of each store and other kind of failure the first
 * one, and one a minute with how many requests failed since the line before.
 */
const makeUnavailableLog = () => {
  const kinds = new Map<string, { readonly loggedAt: number; requests: number }>()
  return (
    failure: { readonly _tag: string; readonly store?: string },
    cause: Cause.Cause<unknown>,
    traceId: string,
  ): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const kind = failure.store ?? failure._tag
      const known = kinds.get(kind)
      if (known !== undefined && Math.abs(now - known.loggedAt) < logEveryMs) {
        known.requests++
        return Effect.void
      }
      kinds.set(kind, { loggedAt: now, requests: 1 })
      const fields = known === undefined ? { traceId } : { traceId, requests: known.requests }
      const message =
        failure.store === undefined ? "The server cannot handle requests" : "The database is not available"
      return Effect.annotateLogs(Effect.logWarning(message, cause), fields)
    })
}

const logEveryMs = 60_000

class RoutedRequest implements ApiRequest {
  readonly path: string
  readonly pathParams: Readonly<Record<string, string>>
  readonly traceId: string
  organization: ApiRequest["organization"]
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
  get access() {
    return this.#incoming.access
  }
  get query() {
    return (this.#query ??= this.#search === "" ? noQuery : new URLSearchParams(this.#search))
  }
  header(name: string) {
    return this.#incoming.header(name)
  }
  readBody(maxBytes: number) {
    return this.#incoming.readBody(maxBytes)
  }
}

// Handlers must not change it.
const noQuery = new URLSearchParams()

interface RequestTarget {
  readonly path: string
  readonly search: string
}

/** The path and query of a request target, which may be an absolute URL; a fragment is ignored. */
const splitTarget = (target: string): RequestTarget => {
  const from = target.startsWith("/") ? 0 : Math.max(0, target.indexOf("/", target.indexOf("://") + 3))
  const hash = target.indexOf("#")
  const to = hash === -1 ? target.length : hash
  const question = target.indexOf("?")
  return question === -1 || question > to
    ? { path: target.slice(from, to), search: "" }
    : { path: target.slice(from, question), search: target.slice(question + 1, to) }
}

/** Links to the pages of the documentation about the codes of errors (RFC 8288, section 3; `help` is a registered relation). */
const helpLinks = ({ errors }: ErrorStatus): Readonly<Record<string, string>> => {
  const codes = new Set(errors.flatMap(({ code }) => code ?? []))
  if (codes.size === 0) return {}
  const links = [...codes].slice(0, helpLinksMax).map((code) => `<${helpPath}/errors/${code}>; rel="help"`)
  return { link: links.join(", ") }
}

/** A definition can have issues with many codes, and a header of a response should stay short. */
const helpLinksMax = 5

export const internalError = oneError(500, { title: "Internal server error", code: "internal_error" })

const withFrameHeaders = (response: ApiResponse, path: string, traceId: string): ApiResponse => {
  // Every response passes here: its headers are copied once.
  const headers: Record<string, string> = {}
  for (const name in response.headers) headers[name] = response.headers[name] ?? ""
  headers["cache-control"] ??= "no-store"
  headers["x-content-type-options"] = "nosniff"
  headers["trace-id"] = traceId
  if (isVersion1(path)) {
    const { link, ...deprecated } = deprecationHeaders(path)
    Object.assign(headers, deprecated, {
      link: headers["link"] === undefined ? link : `${link}, ${headers["link"]}`,
    })
  }
  const { status, body, rest, precompressed } = response
  return rest === undefined && precompressed === undefined
    ? { status, headers, body }
    : { ...response, headers }
}

/** Longest path that is compared with those there are, to say which one was meant. */
const comparedPathMaxCharacters = 64
