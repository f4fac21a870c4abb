import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Port: what is stored of secrets, as a whole. Source: decisions 0007 and 0009. */
export class SealedSecrets extends Context.Service<
  SealedSecrets,
  {
    /**
     * Seals every secret anew that is under another key than the one that seals now; gives how many.
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
