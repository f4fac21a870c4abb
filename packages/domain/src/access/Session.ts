import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Access } from "./Access.ts"
import { OrganizationDoesNotMatch } from "./AccessToken.ts"
import { CredentialStore } from "./CredentialStore.ts"
import { type BasicCredentials, proveCredential } from "./ProveCredential.ts"

/** How long somebody stays signed in to the web console, in seconds. */
export const sessionLifetimeSeconds = 12 * 3_600

/** What a session of the web console is opened with. Times are Unix milliseconds. */
export interface Session {
  readonly organization: OrganizationId
  readonly clientId: string
  /** When the credential was created; distinguishes a new credential with the same client ID. */
  readonly credentialCreatedAt: number
  /** On a whole second. */
  readonly expiresAt: number
}

/**
 * Port: makes the tokens that browsers keep of sessions, and reads them. They are good for sessions alone: an access
 * token is no session, and a session no access token.
 */
export class SessionTokens extends Context.Service<
  SessionTokens,
  {
    readonly issue: (session: Session) => Effect.Effect<string>
    /** The claims of a token that this server issued and that is valid at `now` (Unix milliseconds). */
    readonly verify: (token: string, now: number) => Effect.Effect<Session, SessionIsInvalid>
  }
>()("@tocsin/domain/access/SessionTokens") {}

/** The session is invalid or expired, or its credential was deleted or disabled. */
export class SessionIsInvalid extends Data.TaggedError("SessionIsInvalid")<{
  readonly reason: "malformed" | "expired" | "credential_disabled"
}> {}

/** Who a session is of, and until when it holds, in Unix milliseconds. */
export interface SessionAccess extends Access {
  readonly expiresAt: number
}

/**
 * Opens a session of the web console, of twelve hours, for a person who proves a credential; fails as
 * `proveCredential` does.
 *
 * It counts against no window of the organization's, so that signing in keeps no client from its access token.
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
  const expiresAt = (Math.floor(now / 1_000) + sessionLifetimeSeconds) * 1_000
  const token = yield* tokens.issue({ organization, clientId, credentialCreatedAt, expiresAt })
  const session: SessionAccess = { organization, clientId, role, expiresAt }
  return { token, session }
})

/**
 * Authenticates a session token.
 *
 * Reads the credential on every call: a deleted or disabled credential invalidates its sessions, and the role is the
 * current one. The organization is the session's. A request that names an organization must name the same one, so that
 * a page opened before a sign-in to another organization changes nothing there.
 *
 * Fails with `SessionIsInvalid`, or with `OrganizationDoesNotMatch` when `organization` is given and differs.
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
