import type { RateLimitPolicy } from "./RateLimitPolicy.ts"

/**
 * The times at which requests were accepted, oldest first, in milliseconds: as many as still count, and never more
 * than the policy's limit at that time.
 */
export type SlidingWindow = ReadonlyArray<number>

/** What a window says to a request. */
export interface RateLimitDecision {
  readonly isAccepted: boolean
  /** How many more would be accepted at once. */
  readonly remaining: number
  /** How long until a request would be accepted, if none is before; 0 when one would be at once. */
  readonly retryAfterMs: number
}

/** A window in which nothing was accepted. */
export const emptyWindow: SlidingWindow = []

/**
 * Decides over a request at `now` (milliseconds), exactly.
 *
 * No window [t, t + windowMs) ever holds more accepted requests than the limit, and a request is refused only when
 * accepting it would break that: one accepted at t stops counting at t + windowMs. A clock that steps back stands
 * still until it has caught up. A refused request does not count.
 *
 * With a limit of 1 in 3 s: accepted at 0, refused at 2,999 (retry after 1), accepted at 3,000.
 *
 * Source: spec/rate-limits §1.
 */
export const takeFromWindow = (
  window: SlidingWindow,
  policy: RateLimitPolicy,
  now: number,
): { readonly window: SlidingWindow; readonly decision: RateLimitDecision } => {
  const time = Math.max(now, window.at(-1) ?? now)
  const firstCounting = window.findIndex((acceptedAt) => acceptedAt + policy.windowMs > time)
  const counting = firstCounting === -1 ? emptyWindow : window.slice(firstCounting)
  const isAccepted = counting.length < policy.limit
  const after = isAccepted ? [...counting, time] : counting
  const remaining = Math.max(0, policy.limit - after.length)
  // The one that must leave first; not the oldest, when the window was filled under a higher limit.
  const leavesFirst = after[after.length - policy.limit] ?? time
  const retryAfterMs = remaining > 0 ? 0 : leavesFirst + policy.windowMs - now
  return { window: after, decision: { isAccepted, remaining, retryAfterMs } }
}

/** The moment from which the window counts nothing, in milliseconds. */
export const windowIsEmptyAt = (window: SlidingWindow, policy: RateLimitPolicy): number =>
  (window.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.windowMs
