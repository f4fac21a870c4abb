import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"
import type { PortFailure } from "../PortFailure.ts"

/**
 * A key pair of this instance.
 *
 * - `privateKey` is the 32 bytes of the seed (RFC 8032 section 5.1.5).
 * - `activeFromMs` is when it begins to sign, in Unix milliseconds. It signs until the next key begins; nothing
 *   else of its life is stored, so that no two processes can disagree about it.
 */
export interface SigningKey {
  readonly keyId: string
  readonly publicKey: Ed25519PublicKey
  readonly privateKey: Redacted.Redacted<Uint8Array>
  readonly createdAtMs: number
  readonly activeFromMs: number
}

/** Port: makes a new key pair from the platform's secure randomness. */
export class SigningKeyGenerator extends Context.Service<
  SigningKeyGenerator,
  { readonly generate: Effect.Effect<Pick<SigningKey, "keyId" | "publicKey" | "privateKey">> }
>()("@tocsin/domain/signature/SigningKeyGenerator") {}

export class SigningKeyStoreIsUnavailable extends Data.TaggedError(
  "SigningKeyStoreIsUnavailable",
)<PortFailure> {}

/** A key to add, and what must hold for it. */
export interface SigningKeyAppend {
  readonly key: SigningKey
  /** The key that was the newest when the caller decided; `undefined` when there was none. */
  readonly newestKeyId: string | undefined
  /** Keys to delete, private part and all, together with the addition. */
  readonly removedKeyIds: ReadonlyArray<string>
}

/**
 * Port: the signing keys of this instance. They belong to the instance, not to an organization.
 *
 * - `list` gives every key by `activeFromMs`, oldest first.
 * - `append` adds a key and deletes others, all or nothing, if the newest key is still the one named; it gives
 *   whether it did. Of several processes that decide on the same state exactly one succeeds.
 */
export class SigningKeyStore extends Context.Service<
  SigningKeyStore,
  {
    readonly list: Effect.Effect<ReadonlyArray<SigningKey>, SigningKeyStoreIsUnavailable>
    readonly append: (append: SigningKeyAppend) => Effect.Effect<boolean, SigningKeyStoreIsUnavailable>
  }
>()("@tocsin/domain/signature/SigningKeyStore") {}
