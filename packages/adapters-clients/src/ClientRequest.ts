import type { Access, BasicCredentialsAreInvalid, CredentialsAreInvalid } from "@tocsin/domain"

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
  /** Empty, or JSON. */
  readonly body: string
}

export const jsonResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): ClientResponse => ({ status, headers: { "content-type": "application/json", ...headers }, body })

export const emptyResponse: ClientResponse = { status: 204, headers: {}, body: "" }

/** A time in Unix milliseconds in RFC 3339 format in UTC. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
