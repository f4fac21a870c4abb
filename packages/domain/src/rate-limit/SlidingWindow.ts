import type { RateLimitPolicy } from "./RateLimitPolicy.ts"

/** The times of accepted requests, oldest first, in milliseconds: those that count, never more than the limit. */
export type SlidingWindow = ReadonlyArray<number>

/** Whether a request is accepted, and what is left of its limit. */
export interface RateLimitDecision {
  /** Whether it counts; a rejected request does not. */
  readonly isAccepted: boolean
  /** How many more requests would be accepted now. */
  readonly remaining: number
  /** How long until a rejected request would be accepted, and otherwise one more; 0 if one would be now. */
  readonly retryAfterMs: number
}

/** The window of what has had no request yet. */
export const emptyWindow: SlidingWindow = []

// Requests that wait for one another are decided in a different order than their times were read.

/** Longest time that a request of a rate limit may be in the future and still count, in milliseconds. */
export const clockToleranceMs = 100

/**
 * Decides whether to accept a request at `now` (milliseconds), exactly (spec/rate-limits §1).
 *
 * No window [t, t + windowMs) ever contains more accepted requests than the limit, and a request is rejected only if it
 * would: one accepted at t stops counting at t + windowMs. Rejected requests do not count. A request that was accepted
 * more than `clockToleranceMs` after `now` does not count either: the clock was set back since (spec/rate-limits §6).
 *
 * A request can count as several, its `amount`, at most the limit; it is then accepted or rejected as a whole.
 *
 * With a limit of 1 in 3 s: accepted at 0, rejected at 2,999 (retry after 1), accepted at 3,000.
 */
export const takeFromWindow = (
  window: SlidingWindow,
  policy: RateLimitPolicy,
  now: number,
  amount = 1,
): { readonly window: SlidingWindow; readonly decision: RateLimitDecision } => {
  const known = dropFuture(window, now)
  const firstCounting = known.findIndex((acceptedAt) => acceptedAt > now - policy.windowMs)
  const after = firstCounting === -1 ? [] : known.slice(firstCounting)
  const isAccepted = after.length + amount <= policy.limit
  if (isAccepted) {
    const time = Math.max(now, after.at(-1) ?? now)
    for (let taken = 0; taken < amount; taken++) after.push(time)
  }
  const remaining = Math.max(0, policy.limit - after.length)
  // The request that must expire first: not the oldest, if the window was filled under a higher limit.
  const expiresFirst = after[after.length - policy.limit + (isAccepted ? 0 : amount - 1)]
  const retryAfterMs = expiresFirst === undefined ? 0 : expiresFirst + policy.windowMs - now
  return { window: after, decision: { isAccepted, remaining, retryAfterMs } }
}

/** Removes the requests that were accepted more than `clockToleranceMs` after `now` (milliseconds). */
export const dropFuture = (window: SlidingWindow, now: number): SlidingWindow => {
  const last = window.findLastIndex((acceptedAt) => acceptedAt <= now + clockToleranceMs)
  return last === window.length - 1 ? window : window.slice(0, last + 1)
}

/** When all requests of the window have expired, in milliseconds. */
export const windowIsEmptyAt = (window: SlidingWindow, policy: RateLimitPolicy): number =>
  (window.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.windowMs
