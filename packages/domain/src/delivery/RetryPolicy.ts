/** Delay before each attempt of a delivery, in seconds. */
export const retryDelaysSeconds = [0, 5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400]

/** Most attempts of a delivery. */
export const attemptsMax = retryDelaysSeconds.length

/** Largest random change of a retry delay, as a fraction of the delay. */
const retryJitterFraction = 0.2

/** Longest delay that `Retry-After` can request, in seconds. */
export const retryAfterMaxSeconds = 86_400

/** Delay before a delivery is retried after an internal error of the sender, in milliseconds. */
export const senderFaultDelayMs = 30_000

/**
 * The wait before the next attempt, in milliseconds; `undefined` if no attempt is left.
 *
 * `attemptsUsed` counts from 1. `random` (0 ≤ random < 1) sets the jitter: 0 is 20% early, 0.5 on time.
 * `retryAfterSeconds` can lengthen the wait to at most 24 h and never shortens it.
 *
 * After attempt 1 the wait is 4 s to 6 s, after attempt 10 it is 19.2 h to 28.8 h, after attempt 11 there is no retry.
 */
export const retryDelayMs = (
  attemptsUsed: number,
  random: number,
  retryAfterSeconds: number = 0,
): number | undefined => {
  const seconds = retryDelaysSeconds[attemptsUsed]
  if (seconds === undefined) return undefined
  const jittered = seconds * (1 + retryJitterFraction * (2 * random - 1))
  return Math.round(Math.max(jittered, Math.min(retryAfterSeconds, retryAfterMaxSeconds)) * 1000)
}
