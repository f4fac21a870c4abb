import { Limits } from "../Limits.ts"

/** What first attempts get of a claim while later ones are due too. */
export interface FirstAttemptShare {
  /** How many deliveries are kept for them. */
  readonly kept: number
  /** Whether an endpoint that has room for one more gets a first attempt; if not, a later one. */
  readonly prefersFirst: boolean
}

/**
 * Gives what first attempts get of a claim of at most `limit` deliveries.
 *
 * What rounding gives to the one side in a claim, the other side has in a later one: of claims of 1, 1, 1 and 1 the
 * first and the third are kept, of claims of 3 and 3 two and one. The side that rounding favours is preferred too; where
 * nothing is rounded, the one that was not preferred in the claim before.
 *
 * Source: decision 0307.
 */
export const makeFirstAttemptShare = (): ((limit: number) => FirstAttemptShare) => {
  let owed = 0
  let prefersFirst = false
  return (limit) => {
    const exact = limit * Limits.firstAttemptShare
    owed += exact
    const kept = Math.ceil(owed)
    owed -= kept
    prefersFirst = kept === exact ? !prefersFirst : kept > exact
    return { kept, prefersFirst }
  }
}
