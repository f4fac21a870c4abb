import type { Access } from "@tocsin/domain"

/** What the API has checked and read of a request. */
export interface ClientRequest {
  /** Who calls, and with which role. */
  readonly access: Access
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** Of the query, all of which are known. */
  readonly parameters: URLSearchParams
  /** The body, of a route that takes JSON. */
  readonly json: unknown
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
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

export const jsonResponse = (status: number, body: string): ClientResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body,
})

export const emptyResponse: ClientResponse = { status: 204, headers: {}, body: "" }

/** A time in Unix milliseconds in RFC 3339 format in UTC. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
