import type { Access, BasicCredentialsAreInvalid, CredentialsAreInvalid } from "@tocsin/domain"
import { defaultProjectName } from "@tocsin/domain/definitions"
import type { RateLimitIsExceeded, StoreIsUnavailable } from "@tocsin/domain/ports"
import type { ConcurrencyLimitIsExceeded } from "@tocsin/domain/rate-limit"
import type * as Effect from "effect/Effect"

/** What the API has checked and read of a request. */
export interface ClientRequest {
  /** Who calls, and with which role. */
  readonly access: Access
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** Of the query, all of which are known. */
  readonly parameters: URLSearchParams
  /** The parameters of the form in the body, of a route that takes one. */
  readonly form: URLSearchParams
  /** The body, of a route that takes JSON. */
  readonly json: unknown
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The address of the client. */
  readonly clientAddress: string
  /** The public base URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Responds with a whole list, page by page: each page after the position of the one before. */
  readonly list: <Position, E, R>(
    readPage: (
      after?: Position,
    ) => Effect.Effect<
      { readonly documents: ReadonlyArray<object>; readonly next: Position | undefined },
      E,
      R
    >,
  ) => Effect.Effect<
    ClientResponse,
    E | ConcurrencyLimitIsExceeded | RateLimitIsExceeded | StoreIsUnavailable,
    R
  >
  /** How the API rejects invalid credentials. */
  readonly statusOf: (failure: BasicCredentialsAreInvalid | CredentialsAreInvalid) => {
    readonly headers?: Readonly<Record<string, string>>
  }
}

/** A response of the API. */
export interface ClientResponse {
  /** The status code. */
  readonly status: number
  /** By their lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty, or JSON; of a list, JSON or YAML. */
  readonly body: string | Uint8Array
  /** Follows the body of a long list. */
  readonly rest?: AsyncIterable<string | Uint8Array>
}

/** The project that a request is about, `default` unless it says another; `undefined`: all projects. */
export const projectOf = (header: ClientRequest["header"]): string | undefined => {
  const project = header("project") || defaultProjectName
  return project === "*" ? undefined : project
}

export const jsonResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ClientResponse => ({ status, headers: { "content-type": "application/json", ...headers }, body })

export const emptyResponse: ClientResponse = { status: 204, headers: {}, body: "" }

/** A time in Unix milliseconds in RFC 3339 format in UTC. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
