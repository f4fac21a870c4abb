import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { openSessionPolicy } from "../rate-limit/RateLimitPolicy.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { bytesToBase64Url } from "../signature/Base64.ts"
import { named } from "../codec/Codec.ts"
import { object } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Access } from "./Access.ts"
import { credentialOfToken, OrganizationDoesNotMatch } from "./AccessToken.ts"
import { clientIdMaxCharacters, type Credential, CredentialStore } from "./CredentialStore.ts"
import { CredentialNotFound } from "./ManageCredentials.ts"
import { type BasicCredentials, limitFailedCredentials, proveCredential } from "./ProveCredential.ts"

/** Largest request body of a sign-in, in bytes. It is read before the client is authenticated. */
export const signInBodyMaxBytes = 16_384

/** The wire format of a sign-in. */
export const signInRequest = named(
  object({
    organization: string({
      max: nameMaxCharacters,
      format: { pattern: /^[!-~]+$/, message: "must be visible ASCII characters without spaces" },
    }),
    clientId: string({ max: clientIdMaxCharacters }),
    clientSecret: string({ max: signInBodyMaxBytes }),
  }),
  "SignIn",
)

/** The wire format of a sign-in with the token of a link. */
export const signInLink = named(object({ token: string({ max: signInBodyMaxBytes }) }), "SignInLink")

/** Lifetime of a session of the web console, in seconds. */
export const sessionLifetimeSeconds = 12 * 3_600

/** A session of the web console. Times are in Unix milliseconds. */
export interface Session {
  /** Random; distinguishes the sessions of one credential. */
  readonly id: string
  /** The organization that was signed in to. */
  readonly organization: OrganizationId
  /** The credential that was proven. */
  readonly clientId: string
  /** When the credential was created; distinguishes a new credential with the same client ID. */
  readonly credentialCreatedAt: number
  /** On a whole second. */
  readonly expiresAt: number
}

/** Port: issues and verifies the session tokens that browsers store. Access tokens and session tokens are not interchangeable. */
export class SessionTokens extends Context.Service<
  SessionTokens,
  {
    readonly issue: (session: Session) => Effect.Effect<string>
    /** A token of a sign-in link. It opens a session, and is not one itself. */
    readonly issueLink: (link: Session) => Effect.Effect<string>
    /** As `verify`, of a token of a sign-in link. */
    readonly verifyLink: (token: string, now: number) => Effect.Effect<Session, SessionIsInvalid>
    /** The claims of a token that this server issued and that is valid at `now` (Unix milliseconds). */
    readonly verify: (token: string, now: number) => Effect.Effect<Session, SessionIsInvalid>
  }
>()("@tocsin/domain/internal/access/SessionTokens") {}

/** The session is invalid, expired or closed, or its credential was deleted or disabled. */
export class SessionIsInvalid extends TaggedError("SessionIsInvalid")<{
  /** What is wrong with it. */
  readonly reason: "malformed" | "expired" | "closed" | "credential_disabled"
}> {}

/** The access of a session, and when it expires, in Unix milliseconds. */
export interface SessionAccess extends Access {
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * Opens a session for a user who proves a credential; fails as `proveCredential` does, and with `RateLimitIsExceeded`.
 *
 * Does not count against the organization's limit for access tokens, so that signing in cannot block an API client. The
 * limit of sessions per credential bounds the number of closed sessions that a store keeps.
 */
export const openSession = Effect.fn("openSession")(function* (
  organization: OrganizationId,
  credentials: BasicCredentials,
  clientAddress: string,
) {
  return yield* beginSession(yield* proveCredential(organization, credentials, clientAddress))
})

const sessionIdBytes = 16

/** Lifetime of a sign-in link, in seconds. */
export const signInLinkLifetimeSeconds = 3_600

/** A token that opens one session with a credential, within `signInLinkLifetimeSeconds`. Fails with `CredentialNotFound`. */
export const issueSignInLink = Effect.fn("issueSignInLink")(function* (
  organization: OrganizationId,
  clientId: string,
) {
  const store = yield* CredentialStore
  const tokens = yield* SessionTokens
  const credential = Option.getOrUndefined(yield* store.read(organization, clientId))
  if (credential === undefined || credential.isDisabled) return yield* new CredentialNotFound({ clientId })
  const link = yield* newSession(credential, signInLinkLifetimeSeconds)
  return { token: yield* tokens.issueLink(link), expiresAt: link.expiresAt }
})

/**
 * Opens a session with the token of a sign-in link. Of concurrent calls with one token, one opens a session.
 *
 * Fails with `SessionIsInvalid`; such calls count against the limit of failed credentials of their client's network, beyond
 * which they fail with `RateLimitIsExceeded`.
 */
export const openSessionByLink = Effect.fn("openSessionByLink")(function* (
  token: string,
  clientAddress: string,
) {
  const tokens = yield* SessionTokens
  const store = yield* CredentialStore
  const now = yield* Clock.currentTimeMillis
  const opened = Effect.gen(function* () {
    const { id, organization, clientId, credentialCreatedAt, expiresAt } = yield* tokens.verifyLink(
      token,
      now,
    )
    const credential = Option.getOrUndefined(yield* store.read(organization, clientId))
    if (credential === undefined || credential.isDisabled || credential.createdAt !== credentialCreatedAt) {
      return yield* new SessionIsInvalid({ reason: "credential_disabled" })
    }
    if (!(yield* store.closeSession(organization, id, expiresAt))) {
      return yield* new SessionIsInvalid({ reason: "closed" })
    }
    return credential
  })
  const credential = yield* Effect.tapError(opened, ({ _tag }) =>
    _tag === "SessionIsInvalid" ? limitFailedCredentials(clientAddress) : Effect.void,
  )
  return yield* beginSession(credential)
})

const beginSession = Effect.fnUntraced(function* (credential: Credential) {
  const tokens = yield* SessionTokens
  const { organization, clientId, role } = credential
  yield* enforceRateLimit(organization, openSessionPolicy, clientId)
  const opened = yield* newSession(credential, sessionLifetimeSeconds)
  const session: SessionAccess = { organization, clientId, role, expiresAt: opened.expiresAt }
  return { token: yield* tokens.issue(opened), session }
})

const newSession = Effect.fnUntraced(function* (
  { organization, clientId, createdAt: credentialCreatedAt }: Credential,
  lifetimeSeconds: number,
) {
  const { randomBytes } = yield* SecureRandom
  const id = bytesToBase64Url(yield* randomBytes(sessionIdBytes))
  const now = yield* Clock.currentTimeMillis
  const expiresAt = (Math.floor(now / 1_000) + lifetimeSeconds) * 1_000
  const session: Session = { id, organization, clientId, credentialCreatedAt, expiresAt }
  return session
})

/** Closes the session of a token in every process, at once. A token that is not valid is ignored. */
export const closeSession = Effect.fn("closeSession")(function* (token: string) {
  const tokens = yield* SessionTokens
  const store = yield* CredentialStore
  const verified = tokens.verify(token, yield* Clock.currentTimeMillis)
  const session = Option.getOrUndefined(yield* Effect.option(verified))
  if (session !== undefined) yield* store.closeSession(session.organization, session.id, session.expiresAt)
})

/**
 * Authenticates a session token.
 *
 * Reads the credential on every call: a deleted or disabled credential invalidates its sessions, and the role is the
 * current one. A request that names an organization must name that of the session, so that a page that was opened before a
 * sign-in to another organization changes nothing there.
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
  if (yield* store.isSessionClosed(session.organization, session.id)) {
    return yield* new SessionIsInvalid({ reason: "closed" })
  }
  const credential = yield* credentialOfToken(store, session)
  if (credential === undefined) return yield* new SessionIsInvalid({ reason: "credential_disabled" })
  if (organization !== undefined && organization !== session.organization) {
    return yield* new OrganizationDoesNotMatch()
  }
  const { clientId, expiresAt } = session
  const access: SessionAccess = {
    organization: session.organization,
    clientId,
    role: credential.role,
    expiresAt,
  }
  return access
})
