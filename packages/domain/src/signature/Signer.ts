import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * The key that signs now, ready for use.
 *
 * `sign` gives the 64 bytes of the Ed25519 signature over the bytes, synchronously; it does not keep the bytes, whose
 * buffer is used again.
 *
 * Source: RFC 8032 section 5.1.6.
 */
export interface SigningKeyInUse {
  readonly keyId: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** The signing key cannot be read or loaded. A fault of the sender: uses no attempt. */
export class SignerIsUnavailable extends Data.TaggedError("SignerIsUnavailable")<{
  readonly operation: "current"
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}

/**
 * Port: signs in the name of this instance.
 *
 * `current` is asked before every attempt and answers from memory nearly always. On every process it names the
 * key that `activeSigningKey` names for the moment it is asked.
 */
export class Signer extends Context.Service<
  Signer,
  { readonly current: Effect.Effect<SigningKeyInUse, SignerIsUnavailable> }
>()("@tocsin/domain/signature/Signer") {}
