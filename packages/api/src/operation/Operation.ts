import type { Role } from "@tocsin/domain"
import type { Codec, JsonOf as RequestJson, TypeOf } from "@tocsin/domain/codec"
import type { ListedPage } from "@tocsin/domain/pagination"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit"
import type * as Schema from "effect/Schema"
import type { HeaderName } from "./ResponseHeaders.ts"

/** A response: its value is plain domain data, and its `Encoded` type is that of the JSON. */
export type Response = Schema.Codec<unknown, unknown>

/** A page of a list, whose component of the OpenAPI document has the name `identifier`; see `pageOf`. */
export interface PageOf<Item extends Response = Response> {
  /** An item of the list. */
  readonly page: Item
  /** The name of the component. */
  readonly identifier: string
}

/** A response of status 200 (204 for `noContent`), a page of a list, a response for each status, or for each media type. */
export type Success = Response | PageOf | Readonly<Record<number, Response>> | ReadonlyArray<Response>

/** Parameters in the query or in headers, by name. An array is a query parameter that can be repeated. */
export type Parameters = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** Statuses that an operation can declare beside those of every operation. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 408 | 409 | 410 | 412 | 413 | 415 | 429

/**
 * How an operation finds out who calls it: by an access token or a session (`token`), by an access token or client
 * credentials (`client`), by client credentials (`credentials`), by a token that is made from the master key, for one organization
 * (`operator`) or the whole server (`server`), or not at all: anybody (`open`), or pages of the web console, where the server has one
 * (`console`).
 */
export type Access = "token" | "client" | OpenAccess

/** Ways in which a request has no role, and does not count for the limits of an organization. */
export type OpenAccess = "credentials" | "operator" | "server" | "console" | "open"

/**
 * One operation of the API, declared once: its route, the check of its role, the decoding of its request, the JSON of its
 * response, its part of the OpenAPI document, and the client are derived from it.
 */
export type Operation = OperationFields & (OfOrganization | OfNobody)

/** What is declared of an operation of an organization. */
interface OfOrganization {
  /** Default: `token`. */
  readonly access?: Exclude<Access, OpenAccess>
  /** The role that it requires, beyond that of a viewer; the description says so, too. */
  readonly role?: Exclude<Role, "viewer">
  /** How many requests of an organization there may be; its state is in the headers of the response. */
  readonly policy?: RateLimitPolicy
}

/** An operation that nobody has a role for, and no organization a rate limit. */
interface OfNobody {
  readonly access: OpenAccess
  readonly role?: never
  readonly policy?: never
}

interface OperationFields {
  /** In upper case. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** With parameters as in `/api/resends/:id`. */
  readonly path: `/${string}`
  /** What is said of path parameters beyond their names. */
  readonly params?: Parameters
  /** The parameters of the query, beside those of a page. */
  readonly query?: Parameters
  /** Other parameters of the query are not rejected: they are ignored, or the handler checks them. */
  readonly isQueryOpen?: true
  /** Headers beside `organization`. */
  readonly headers?: Parameters
  /** How the body is decoded. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever it decodes
  readonly body?: Codec<any, any>
  /**
   * What a handler gets of the body instead of its value: the parsed JSON, for a use case that decodes it itself, such as after
   * a lookup (`json`), or nothing, for a handler that reads it itself, such as YAML (`unread`).
   */
  readonly bodyAs?: "json" | "unread"
  /** Maximum number of bytes of the body; default: that of every request. */
  readonly bodyMaxBytes?: number
  /** A request without a body is one with an empty object. */
  readonly isBodyOptional?: true
  /** The title of the errors of an invalid body. */
  readonly invalidBody?: string
  /** The successful responses. */
  readonly success: Success
  /** The handler returns the response as it is sent, such as YAML, or bytes that are kept; `success` only describes it. */
  readonly isRaw?: true
  /** Body and response can be YAML, too. */
  readonly isYaml?: true
  /** Headers of the successful responses, beside those of every response and of the rate limit of `policy`. */
  readonly responseHeaders?: ReadonlyArray<HeaderName>
  /** Statuses of its errors, beside those that its access and its body have. */
  readonly errors?: ReadonlyArray<ErrorStatus>
  /** A title of a few words. */
  readonly summary: string
  /** Sentences, without the one about the role. */
  readonly description?: string
  /** It is replaced by another one. */
  readonly deprecated?: true
}

/** The operations of one resource, with the title that they have in the OpenAPI document. */
export interface Resource<O extends Operations = Operations> {
  /** The title. */
  readonly title: string
  /** What is said of all operations. */
  readonly description?: string
  /** The operations by name. */
  readonly operations: O
}

/** Operations by name, which is their `operationId`. */
export type Operations = Readonly<Record<string, Operation>>

/** The parameters of the query that every list in pages has. */
export const pageParameters = ["limit", "cursor"] as const

/** Declares the operations of a resource. */
export const resource = <const O extends Operations>(
  title: string,
  operations: O,
  description?: string,
): Resource<O> => ({ title, operations, ...(description !== undefined && { description }) })

/** The names of the path parameters of an operation. */
export type PathNames<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | PathNames<Rest>
  : P extends `${string}:${infer N}`
    ? N
    : never

type ParametersOf<O extends Operation, Place extends "query" | "headers"> = O extends {
  readonly [P in Place]: infer F extends Parameters
}
  ? F
  : Record<never, never>

/** The path parameters as text. */
export type PathParams<O extends Operation> = { readonly [N in PathNames<O["path"]>]: string }

/** The parameters of the query and headers as a handler gets them: the text that was sent, or each text of a repeated one. */
export type TextParams<O extends Operation> = TextsOf<ParametersOf<O, "query"> & ParametersOf<O, "headers">>

type TextsOf<F> = {
  readonly [N in keyof F as IsList<F[N]> extends true ? N : never]: ReadonlyArray<string>
} & { readonly [N in keyof F as IsList<F[N]> extends true ? never : N]?: string }

type IsList<S> = S extends { readonly Type: ReadonlyArray<unknown> } ? true : false

/** The parameters of the query and headers as a client passes them. */
export type CallParams<O extends Operation> = ValuesOf<ParametersOf<O, "query">> &
  ValuesOf<ParametersOf<O, "headers">> &
  (O["success"] extends PageOf ? PageParameters : unknown)

/** Which page of a list a client asks for. */
export interface PageParameters {
  /** Maximum number of items; 0 selects the default. */
  readonly limit?: number | undefined
  /** As in `links.next` of the page before; absent for the first page. */
  readonly cursor?: string | undefined
}

type ValuesOf<F> = {
  readonly [N in keyof F as IsOptional<F[N]> extends true ? never : N]: ValueOf<F[N]>
} & { readonly [N in keyof F as IsOptional<F[N]> extends true ? N : never]?: ValueOf<F[N]> | undefined }

type ValueOf<S> = S extends { readonly Type: infer T } ? T : never

type IsOptional<S> = S extends { readonly "~type.optionality": "optional" } ? true : false

/** An operation, or a call of one, with a body. */
export interface WithBody<B = unknown> {
  /** What describes the body, or its value. */
  readonly body: B
}

/** The body as a handler gets it: decoded, unless the operation says otherwise; `undefined` for an operation without one. */
export type BodyOf<O extends Operation> =
  O extends Record<"bodyAs", "json">
    ? unknown
    : O extends Record<"bodyAs", "unread">
      ? undefined
      : O extends WithBody<infer B>
        ? TypeOf<B>
        : undefined

/** The JSON of the body; `undefined` for an operation without one. */
export type BodyJsonOf<O> = O extends WithBody<infer B> ? RequestJson<B> : undefined

/** What a handler returns. */
export type OutcomeOf<S> =
  S extends PageOf<infer Item> ? ListedPage<Item["Type"]> : S extends Response ? S["Type"] : ByStatus<S>

type ByStatus<S> = {
  readonly [N in keyof S]: S[N] extends Response
    ? { readonly status: N; readonly value: S[N]["Type"] }
    : never
}[keyof S]

/** The JSON of a successful response, or the text of one of several media types. */
export type JsonOf<S> =
  S extends PageOf<infer Item>
    ? PageJson<Item["Encoded"]>
    : S extends Response
      ? S["Encoded"]
      : S extends ReadonlyArray<Response>
        ? string
        : { readonly [N in keyof S]: S[N] extends Response ? S[N]["Encoded"] : never }[keyof S]

/** The JSON of a page of a list. */
export interface PageJson<Item> {
  /** At most as many as the limit. */
  readonly data: ReadonlyArray<Item>
  /** Relative to the server; `next` is absent on the last page. */
  readonly links: { readonly self: string; readonly next?: string }
}
