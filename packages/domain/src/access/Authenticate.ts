import * as Result from "effect/Result"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Access } from "./Access.ts"
import { AccessTokenIsInvalid, AccessTokens } from "./AccessTokens.ts"
import { CredentialStore } from "./CredentialStore.ts"
import { parseOrganization } from "./OrganizationHeader.ts"

/**
 * Tells whose request it is, from its `Authorization` and `Organization` headers.
 *
 * The token comes first: without a good one nothing is told of the rest. The credential behind it is looked up each
 * time, so that a token dies with its credential, and the role is the one the credential has now.
 *
 * Fails with `AccessTokenIsMissing`, `AccessTokenIsInvalid`, `OrganizationIsInvalid`, or `OrganizationDoesNotMatch`
 * when the token belongs to another organization.
 *
 * Source: contract section 5.1; decision 0502.
 */
export const authenticate = Effect.fnUntraced(function* (headers: {
  readonly authorization: string | undefined
  readonly organization: string | undefined
}) {
  const token = yield* Effect.fromResult(bearerToken(headers.authorization))
  const tokens = yield* AccessTokens
  const store = yield* CredentialStore
  const told = yield* tokens.verify(token, yield* Clock.currentTimeMillis)
  const organization = yield* Effect.fromResult(parseOrganization(headers.organization))
  if (organization !== told.organization) return yield* new OrganizationDoesNotMatch()
  const credential = yield* store.find(organization, told.clientId)
  if (Option.isNone(credential) || credential.value.isDisabled) {
    return yield* new AccessTokenIsInvalid({ reason: "credential_disabled" })
  }
  const access: Access = { organization, clientId: told.clientId, role: credential.value.role }
  return access
})

/** The token in an `Authorization` header with the bearer scheme. Source: RFC 6750 section 2.1. */
export const bearerToken = (
  authorization: string | undefined,
): Result.Result<string, AccessTokenIsMissing> => {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1]
  return token === undefined ? Result.fail(new AccessTokenIsMissing()) : Result.succeed(token)
}

/** The request has no `Authorization` header with the bearer scheme. Source: decision 0502. */
export class AccessTokenIsMissing extends Data.TaggedError("AccessTokenIsMissing") {}

/** The token is good, but for another organization than the header names. Source: decision 0502. */
export class OrganizationDoesNotMatch extends Data.TaggedError("OrganizationDoesNotMatch") {}
