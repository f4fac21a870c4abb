import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Role } from "./Access.ts"
import type { PortFailure } from "../PortFailure.ts"

/** Largest request body, in bytes. */
export const requestBodyMaxBytes = 1024 * 1024

/** How long a process keeps a credential that it has read, in milliseconds. */
export const credentialCacheMs = 4_000

/** Longest client id. */
export const clientIdMaxCharacters = 128

/** A client's right to use the API of one organization; its secret is kept nowhere. */
export interface Credential {
  readonly organization: OrganizationId
  readonly clientId: string
  readonly role: Role
  /** What `hashClientSecret` makes of the secret. */
  readonly secretHash: string
  readonly isDisabled: boolean
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** Keeps the credentials of every organization; client ids are unique within one. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** Returns whether it was created; `false` when the client ID is taken. */
    readonly create: (credential: Credential) => Effect.Effect<boolean, CredentialStoreIsUnavailable>
    /**
     * Asked for every request. An adapter may answer from memory what it read at most 5 s ago, so that a disabled
     * credential stops working within that time on every process.
     */
    readonly find: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<Option.Option<Credential>, CredentialStoreIsUnavailable>
    /** In the order of client ids, by code point. */
    readonly list: (
      organization: OrganizationId,
    ) => Effect.Effect<ReadonlyArray<Credential>, CredentialStoreIsUnavailable>
    /** Returns whether the credential exists. Idempotent. */
    readonly disable: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<boolean, CredentialStoreIsUnavailable>
    /** Returns whether the credential existed. */
    readonly delete: (
      organization: OrganizationId,
      clientId: string,
    ) => Effect.Effect<boolean, CredentialStoreIsUnavailable>
  }
>()("@tocsin/domain/access/CredentialStore") {}

export class CredentialStoreIsUnavailable extends Data.TaggedError(
  "CredentialStoreIsUnavailable",
)<PortFailure> {}
