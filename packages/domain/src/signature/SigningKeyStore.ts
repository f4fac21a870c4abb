import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"
import type { PortFailure } from "../PortFailure.ts"

/**
 * A key pair of this instance.
 *
 * - `privateKey` is the 32 bytes of the seed (RFC 8032 section 5.1.5).
 * - `activeFromMs` is when it starts to sign, in Unix milliseconds. It signs until the next key becomes active. No other
 *   state is stored, so that processes cannot disagree about it.
 */
export interface SigningKey {
  readonly keyId: string
  readonly publicKey: Ed25519PublicKey
  readonly privateKey: Redacted.Redacted<Uint8Array>
  readonly createdAtMs: number
  readonly activeFromMs: number
}

/** Port: generates a key pair with the platform's secure random generator. */
export class SigningKeyGenerator extends Context.Service<
  SigningKeyGenerator,
  { readonly generate: Effect.Effect<Pick<SigningKey, "keyId" | "publicKey" | "privateKey">> }
>()("@tocsin/domain/internal/signature/SigningKeyGenerator") {}

export class SigningKeyStoreIsUnavailable extends Data.TaggedError(
  "SigningKeyStoreIsUnavailable",
)<PortFailure> {}

export interface SigningKeyAppend {
  readonly key: SigningKey
  /** The newest key that the caller read; `undefined` if there was none. */
  readonly newestKeyId: string | undefined
  /** Keys to delete in the same step. */
  readonly removedKeyIds: ReadonlyArray<string>
}

/**
 * Port: the signing keys of this instance. They belong to the instance, not to an organization.
 *
 * - `list` returns all keys by `activeFromMs`, oldest first.
 * - `append` adds a key and deletes others, atomically, if the newest key is still `newestKeyId`; it returns whether it
 *   did. Of several processes that read the same keys, exactly one succeeds.
 * - `findPublicKey` finds the public key with an ID, also after the key was deleted: what it has signed can be verified at
 *   any time.
 */
export class SigningKeyStore extends Context.Service<
  SigningKeyStore,
  {
    readonly list: Effect.Effect<ReadonlyArray<SigningKey>, SigningKeyStoreIsUnavailable>
    readonly append: (append: SigningKeyAppend) => Effect.Effect<boolean, SigningKeyStoreIsUnavailable>
    readonly findPublicKey: (
      keyId: string,
    ) => Effect.Effect<Option.Option<Ed25519PublicKey>, SigningKeyStoreIsUnavailable>
  }
>()("@tocsin/domain/internal/signature/SigningKeyStore") {}
