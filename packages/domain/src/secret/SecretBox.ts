import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * The record that a secret belongs to. A sealed secret opens only there, so that a copied row reveals
 * nothing.
 */
export interface SecretPlace {
  /** `""`: the secret belongs to the instance. */
  readonly organization: string
  /** Unique within the organization, such as `AlertMethod/shop/pager`. */
  readonly record: string
}

/** A secret that only the holder of the master key can read. */
export interface SealedSecret {
  /** Identifies the key, so that secrets with an old and a new key can coexist. */
  readonly keyId: string
  /** Nonce, ciphertext and tag. */
  readonly bytes: Uint8Array
}

/** The secret was sealed with an unavailable key or for another row, or has been modified. */
export class SecretCannotBeOpened extends TaggedError("SecretCannotBeOpened")<{
  /** The record that it is bound to. */
  readonly place: SecretPlace
  /** The key that it was sealed with. */
  readonly keyId: string
}> {}

/**
 * Port: seals (encrypts) secrets for storage, and opens them. Sealing a secret twice gives different bytes.
 */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** The current key; secrets with other keys must be sealed again. */
    readonly keyId: string
    readonly seal: (place: SecretPlace, secret: Redacted.Redacted<Uint8Array>) => SealedSecret
    readonly open: (
      place: SecretPlace,
      sealed: SealedSecret,
    ) => Result.Result<Redacted.Redacted<Uint8Array>, SecretCannotBeOpened>
    /** A keyed hash, by which a text is found again that nobody without the master key can guess from it. */
    readonly hash: (text: string) => string
  }
>()("@tocsin/domain/internal/secret/SecretBox") {}

/** Port: all stored secrets. */
export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /**
     * Seals every secret of an old key with the current key; returns the number of secrets. If interrupted,
     * finished secrets stay sealed.
     */
    readonly reseal: Effect.Effect<number, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/secret/SealedSecrets") {}
