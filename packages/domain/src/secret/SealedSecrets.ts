import { Context, Data, type Effect } from "effect"

/** Port: what is stored of secrets, as a whole. Source: decisions 0007 and 0009. */
export class SealedSecrets extends Context.Tag("@tocsin/domain/secret/SealedSecrets")<
  SealedSecrets,
  {
    /**
     * Seals every secret anew that is under another key than the one that seals now; gives how many.
     *
     * What it has done stays done when it is broken off. Afterwards nothing needs another key.
     */
    readonly reseal: Effect.Effect<number, SealedSecretsAreUnavailable>
  }
>() {}

/** The secrets could not be read or written. */
export class SealedSecretsAreUnavailable extends Data.TaggedError("SealedSecretsAreUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
