/** The fields of the error of a port: an adapter could not reach its resource, or got no response. */
export interface PortFailure {
  /** The name of the port's method that failed, such as `list`. */
  readonly operation: string
  /** Whether the same operation may succeed later. */
  readonly isRetryable: boolean
  /** Never part of an API response. */
  readonly cause: unknown
}
