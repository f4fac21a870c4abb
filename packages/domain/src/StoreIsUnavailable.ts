import { TaggedError } from "./TaggedError.ts"

/** The fields of the error of a port: an adapter could not reach its resource, or got no response. */
export interface PortFailure {
  /** The name of the port's method that failed, such as `list`. */
  readonly operation: string
  /** Whether the same operation may succeed later. */
  readonly isRetryable: boolean
  /** Never part of an API response. */
  readonly cause: unknown
}

/**
 * A store, or another port that reads and writes state, could not be reached or did not respond. All of them fail with
 * this error; the API responds with 503.
 */
export class StoreIsUnavailable extends TaggedError("StoreIsUnavailable")<
  PortFailure & {
    /** The name of the port, such as `CredentialStore`. */
    readonly store: string
  }
> {}
