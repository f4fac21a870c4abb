import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Whose signing keys: an organization's, or those of the server, which sign for every organization without its own. */
export type KeyOwner = OrganizationId | typeof theServer

/** The owner of the server's keys. No organization has an empty ID. */
export const theServer = ""

/** The public part of a signing key. */
export interface PublicKey {
  /** The thumbprint of the JSON Web Key, in base64url (RFC 7638, section 3; RFC 8037, section 2). */
  readonly keyId: string
  /** 32 bytes (RFC 8032, section 5.1.5). */
  readonly publicKey: Ed25519PublicKey
}

/**
 * A key pair of the server or of an organization.
 *
 * - `privateKey` is the 32 bytes of the seed (RFC 8032 section 5.1.5).
 * - `activeFromMs` is when it starts to sign, in Unix milliseconds; the time of the key whose place it takes, if that was revoked. It
 *   signs until the next key becomes active. No other state is stored, so that processes cannot disagree about it.
 * - `endsAtMs` is when it stops to sign without a next key, in Unix milliseconds: from then on the server's key signs for
 *   the organization. A retired key whose successor was revoked has one, too: when it stopped signing.
 */
export interface SigningKey extends PublicKey {
  /** The seed, 32 bytes (RFC 8032, section 5.1.5). */
  readonly privateKey: Redacted.Redacted<Uint8Array>
  /** Unix milliseconds. */
  readonly createdAtMs: number
  /** When it starts to sign, in Unix milliseconds. */
  readonly activeFromMs: number
  /** When it stops signing without a successor, in Unix milliseconds. */
  readonly endsAtMs?: number
}

/** Port: generates a key pair with the platform's secure random generator. */
export class SigningKeyGenerator extends Context.Service<
  SigningKeyGenerator,
  { readonly generate: Effect.Effect<Pick<SigningKey, "keyId" | "publicKey" | "privateKey">> }
>()("@tocsin/domain/internal/signature/SigningKeyGenerator") {}

/** The newest key that the caller read, with its end; `undefined` if there was none. */
export type NewestKey = Pick<SigningKey, "keyId" | "endsAtMs"> | undefined

/** A key to add, if the newest one is still the expected one. */
export interface SigningKeyAppend {
  /** The key to add. */
  readonly key: SigningKey
  /** The newest key that is expected. */
  readonly newest: NewestKey
  /** Keys to delete in the same step. */
  readonly removedKeyIds: ReadonlyArray<string>
  /** The end of a retired key whose successor is deleted, which is written in the same step. */
  readonly end?: { readonly keyId: string; readonly endsAtMs: number }
}

/** The end of the use of a signing key, which is written only if no newer key was added. */
export interface SigningKeyEnd {
  /** The newest key that the change was decided with. */
  readonly newest: NewestKey
  /** The key whose end changes. */
  readonly keyId: string
  /** `undefined`: the key has no end any more. */
  readonly endsAtMs: number | undefined
  /** Keys to delete in the same step. */
  readonly removedKeyIds: ReadonlyArray<string>
}

/**
 * Port: the signing keys of the server and of organizations.
 *
 * - `list` returns all keys of an owner by `activeFromMs`, oldest first.
 * - `append` adds a key, deletes others and ends a retired one, atomically, if the newest key is still `newest`; it returns whether it
 *   did. Of several processes that read the same keys, exactly one succeeds.
 * - `setEnd` changes the end of a key of an organization in the same way, under the same condition.
 * - `listPublicKeys` returns every key that an owner ever had, in no particular order, also those that were deleted: what
 *   they have signed can be verified at any time.
 * - `listOrganizations` returns the organizations that have or had keys of their own. It does not depend on a node of a
 *   distributed database.
 */
export class SigningKeyStore extends Context.Service<
  SigningKeyStore,
  {
    readonly list: (owner: KeyOwner) => Effect.Effect<ReadonlyArray<SigningKey>, StoreIsUnavailable>
    readonly append: (owner: KeyOwner, append: SigningKeyAppend) => Effect.Effect<boolean, StoreIsUnavailable>
    readonly setEnd: (
      organization: OrganizationId,
      end: SigningKeyEnd,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    readonly listPublicKeys: (owner: KeyOwner) => Effect.Effect<ReadonlyArray<PublicKey>, StoreIsUnavailable>
    readonly listOrganizations: Effect.Effect<ReadonlyArray<OrganizationId>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/signature/SigningKeyStore") {}
