import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"

/** The row that a secret belongs to. A sealed secret opens only there, so that a copied row reveals nothing. */
export interface SecretPlace {
  /** `""` for what belongs to the instance. */
  readonly organization: string
  /** Names the record within the organization, as `AlertMethod/shop/pager`. */
  readonly record: string
}

/** A secret that only the holder of its key can read. */
export interface SealedSecret {
  /** Names the key, so that secrets under an old and a new key can stand side by side. */
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** The secret was sealed with an unavailable key or for another row, or has been modified. */
export class SecretCannotBeOpened extends Data.TaggedError("SecretCannotBeOpened")<{
  readonly place: SecretPlace
  readonly keyId: string
}> {}

/**
 * Port: seals secrets for storage, and opens them.
 *
 * Both are synchronous: they cost microseconds. Sealing the same twice gives different bytes.
 */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** The current key; secrets under any other key must be sealed again. */
    readonly keyId: string
    readonly seal: (place: SecretPlace, secret: Redacted.Redacted<Uint8Array>) => SealedSecret
    readonly open: (
      place: SecretPlace,
      sealed: SealedSecret,
    ) => Result.Result<Redacted.Redacted<Uint8Array>, SecretCannotBeOpened>
  }
>()("@tocsin/domain/secret/SecretBox") {}

/** Port: what is stored of secrets, as a whole. */
export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /**
     * Seals every secret under an old key with the current one; returns how many.
     *
     * What it has done stays done when it is broken off. Afterwards nothing needs another key.
     */
    readonly reseal: Effect.Effect<number, SealedSecretsAreUnavailable>
  }
>()("@tocsin/domain/secret/SealedSecrets") {}

/** The secrets could not be read or written. */
export class SealedSecretsAreUnavailable extends Data.TaggedError("SealedSecretsAreUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
