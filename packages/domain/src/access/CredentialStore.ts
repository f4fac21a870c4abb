import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Role } from "./Access.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Largest request body, in bytes. */
export const requestBodyMaxBytes = 1024 * 1024

/** Longest time that a process caches a credential, in milliseconds. */
export const credentialCacheMs = 4_000

/** Longest client ID, in characters. */
export const clientIdMaxCharacters = 128

/** Organizations in which a client that names none is looked for. */
export const clientOrganizationsMax = 10

/** The use of a secret is recorded once in this time, in milliseconds. */
export const lastUsedResolutionMs = 60_000

/** The credential of an API client of one organization. Its secret is not stored. */
export interface Credential {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** Unique within the organization. */
  readonly clientId: string
  /** What it may do. */
  readonly role: Role
  /** `hashClientSecret` of the secret. */
  readonly secretHash: string
  /** The secret before the latest rotation, which works until `until` (Unix milliseconds, exclusive). */
  readonly previousSecret?: PreviousSecret
  /** Whether it is refused. */
  readonly isDisabled: boolean
  /** Unix milliseconds. */
  readonly createdAt: number
  /** When the secret was last used, in Unix milliseconds, to within `lastUsedResolutionMs`; absent: never. */
  readonly lastUsedAt?: number
}

/** A secret that a rotation replaced. */
interface PreviousSecret {
  /** `hashClientSecret` of the secret. */
  readonly hash: string
  /** Unix milliseconds; from then on the secret is rejected. */
  readonly until: number
}

/** Port: the credentials of every organization, whose client IDs are unique within one, and the sessions that were closed. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** Returns whether it was created; `false` when the client ID is taken. */
    readonly create: (credential: Credential) => Effect.Effect<boolean, StoreIsUnavailable>
    /** Called for every request. May return a credential that was read up to 5 s ago. */
    readonly find: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<Option.Option<Credential>, StoreIsUnavailable>
    /** As `find`, but from the store itself, so that the time it takes does not tell which credentials are in use. */
    readonly read: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<Option.Option<Credential>, StoreIsUnavailable>
    /**
     * Closes a session: `isSessionClosed` is true for it from now on, in every process, until its token has expired at
     * `expiresAt` (Unix milliseconds). Returns whether it was open: of several concurrent calls, one gets `true`.
     */
    readonly closeSession: (
      organization: OrganizationId,
      sessionId: string,
      expiresAt: number,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /** Called for every request with a session. Never cached. */
    readonly isSessionClosed: (
      organization: OrganizationId,
      sessionId: string,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /** The credentials with a client ID in all organizations, the first `clientOrganizationsMax` that were created. Never cached. */
    readonly readAnywhere: (clientId: string) => Effect.Effect<ReadonlyArray<Credential>, StoreIsUnavailable>
    /** In the order of client IDs, by code point. */
    readonly list: (
      organization: OrganizationId,
    ) => Effect.Effect<ReadonlyArray<Credential>, StoreIsUnavailable>
    /**
     * Replaces the secret; with `until` (Unix milliseconds), the one before works until then. Returns the credential, or none if
     * it does not exist.
     */
    readonly replaceSecret: (
      organization: OrganizationId,
      clientId: string,
      secretHash: string,
      until: number | undefined,
    ) => Effect.Effect<Option.Option<Credential>, StoreIsUnavailable>
    /** Records that the secret was used at `at` (Unix milliseconds), unless a later use is recorded. */
    readonly markUsed: (
      organization: OrganizationId,
      clientId: string,
      at: number,
    ) => Effect.Effect<void, StoreIsUnavailable>
    /** Returns whether the credential exists. Idempotent. */
    readonly disable: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /** Returns whether the credential existed. */
    readonly delete: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/access/CredentialStore") {}
