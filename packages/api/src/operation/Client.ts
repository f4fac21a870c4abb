import { TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  type Access,
  type BodyJsonOf,
  type CallParams,
  type JsonOf,
  type Operation,
  type Operations,
  type PathParams,
  pageParameters,
  type Resource,
  type WithBody,
} from "./Operation.ts"
import { pageSchema } from "./Fields.ts"

/** A request of a client, without the headers that say who calls. */
export interface ClientCall {
  /** In upper case. */
  readonly method: Operation["method"]
  /** How the server finds out who calls. */
  readonly access: Access
  /** With its query. */
  readonly path: string
  /** The headers of the operation that were given, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, ready for `JSON.stringify`; absent for an operation without one. */
  readonly json?: unknown
}

/** What a client passes: the parameters of path, query and headers by name, and the JSON of the body. */
export type CallOf<O extends Operation> = Flat<
  PathParams<O> &
    CallParams<O> &
    (O extends Record<"isBodyOptional", true>
      ? Partial<WithBody<BodyJsonOf<O>>>
      : O extends WithBody
        ? WithBody<BodyJsonOf<O>>
        : unknown)
>

type Flat<T> = { readonly [N in keyof T]: T[N] }

/** A function for each operation, which returns the JSON of its response. */
export type ClientOf<O extends Operations, E, R = never> = {
  readonly [N in keyof O]: (
    call: CallOf<O[N]>,
  ) => Effect.Effect<JsonOf<O[N]["success"]>, E | ResponseIsMalformed, R>
}

/** A response is not what its operation describes: the server is another one, or has another version. */
export class ResponseIsMalformed extends TaggedError("ResponseIsMalformed")<{
  /** The name of the operation. */
  readonly operation: string
}> {}

/**
 * The client of a resource. `send` sends a request and returns the text of a successful response; it adds the server's URL and
 * the headers that say who calls, and fails for any other response. Calls fail with `ResponseIsMalformed`, too.
 *
 * ```ts
 * const api = clientOf(resends, send)
 * api.cancelResend({ id: "019c0eb3-3e60-7b64-9d0c-4a2f7c1d9e55" })
 * ```
 */
export const clientOf = <const O extends Operations, E, R = never>(
  { operations }: Resource<O>,
  send: (call: ClientCall) => Effect.Effect<string, E, R>,
): ClientOf<O, E, R> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => {
      const read = readerOf(name, operation)
      return [
        name,
        (given: Readonly<Record<string, unknown>>) => Effect.flatMap(send(callOf(operation, given)), read),
      ]
    }),
  ) as unknown as ClientOf<O, E, R>

/** Reads the text of a response, and checks it. */
const readerOf = (operation: string, { success }: Operation) => {
  if (Array.isArray(success)) return Effect.succeed<unknown>
  const schemas = Schema.isSchema(success)
    ? [success]
    : "page" in success
      ? [pageSchema(success.page, success.identifier)]
      : Object.values(success)
  const checks = schemas.map((schema) => Schema.is(Schema.toEncoded(schema)))
  return (text: string): Effect.Effect<unknown, ResponseIsMalformed> =>
    Effect.try({
      try: (): unknown => (text === "" ? undefined : JSON.parse(text)),
      catch: () => new ResponseIsMalformed({ operation }),
    }).pipe(
      Effect.filterOrFail(
        (json) => checks.some((isValid) => isValid(json)),
        () => new ResponseIsMalformed({ operation }),
      ),
    )
}

/** The request of a call. */
const callOf = (
  { method, access = "token", path, query = {}, headers = {}, body, success }: Operation,
  given: Readonly<Record<string, unknown>>,
): ClientCall => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(given[name])))
  const search = textsOf([...Object.keys(query), ...("page" in success ? pageParameters : [])], given)
    .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
    .join("&")
  return {
    method,
    access,
    path: search === "" ? filled : `${filled}?${search}`,
    headers: Object.fromEntries(textsOf(Object.keys(headers), given)),
    ...(body !== undefined && { json: given["body"] }),
  }
}

/** The parameters that are given, as text; one for each value of a repeated one. */
const textsOf = (
  names: ReadonlyArray<string>,
  given: Readonly<Record<string, unknown>>,
): Array<[string, string]> =>
  names.flatMap((name) => [given[name] ?? []].flat().map((value): [string, string] => [name, String(value)]))
