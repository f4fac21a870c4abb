/** Share of the delivery capacity that is reserved for first attempts while any are due. */
export const firstAttemptShare = 0.5

/** The share of first attempts in a claim, while retries are due too. */
export interface FirstAttemptShare {
  readonly reserved: number
  /** Whether an endpoint with capacity for one more gets a first attempt rather than a retry. */
  readonly prefersFirst: boolean
}

/**
 * Makes the function that computes the share of first attempts in a claim of at most `limit` deliveries.
 *
 * Rounding evens out over claims: of four claims of 1, first attempts get the first and the third; of two claims of 3,
 * they get two and one. The side that rounding favors is also preferred; without rounding, the sides alternate.
 */
export const makeFirstAttemptShare = (): ((limit: number) => FirstAttemptShare) => {
  let owed = 0
  let prefersFirst = false
  return (limit) => {
    const exact = limit * firstAttemptShare
    owed += exact
    const reserved = Math.ceil(owed)
    owed -= reserved
    prefersFirst = reserved === exact ? !prefersFirst : reserved > exact
    return { reserved, prefersFirst }
  }
}
