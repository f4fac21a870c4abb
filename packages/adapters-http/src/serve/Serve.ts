import {
  type BodyOf,
  type Operation,
  type Operations,
  type OutcomeOf,
  type PageOf,
  pageParameters,
  type PathParams,
  type Resource,
  type TextParams,
} from "@tocsin/api"
import { requireRole } from "@tocsin/domain"
import { decode } from "@tocsin/domain/codec"
import type { ListedPage, PageQuery } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { accessOf, type RequestAccess } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import { BodyIsInvalid, readJson } from "../frame/RequestBody.ts"
import { filteredLinks, onlyKnownQuery, queryOf } from "../frame/RequestParameters.ts"

/** What a handler gets: who calls, the parameters by name, the page that is asked for, and the decoded body. */
export type InputOf<O extends Operation> = RequestAccess &
  PathParams<O> &
  TextParams<O> & {
    readonly body: BodyOf<O>
    readonly page: O["success"] extends PageOf ? PageQuery : undefined
  }

/** Handles an operation, and returns its response as domain data; a value without a field of it does not compile. */
export type HandlerOf<O extends Operation> = (
  input: InputOf<O>,
  request: ApiRequest,
) => Effect.Effect<OutcomeOf<O["success"]>, unknown, unknown>

/**
 * The routes of a resource: each operation with the handler of its name. An operation without a handler does not compile.
 *
 * A request with a query parameter that its operation does not know fails with `DefinitionsAreInvalid`: a misspelt `dry_run`
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
    handler: handlerOf(operation, handlers[name] as unknown as HandlerOf<Operation>),
  })) as ReadonlyArray<
    ApiRoute<
      Effect.Error<ReturnType<H[keyof O]>> | Effect.Error<ReturnType<Frame>>,
      Effect.Services<ReturnType<H[keyof O]>> | Effect.Services<ReturnType<Frame>>
    >
  >

type Frame = ReturnType<typeof handlerOf>

const handlerOf = (operation: Operation, handler: HandlerOf<Operation>) => {
  const { role, query = {}, headers = {}, body, invalidBody = "Invalid request" } = operation
  const isPage = "page" in operation.success
  const names = Object.keys(query)
  const known = isPage ? [...names, ...pageParameters] : names
  const [lists, texts] = [
    names.filter((name) => isList(query[name])),
    names.filter((name) => !isList(query[name])),
  ]
  const headerNames = Object.keys(headers)
  const write = writerOf(operation)
  return (request: ApiRequest) =>
    Effect.gen(function* () {
      yield* onlyKnownQuery(request, known)
      const access = yield* accessOf(request)
      if (role !== undefined) yield* requireRole(access, role)
      const decoded = body && decode(body, yield* readJson(request), undefined)
      if (decoded !== undefined && Result.isFailure(decoded)) {
        return yield* new BodyIsInvalid({ title: invalidBody, issues: decoded.failure })
      }
      const input: Record<string, unknown> = {
        ...queryOf(request, texts),
        ...request.pathParams,
        ...access,
        body: decoded?.success,
        page: isPage ? queryOf(request, pageParameters) : undefined,
      }
      for (const name of lists) input[name] = request.query.getAll(name)
      for (const name of headerNames) {
        const value = request.header(name)
        if (value !== undefined) input[name] = value
      }
      const outcome = yield* handler(
        input as unknown as InputOf<Operation>,
        request,
      ) as Effect.Effect<unknown>
      return write(outcome, request)
    })
}

const isList = (schema: Schema.Top | undefined): boolean =>
  schema !== undefined && SchemaAST.isArrays(schema.ast)

/** Writes what a handler returns: a value that the schema of the response does not allow is a defect. */
const writerOf = ({ path, success, query = {} }: Operation) => {
  if (Schema.isSchema(success)) return responseOf(200, success)
  if ("page" in success) {
    const encode = Schema.encodeUnknownSync(success.page)
    const filters = Object.keys(query)
    return (outcome: unknown, request: ApiRequest): ApiResponse => {
      const { items, ...page } = outcome as ListedPage<unknown>
      const links = filteredLinks(request, path, filters, page)
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

const responseOf = (status: number, schema: Schema.Codec<unknown, unknown>) => {
  const encode = Schema.encodeUnknownSync(schema)
  return (value: unknown): ApiResponse => jsonResponse(status, JSON.stringify(encode(value)))
}
