import {
  type BodyOf,
  isNoContent,
  type Operation,
  type OpenAccess,
  type Operations,
  type OutcomeOf,
  type PageOf,
  pageParameters,
  type PathParams,
  type Resource,
  type TextParams,
  type WithBody,
} from "@tocsin/api"
import { requireRole } from "@tocsin/domain"
import { decode } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { ListedPage, PageQuery } from "@tocsin/domain/pagination"
import { enforceRateLimit } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { fromConsole } from "../access/CrossSiteGuard.ts"
import { accessOf, clientAccessOf, type RequestAccess, requireOperator } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { addHeaders, type ApiResponse, emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { BodyIsInvalid, readJson, readOptionalJson } from "../frame/RequestBody.ts"
import { filteredLinks, onlyKnownQuery, queryOf } from "../frame/RequestParameters.ts"

/**
 * What a handler gets: the parameters by name, and if the operation has them, who calls, the body, and the page that is asked
 * for. Nothing of the caller but the organization is at the top, where a parameter could have the same name.
 */
type InputOf<O extends Operation> = PathParams<O> &
  TextParams<O> &
  (O extends { readonly access: OpenAccess } ? unknown : Called) &
  (O extends { readonly bodyAs: "unread" } ? unknown : O extends WithBody ? WithBody<BodyOf<O>> : unknown) &
  (O["success"] extends PageOf ? { readonly page: PageQuery } : unknown)

interface Called {
  readonly organization: OrganizationId
  readonly caller: RequestAccess
}

/**
 * Handles an operation, and returns its response as domain data, with headers if it has any of its own; a value without a field
 * of it does not compile.
 */
export type HandlerOf<O extends Operation> = (
  input: InputOf<O>,
  request: ApiRequest,
) => Effect.Effect<
  O extends { readonly isRaw: true }
    ? ApiResponse
    : OutcomeOf<O["success"]> | WithHeaders<OutcomeOf<O["success"]>>,
  unknown,
  unknown
>

/** What a handler returns, with headers of the response by lower-case name. */
export const withHeaders = <const A>(outcome: A, headers: ApiResponse["headers"]) =>
  new WithHeaders(outcome, headers)

class WithHeaders<out A> {
  readonly outcome: A
  readonly headers: ApiResponse["headers"]
  constructor(outcome: A, headers: ApiResponse["headers"]) {
    this.outcome = outcome
    this.headers = headers
  }
}

/**
 * The routes of a resource: each operation with the handler of its name. An operation without a handler does not compile.
 *
 * A request with a query parameter that its operation does not know fails with `ParametersAreInvalid`: a misspelt `dry_run`
 * would change what was only to be checked. An invalid body fails with `BodyIsInvalid`.
 */
export const serve = <
  const O extends Operations,
  const H extends { readonly [N in keyof O]: HandlerOf<O[N]> },
>(
  { operations }: Resource<O>,
  handlers: H,
) =>
  Object.entries(operations).map(([name, operation]) => ({
    method: operation.method,
    path: operation.path,
    operation: name,
    handler: handlerOf(operation, handlers[name] as unknown as Handler),
  })) as ReadonlyArray<
    ApiRoute<
      Effect.Error<ReturnType<H[keyof O]>> | Effect.Error<ReturnType<Frame>>,
      Effect.Services<ReturnType<H[keyof O]>> | Effect.Services<ReturnType<Frame>>
    >
  >

type Frame = ReturnType<typeof handlerOf>

type Handler = (input: object, request: ApiRequest) => Effect.Effect<unknown>

const handlerOf = (operation: Operation, handler: Handler) => {
  const { access = "token", role, policy, query = {}, isQueryOpen, headers = {}, body } = operation
  const hasBody = body !== undefined && operation.bodyAs !== "unread"
  const isPage = "page" in operation.success
  const names = Object.keys(query)
  const known = isPage ? [...names, ...pageParameters] : names
  const [lists, texts] = [
    names.filter((name) => isList(query[name])),
    names.filter((name) => !isList(query[name])),
  ]
  const headerNames = Object.keys(headers)
  const inputOf = (request: ApiRequest, access: RequestAccess | undefined, body: unknown): object => {
    const input: Record<string, unknown> = { ...queryOf(request, texts), ...request.pathParams }
    for (const name of lists) input[name] = request.query.getAll(name)
    for (const name of headerNames) {
      const value = request.header(name)
      if (value !== undefined) input[name] = value
    }
    if (hasBody) input["body"] = body
    if (isPage) input["page"] = queryOf(request, pageParameters)
    if (access !== undefined) {
      input["organization"] = access.organization
      input["caller"] = access
    }
    return input
  }
  const prove: Prove = proofs[access]
  const isNamedInQuery = names.includes("organization")
  const write = writerOf(operation)
  const respond = (request: ApiRequest, access: RequestAccess | undefined, body: unknown) =>
    Effect.map(handler(inputOf(request, access, body), request), (outcome) => write(outcome, request))
  const isBare = role === undefined && policy === undefined && body === undefined
  const checked = Effect.fnUntraced(function* (request: ApiRequest, access: RequestAccess | undefined) {
    if (role !== undefined && access !== undefined) yield* requireRole(access, role)
    const status = policy && access && (yield* enforceRateLimit(access.organization, policy))
    const response = yield* respond(request, access, body && (yield* bodyOf(operation, body, request)))
    return status === undefined ? response : addHeaders(response, rateLimitHeaders(status))
  })
  const proven = (request: ApiRequest) =>
    Effect.flatMap(prove(request, isNamedInQuery), (access) =>
      // The most frequent requests have neither role nor body: without a generator.
      isBare ? respond(request, access, undefined) : checked(request, access),
    )
  return (request: ApiRequest) =>
    isQueryOpen || request.query.size === 0
      ? proven(request)
      : Effect.andThen(onlyKnownQuery(request, known), proven(request))
}

const proofs = {
  token: accessOf,
  client: clientAccessOf,
  // The handler proves credentials.
  credentials: () => Effect.succeed(undefined),
  console: fromConsole,
  // The handler reads the organization.
  operator: requireOperator,
  server: requireOperator,
  open: () => Effect.succeed(undefined),
} as const

type Proof = ReturnType<(typeof proofs)[keyof typeof proofs]>

type Prove = (
  request: ApiRequest,
  isNamedInQuery: boolean,
) => Effect.Effect<RequestAccess | undefined, Effect.Error<Proof>, Effect.Services<Proof>>

/** The body as the operation wants it. */
const bodyOf = Effect.fnUntraced(function* (
  { bodyAs, isBodyOptional, bodyMaxBytes, invalidBody = "Invalid request" }: Operation,
  codec: NonNullable<Operation["body"]>,
  request: ApiRequest,
) {
  if (bodyAs === "unread") return undefined
  const json = isBodyOptional
    ? ((yield* readOptionalJson(request)) ?? {})
    : yield* readJson(request, bodyMaxBytes)
  if (bodyAs === "json") return json
  const context = { ...(yield* DefinitionOptions), now: yield* Clock.currentTimeMillis }
  const decoded = decode(codec, json, context)
  if (Result.isFailure(decoded))
    return yield* new BodyIsInvalid({ title: invalidBody, issues: decoded.failure })
  return decoded.success as unknown
})

const isList = (schema: Schema.Top | undefined): boolean =>
  schema !== undefined && SchemaAST.isArrays(schema.ast)

/** Writes what a handler returns: a value that the schema of the response does not allow is a defect. */
const writerOf = (operation: Operation): Writer => {
  if (operation.isRaw) return (response) => response as ApiResponse
  const value = valueWriterOf(operation)
  const write: Writer = operation.responseHeaders?.includes("ETag")
    ? (outcome, request) => withETag(value(outcome, request))
    : value
  return (outcome, request) => {
    if (!(outcome instanceof WithHeaders)) return write(outcome, request)
    return addHeaders(write(outcome.outcome, request), outcome.headers)
  }
}

type Writer = (outcome: unknown, request: ApiRequest) => ApiResponse

const valueWriterOf = ({ path, success, query = {} }: Operation): Writer => {
  if (Schema.isSchema(success)) return responseOf(200, success)
  if ("page" in success) {
    const encode = Schema.encodeUnknownSync(success.page)
    const filters = Object.keys(query)
    return (outcome: unknown, request: ApiRequest): ApiResponse => {
      const { items, ...page } = outcome as ListedPage<unknown>
      const links = filteredLinks(request, filledPath(path, request), filters, page)
      return jsonResponse(200, JSON.stringify({ data: items.map((item) => encode(item)), links }))
    }
  }
  const byStatus = new Map(
    Object.entries(success).map(([status, schema]) => [Number(status), responseOf(Number(status), schema)]),
  )
  return (outcome: unknown): ApiResponse => {
    const { status, value } = outcome as { readonly status: number; readonly value: unknown }
    return byStatus.get(status)?.(value) ?? emptyResponse(status)
  }
}

/** The path of a request's operation, with its parameters. */
const filledPath = (path: string, { pathParams }: ApiRequest): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathParams[name] ?? ""))

const responseOf = (status: number, schema: Schema.Codec<unknown, unknown>) => {
  if (isNoContent(schema)) return () => emptyResponse(204)
  const encode = Schema.encodeUnknownSync(schema)
  return (value: unknown): ApiResponse => jsonResponse(status, JSON.stringify(encode(value)))
}
