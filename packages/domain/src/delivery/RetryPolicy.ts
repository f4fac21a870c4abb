import { Limits } from "../Limits.ts"

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` when none is left.
 *
 * `attemptsUsed` counts from 1. `random` (0 ≤ random < 1) sets the jitter: 0 is 20 % early, 0.5 on time.
 * `retryAfterSeconds` can lengthen the wait to at most 24 h and never shortens it.
 *
 * After attempt 1 the wait is 4 s to 6 s, after attempt 10 it is 19.2 h to 28.8 h, after attempt 11 there is no retry.
 */
export const retryDelayMs = (
  attemptsUsed: number,
  random: number,
  retryAfterSeconds: number = 0,
): number | undefined => {
  const seconds = Limits.retryDelaysSeconds[attemptsUsed]
  if (seconds === undefined) return undefined
  const jittered = seconds * (1 + Limits.retryJitterFraction * (2 * random - 1))
  return Math.round(Math.max(jittered, Math.min(retryAfterSeconds, Limits.retryAfterMaxSeconds)) * 1000)
}
