import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"

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
