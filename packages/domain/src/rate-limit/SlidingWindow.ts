import type { RateLimitPolicy } from "./RateLimitPolicy.ts"

/** The times of accepted requests, oldest first, in milliseconds: those that count, never more than the limit. */
export type SlidingWindow = ReadonlyArray<number>

export interface RateLimitDecision {
  readonly isAccepted: boolean
  /** How many more requests would be accepted now. */
  readonly remaining: number
  /** How long until the next request would be accepted; 0 if one would be now. */
  readonly retryAfterMs: number
}

export const emptyWindow: SlidingWindow = []

/**
 * Decides whether to accept a request at `now` (milliseconds), exactly (spec/rate-limits §1).
 *
 * No window [t, t + windowMs) ever contains more accepted requests than the limit, and a request is rejected only if it
 * would: one accepted at t stops counting at t + windowMs. Rejected requests do not count. While the clock is behind the
 * latest accepted request, the time of that request is used.
 *
 * With a limit of 1 in 3 s: accepted at 0, rejected at 2,999 (retry after 1), accepted at 3,000.
 */
export const takeFromWindow = (
  window: SlidingWindow,
  policy: RateLimitPolicy,
  now: number,
): { readonly window: SlidingWindow; readonly decision: RateLimitDecision } => {
  const time = Math.max(now, window.at(-1) ?? now)
  const firstCounting = window.findIndex((acceptedAt) => acceptedAt + policy.windowMs > time)
  const after = firstCounting === -1 ? [] : window.slice(firstCounting)
  const isAccepted = after.length < policy.limit
  if (isAccepted) after.push(time)
  const remaining = Math.max(0, policy.limit - after.length)
  // The request that must expire first: not the oldest, if the window was filled under a higher limit.
  const expiresFirst = after[after.length - policy.limit] ?? time
  const retryAfterMs = remaining > 0 ? 0 : expiresFirst + policy.windowMs - now
  return { window: after, decision: { isAccepted, remaining, retryAfterMs } }
}

/** When all requests of the window have expired, in milliseconds. */
export const windowIsEmptyAt = (window: SlidingWindow, policy: RateLimitPolicy): number =>
  (window.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.windowMs
