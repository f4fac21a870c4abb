import * as Result from "effect/Result"
import { TaggedError } from "@tocsin/domain/adapter"
import type * as Effect from "effect/Effect"
import type { ApiResponse } from "./ApiResponse.ts"
import type { ApiRequest } from "./ApiRequest.ts"

export type ApiHandler<E, R> = (request: ApiRequest) => Effect.Effect<ApiResponse, E, R>

/** A method and a path, with parameters as in `/api/v2/slos/:sloName`, and its handler. */
export interface ApiRoute<out E, out R> {
  readonly method: string
  readonly path: string
  /** Its name in the OpenAPI document, and in metrics and traces; absent: it is not described there. */
  readonly operation?: string
  readonly handler: ApiHandler<E, R>
}

export type RouteRequirements<Route> = Route extends ApiRoute<unknown, infer R> ? R : never

export type RouteFailures<Route> = Route extends ApiRoute<infer E, unknown> ? E : never

/**
 * Finds the route of a method and a path (as sent, without the query).
 *
 * A path without parameters wins over one with; HEAD uses the handler of GET. Fails with `PathNotFound`,
 * `MethodIsNotAllowed` with the methods there are, or `PathIsMalformed` when a parameter cannot be decoded.
 */
export const makeRouter = <E, R>(routes: ReadonlyArray<ApiRoute<E, R>>) => {
  const resources = new Map<string, Resource<E, R>>()
  for (const route of routes) {
    const { method, path } = route
    const resource = resources.get(path) ?? { segments: path.split("/"), routes: new Map() }
    resource.routes.set(method, route)
    resources.set(path, resource)
  }
  /** By the number of segments. */
  const withParameters = new Map<number, Array<Resource<E, R>>>()
  for (const resource of resources.values()) {
    const { length } = resource.segments
    if (!resource.segments.some(isParameter)) continue
    withParameters.set(length, [...(withParameters.get(length) ?? []), resource])
  }

  return (method: string, path: string): Result.Result<RouteMatch<E, R>, RouteRejection> => {
    let resource = resources.get(path)
    let params: Readonly<Record<string, string>> = noParams
    if (resource === undefined || path.includes(":")) {
      const segments = path.split("/")
      resource = withParameters
        .get(segments.length)
        ?.find((candidate) => isMatch(candidate.segments, segments))
      if (resource === undefined) return Result.fail(new PathNotFound())
      const decoded = decodeParams(resource.segments, segments)
      if (decoded === undefined) return Result.fail(new PathIsMalformed())
      params = decoded
    }
    const route = resource.routes.get(method === "HEAD" ? "GET" : method)
    if (route !== undefined) return Result.succeed({ route, params })
    const methods = [...resource.routes.keys()]
    return Result.fail(
      new MethodIsNotAllowed({
        allow: (methods.includes("GET") ? [...methods, "HEAD"] : methods).join(", "),
      }),
    )
  }
}

export interface RouteMatch<E, R> {
  readonly route: ApiRoute<E, R>
  readonly params: Readonly<Record<string, string>>
}

/** Why a request without a route is rejected: its method or path is wrong on any server, or only on this one. */
export const rejectedRoute = (
  rejection: RouteRejection,
  method: string,
  path: string,
): RouteRejection | MethodIsUnknown => {
  if (!knownMethods.has(method)) return new MethodIsUnknown()
  return rejection._tag === "PathNotFound" && decodeSegment(path) === undefined
    ? new PathIsMalformed()
    : rejection
}

/** The methods of RFC 9110 section 9 and RFC 5789, which any path may be asked for. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])

export class PathNotFound extends TaggedError("PathNotFound") {}

/** The path is not percent-encoded UTF-8. */
export class PathIsMalformed extends TaggedError("PathIsMalformed") {}

/** The path does not support the method; `allow` lists those it does. */
export class MethodIsNotAllowed extends TaggedError("MethodIsNotAllowed")<{ readonly allow: string }> {}

/** The server implements the method for no path at all. */
export class MethodIsUnknown extends TaggedError("MethodIsUnknown") {}

type RouteRejection = PathNotFound | PathIsMalformed | MethodIsNotAllowed

interface Resource<E, R> {
  readonly segments: ReadonlyArray<string>
  readonly routes: Map<string, ApiRoute<E, R>>
}

const noParams = {}
const isParameter = (segment: string): boolean => segment.startsWith(":")

/** Both have the same length. */
const isMatch = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  pattern.every((part, index) => part === segments[index] || (isParameter(part) && segments[index] !== ""))

const decodeParams = (
  pattern: ReadonlyArray<string>,
  segments: ReadonlyArray<string>,
): Readonly<Record<string, string>> | undefined => {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    if (!isParameter(part)) continue
    const value = decodeSegment(segments[index] ?? "")
    if (value === undefined) return undefined
    params[part.slice(1)] = value
  }
  return params
}

const decodeSegment = (segment: string): string | undefined => {
  if (!segment.includes("%")) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
