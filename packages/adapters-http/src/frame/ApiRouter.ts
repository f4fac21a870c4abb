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
 * A segment that is given wins over a parameter, from left to right; HEAD uses the handler of GET. Fails with `PathNotFound`,
 * `MethodIsNotAllowed` with the methods there are, or `PathIsMalformed` when a parameter cannot be decoded.
 */
export const makeRouter = <E, R>(routes: ReadonlyArray<ApiRoute<E, R>>) => {
  const root = emptyNode<E, R>()
  for (const route of routes) {
    const segments = route.path.split("/")
    const node = segments.reduce(childOf<E, R>, root)
    node.resource ??= new Map()
    node.resource.set(route.method, {
      route,
      parameters: segments.filter(isParameter).map((segment) => segment.slice(1)),
    })
  }

  return (method: string, path: string): Result.Result<RouteMatch<E, R>, RouteRejection> => {
    const values: Array<string> = []
    const resource = findResource(root, path, 0, values)
    if (resource === undefined) return Result.fail(new PathNotFound())
    const decoded = decodeSegments(values)
    if (decoded === undefined) return Result.fail(new PathIsMalformed())
    const found = resource.get(method === "HEAD" ? "GET" : method)
    if (found !== undefined)
      return Result.succeed({ route: found.route, params: namedParams(found.parameters, decoded) })
    const methods = [...resource.keys()]
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

/** No route has the path. */
export class PathNotFound extends TaggedError("PathNotFound")<{
  /** A path that there is, if the one of the request is probably a misspelling of it. */
  readonly nearest?: string | undefined
}> {
  constructor(given: { readonly nearest?: string | undefined } = {}) {
    super(given)
  }
}

/** The path is not percent-encoded UTF-8. */
export class PathIsMalformed extends TaggedError("PathIsMalformed") {}

/** The path does not support the method; `allow` lists those it does. */
export class MethodIsNotAllowed extends TaggedError("MethodIsNotAllowed")<{ readonly allow: string }> {}

/** The server implements the method for no path at all. */
export class MethodIsUnknown extends TaggedError("MethodIsUnknown") {}

type RouteRejection = PathNotFound | PathIsMalformed | MethodIsNotAllowed

/** The routes of a path by their methods, each with the names of its parameters in the order of the path. */
type Resource<E, R> = Map<
  string,
  { readonly route: ApiRoute<E, R>; readonly parameters: ReadonlyArray<string> }
>

/** What follows a segment: the segments that paths have there, and whether one of them has a parameter there. */
interface RouteNode<E, R> {
  readonly given: Map<string, RouteNode<E, R>>
  parameter: RouteNode<E, R> | undefined
  resource: Resource<E, R> | undefined
}

const emptyNode = <E, R>(): RouteNode<E, R> => ({
  given: new Map(),
  parameter: undefined,
  resource: undefined,
})

const isParameter = (segment: string): boolean => segment.startsWith(":")

const childOf = <E, R>(node: RouteNode<E, R>, segment: string): RouteNode<E, R> => {
  if (isParameter(segment)) return (node.parameter ??= emptyNode())
  const child = node.given.get(segment) ?? emptyNode()
  node.given.set(segment, child)
  return child
}

/** The resource of the rest of a path, whose parameters are added to `values` as sent. */
const findResource = <E, R>(
  node: RouteNode<E, R>,
  path: string,
  from: number,
  values: Array<string>,
): Resource<E, R> | undefined => {
  const end = path.indexOf("/", from)
  const segment = end === -1 ? path.slice(from) : path.slice(from, end)
  const given = node.given.get(segment)
  if (given !== undefined) {
    const found = end === -1 ? given.resource : findResource(given, path, end + 1, values)
    if (found !== undefined) return found
  }
  const { parameter } = node
  if (parameter === undefined || segment === "") return undefined
  values.push(segment)
  const found = end === -1 ? parameter.resource : findResource(parameter, path, end + 1, values)
  if (found === undefined) values.pop()
  return found
}

const decodeSegments = (values: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const decoded: Array<string> = []
  for (const value of values) {
    const segment = decodeSegment(value)
    if (segment === undefined) return undefined
    decoded.push(segment)
  }
  return decoded
}

const namedParams = (
  names: ReadonlyArray<string>,
  values: ReadonlyArray<string>,
): Readonly<Record<string, string>> => {
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) params[name] = values[index] ?? ""
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
