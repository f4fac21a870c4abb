import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import type { Access } from "./Access.ts"
import type { BasicCredentials } from "./BasicCredentials.ts"
import { proveCredential } from "./ProveCredential.ts"
import { SessionTokens } from "./SessionTokens.ts"

/** Who a session is of, and until when it holds, in Unix milliseconds. */
export interface SessionAccess extends Access {
  readonly expiresAt: number
}

/**
 * Opens a session of the web console, of twelve hours, for a person who proves a credential; fails as
 * `proveCredential` does.
 *
 * It counts against no window of the organization's, so that signing in keeps no client from its access token.
 *
 * Source: decision 0704.
 */
export const openSession = Effect.fn("openSession")(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  const tokens = yield* SessionTokens
  const credential = yield* proveCredential(organization, credentials, clientAddress)
  const { clientId, role, createdAt: credentialCreatedAt } = credential
  const now = yield* Clock.currentTimeMillis
  const expiresAt = (Math.floor(now / 1_000) + Limits.sessionLifetimeSeconds) * 1_000
  const token = yield* tokens.issue({ organization, clientId, credentialCreatedAt, expiresAt })
  const session: SessionAccess = { organization, clientId, role, expiresAt }
  return { token, session }
})
