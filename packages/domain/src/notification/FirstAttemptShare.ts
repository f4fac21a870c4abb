import { Limits } from "../Limits.ts"

/**
 * Gives how many deliveries of a claim, of at most `limit`, are kept for first attempts.
 *
 * What rounding gives to the one side in a claim, the other side has in a later one: of claims of 1, 1, 1 and 1 the
 * first and the third are kept, of claims of 3 and 3 two and one.
 *
 * Source: decision 0307.
 */
export const makeFirstAttemptShare = (): ((limit: number) => number) => {
  let owed = 0
  return (limit) => {
    owed += limit * Limits.firstAttemptShare
    const kept = Math.ceil(owed)
    owed -= kept
    return kept
  }
}
