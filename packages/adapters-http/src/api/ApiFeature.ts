import { type Access, requireRole, type Role } from "@tocsin/domain"
import { enforceRateLimit } from "@tocsin/domain/ports"
import type { ConcurrencyLimitIsExceeded, RateLimitPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { rejectForeignOrigin } from "../access/CrossSiteGuard.ts"
import { accessOf, clientAccessOf, namelessAccessOf } from "../access/RequestAccess.ts"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import { acceptedList, type DocumentPage } from "../documents/ListResponse.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiDispatch, ErrorForm } from "../frame/ApiDispatch.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import type { ApiFailure, ErrorStatus, StatusTable } from "../frame/ErrorResponse.ts"
import { apiVersion } from "../frame/ApiVersions.ts"
import { productVersion } from "@tocsin/api"
import { readJson, readText } from "../frame/RequestBody.ts"
import { onlyKnownQuery } from "../frame/RequestParameters.ts"
import type { apiErrors } from "./ApiErrors.ts"

/** A request to a route of a feature, whose access is proven and whose body is read. */
export interface FeatureRequest {
  /** Who calls, and with which role; of a public route, nobody. */
  readonly access: Access
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** The parameters of the form in the body, then those of the query. */
  readonly parameters: URLSearchParams
  /** The parameters of the form in the body alone. */
  readonly form: URLSearchParams
  /** The body, of a route that takes JSON. */
  readonly json: unknown
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The address of the client, behind the proxies that the host trusts. */
  readonly clientAddress: string
  /** The public base URL, without a trailing slash. */
  readonly baseUrl: string
  /** Responds with a whole list in the format that the request accepts, page by page: each page after the position of the one before. */
  readonly list: <Position, E, R>(
    readPage: (after?: Position) => Effect.Effect<DocumentPage<Position>, E, R>,
  ) => Effect.Effect<ApiResponse, E | ListFailure, R>
  /** Calls an operation of the API with the same access, within the same request. */
  readonly call: (request: FeatureCall) => Effect.Effect<ApiResponse>
  /** The versions of what serves the request. */
  readonly version: {
    /** Of the API. */
    readonly api: string
    /** Of Tocsin. */
    readonly product: string
  }
  /** How the API reports a failure of a use case. */
  readonly statusOf: (failure: ApiFailure) => ErrorStatus
}

/** Why a list is rejected, beside the failures of what reads it. */
type ListFailure = Effect.Error<ReturnType<typeof enforceRateLimit>> | ConcurrencyLimitIsExceeded

/** A request that a feature makes to the API. */
export interface FeatureCall {
  /** In upper case. */
  readonly method: string
  /** With the query. */
  readonly target: string
  /** By their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: empty. */
  readonly body?: string
}

/** A route of a feature: its handler gets what the API has checked and read. */
export interface FeatureRoute<out E, out R> {
  /** In upper case. */
  readonly method: string
  /** With parameters as in `/api/v2/slos/:sloName`. */
  readonly path: string
  /**
   * Who may call it: a token or a session of the console (`token`); clients with a token or Basic credentials, also of pages that may call the API, who name their organization
   * (`client`) or may leave it to the credential (`nameless`); or anybody (`public`), without `access`.
   */
  readonly access: "token" | "client" | "nameless" | "public"
  /** The role that a caller needs; absent: any. */
  readonly role?: Role
  /** How many requests of an organization there may be; checked before the body is read. */
  readonly policy?: RateLimitPolicy
  /** The parameters of its query, others of which are rejected; absent: any. */
  readonly query?: ReadonlyArray<string>
  /** What its body is, of at most so many bytes for a form. */
  readonly body?: "json" | { readonly formMaxBytes: number }
  /** Responds, once the rest is checked. */
  readonly handler: (request: FeatureRequest) => Effect.Effect<ApiResponse, E, R>
}

/** Routes of another package, which a host adds to the API. */
export interface ApiFeature<E extends ApiFailure, R> {
  /** What the API serves with them. */
  readonly routes: ReadonlyArray<FeatureRoute<E, R>>
  /** The statuses of failures that the API itself does not have. */
  readonly errors: StatusTable<Exclude<E, { readonly _tag: keyof typeof apiErrors }>>
  /** How errors below a path are written, other than as the API does. */
  readonly errorForm?: ErrorForm
}

/** The route of the API for that of a feature; `call` is the API, without features. */
export const featureRoute = <E, R, C>(
  route: FeatureRoute<E, R>,
  call: ApiDispatch<C>,
  statusOf: FeatureRequest["statusOf"],
): ApiRoute<E | AccessFailure, R | C | AccessServices> => ({
  method: route.method,
  path: route.path,
  handler: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* accessTo(route, request)
    if (route.role !== undefined) yield* requireRole(access, route.role)
    if (route.query !== undefined) yield* onlyKnownQuery(request, route.query)
    if (route.policy !== undefined) yield* enforceRateLimit(access.organization, route.policy)
    const context = yield* Effect.context<C>()
    const limits = yield* Effect.context<Effect.Services<ReturnType<typeof enforceRateLimit>>>()
    const form = yield* formOf(route, request)
    return yield* route.handler({
      access,
      pathParams: request.pathParams,
      parameters: new URLSearchParams([...form, ...request.query]),
      form,
      json: route.body === "json" ? yield* readJson(request) : undefined,
      header: (name) => request.header(name),
      clientAddress: yield* clientAddressOf(request),
      baseUrl: (yield* ApiOptions).baseUrl,
      list: (readPage) => Effect.provideContext(acceptedList(access.organization, request, readPage), limits),
      call: ({ method, target, headers = {}, body = "" }) =>
        Effect.provideContext(
          call({
            method,
            target,
            access,
            header: (name) => headers[name],
            peerAddress: request.peerAddress,
            readBody: () => Effect.succeed(Buffer.from(body)),
          }),
          context,
        ),
      version: { api: apiVersion, product: productVersion },
      statusOf,
    })
  }),
})

type AccessFailure =
  | Effect.Error<ReturnType<typeof requireRole>>
  | Effect.Error<ReturnType<typeof onlyKnownQuery>>
  | Effect.Error<ReturnType<typeof enforceRateLimit>>
  | Effect.Error<ReturnType<typeof accessTo>>
  | Effect.Error<ReturnType<typeof formOf>>
  | Effect.Error<ReturnType<typeof readJson>>
type AccessServices =
  | Effect.Services<ReturnType<typeof enforceRateLimit>>
  | Effect.Services<ReturnType<typeof accessTo>>
  | Effect.Services<ReturnType<typeof formOf>>
  | Effect.Services<ReturnType<typeof readJson>>

const accessTo = Effect.fnUntraced(function* (
  { access }: Pick<FeatureRoute<unknown, unknown>, "access">,
  request: ApiRequest,
) {
  if (access === "public") return nobody
  if (access === "token") return yield* accessOf(request)
  if (access === "nameless") return yield* namelessAccessOf(request)
  yield* rejectForeignOrigin(request)
  return yield* clientAccessOf(request)
})

/** Of routes that need no access, which do not read it. */
const nobody: Access = { organization: "", clientId: "", role: "viewer" }

const formOf = Effect.fnUntraced(function* (
  { body }: Pick<FeatureRoute<unknown, unknown>, "body">,
  request: ApiRequest,
) {
  if (typeof body !== "object") return new URLSearchParams()
  const { text } = yield* readText(request, ["application/x-www-form-urlencoded"], body.formMaxBytes)
  return new URLSearchParams(text)
})
