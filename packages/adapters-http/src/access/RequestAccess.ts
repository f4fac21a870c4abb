import * as Result from "effect/Result"
import {
  type Access,
  authenticate,
  authenticateSession,
  bearerToken,
  parseBasicCredentials,
  parseOrganization,
  proveCredential,
  proveCredentialAnywhere,
} from "@tocsin/domain"
import * as Effect from "effect/Effect"
import { OperatorTokens } from "../crypto/OperatorTokens.ts"
import { ConsoleOptions } from "../console-files/ConsoleFiles.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { clientAddressOf } from "../frame/ClientAddress.ts"
import { rejectCrossSite } from "./CrossSiteGuard.ts"
import { sessionTokenOf } from "./SessionCookie.ts"

export interface RequestAccess extends Access {
  /** Authenticated by a session of the web console instead of an access token. */
  readonly isSession?: true
}

/**
 * Authenticates a request by its access token, or without one by its session cookie, where the web console is served.
 * Fails as `authenticate` does, and with a session as `sessionOf` does. With `isNamedInQuery`, the parameter `organization`
 * of the query is as good as the header.
 */
export const accessOf = (
  request: ApiRequest,
  isNamedInQuery = false,
): Effect.Effect<RequestAccess, Effect.Error<Proof>, Effect.Services<Proof>> => {
  if (request.access !== undefined) return Effect.succeed(belonging(request, request.access))
  const authorization = request.header("authorization")
  const named = isNamedInQuery ? namedOrganization(request) : request.header("organization")
  const byToken = Effect.map(authenticate({ authorization, organization: named }), (access) =>
    belonging(request, access),
  )
  if (request.header("cookie") === undefined || Result.isSuccess(bearerToken(authorization))) return byToken
  return Effect.gen(function* () {
    const { files } = yield* ConsoleOptions
    const token = files === undefined ? undefined : yield* sessionTokenOf(request)
    if (token === undefined) return yield* byToken
    const { organization, clientId, role } = yield* sessionOf(request, token, named)
    return belonging(request, { organization, clientId, role, isSession: true })
  })
}

/** Remembers whose request it is. */
const belonging = <A extends RequestAccess>(request: ApiRequest, access: A): A => {
  request.organization = access.organization
  return access
}

type Proof = ReturnType<typeof authenticate> | ReturnType<typeof sessionOf>

/** Proves a token of `issueOperatorToken`. */
export const requireOperator = Effect.fnUntraced(function* (request: ApiRequest) {
  const token = yield* Effect.fromResult(bearerToken(request.header("authorization")))
  yield* (yield* OperatorTokens).verify(token)
  return undefined
})

/**
 * Authenticates a request of a client that may be unable to get a token: by Basic credentials or an access token. The
 * organization may also be the query parameter `organization`.
 *
 * Fails as `proveCredential` and `authenticate` do.
 */
export const clientAccessOf = Effect.fnUntraced(function* (request: ApiRequest) {
  const authorization = request.header("authorization")
  const header = namedOrganization(request)
  if (!/^basic /i.test(authorization ?? ""))
    return belonging(request, yield* authenticate({ authorization, organization: header }))
  const credentials = yield* Effect.fromResult(parseBasicCredentials(authorization))
  const organization = yield* Effect.fromResult(parseOrganization(header))
  const clientAddress = yield* clientAddressOf(request)
  const { clientId, role } = yield* proveCredential(organization, credentials, clientAddress)
  const access: Access = { organization, clientId, role }
  return belonging(request, access)
})

/**
 * Authenticates a request as `clientAccessOf` does, of a client that may be unable to name the organization: then it is that of
 * the token, or the one whose credential is proven, as `proveCredentialAnywhere` finds it.
 */
export const namelessAccessOf = Effect.fnUntraced(function* (request: ApiRequest) {
  const authorization = request.header("authorization")
  const named = namedOrganization(request)
  if (!/^basic /i.test(authorization ?? "")) {
    return belonging(
      request,
      yield* authenticate({ authorization, organization: named, isNamedByToken: true }),
    )
  }
  const credentials = yield* Effect.fromResult(parseBasicCredentials(authorization))
  const clientAddress = yield* clientAddressOf(request)
  const { organization, clientId, role } = yield* named === undefined
    ? proveCredentialAnywhere(credentials, clientAddress)
    : proveCredential(yield* Effect.fromResult(parseOrganization(named)), credentials, clientAddress)
  const access: Access = { organization, clientId, role }
  return belonging(request, access)
})

/**
 * The session of the token in the request's cookie; fails with `RequestIsCrossSite`, and as `authenticateSession` does.
 */
export const sessionOf = (request: ApiRequest, token: string, named = request.header("organization")) =>
  Effect.andThen(rejectCrossSite(request), authenticateSession(token, named))

/** By the header, or else by the query parameter. */
const namedOrganization = (request: ApiRequest): string | undefined =>
  request.header("organization") ?? request.query.get("organization") ?? undefined
