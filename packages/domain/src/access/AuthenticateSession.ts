import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { OrganizationDoesNotMatch } from "./Authenticate.ts"
import { CredentialStore } from "./CredentialStore.ts"
import type { SessionAccess } from "./OpenSession.ts"
import { SessionIsInvalid, SessionTokens } from "./SessionTokens.ts"

/**
 * Tells whose session a token is of.
 *
 * The credential behind it is looked up each time, so that a session dies with it, and has the role that it has now.
 * The organization is the session's; a request that names one must name the same, so that a page which was opened
 * before somebody signed in to another organization changes nothing there.
 *
 * Fails with `SessionIsInvalid`, or with `OrganizationDoesNotMatch` when `organization` is there and another one.
 *
 * Source: decision 0704.
 */
export const authenticateSession = Effect.fnUntraced(function* (
  token: string,
  organization: string | undefined,
) {
  const tokens = yield* SessionTokens
  const store = yield* CredentialStore
  const session = yield* tokens.verify(token, yield* Clock.currentTimeMillis)
  const credential = yield* store.find(session.organization, session.clientId)
  if (
    Option.isNone(credential) ||
    credential.value.isDisabled ||
    credential.value.createdAt !== session.credentialCreatedAt
  ) {
    return yield* new SessionIsInvalid({ reason: "credential_disabled" })
  }
  if (organization !== undefined && organization !== session.organization) {
    return yield* new OrganizationDoesNotMatch()
  }
  const access: SessionAccess = {
    organization: session.organization,
    clientId: session.clientId,
    role: credential.value.role,
    expiresAt: session.expiresAt,
  }
  return access
})
