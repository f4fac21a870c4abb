import type { RateLimitPolicy } from "./RateLimitPolicy.ts"
import {
  dropFuture,
  emptyWindow,
  takeFromWindow,
  windowIsEmptyAt,
  type RateLimitDecision,
  type SlidingWindow,
} from "./SlidingWindow.ts"

/** Sliding windows in memory; `take` decides and counts. */
export interface WindowTable {
  /** `now` is in Unix milliseconds; `amount` is how many requests it counts as. */
  readonly take: (policy: RateLimitPolicy, key: string, now: number, amount: number) => RateLimitDecision
}

/** Most windows of one policy that a process keeps in memory. */
export const windowsInMemoryMax = 100_000

/**
 * Makes a table with at most `windowsMax` non-empty windows per policy.
 *
 * At that maximum, requests that need another window are rejected until one is empty: limits stay enforced, and a flood
 * of subjects under one policy does not affect another policy.
 */
export const makeWindowTable = (windowsMax: number): WindowTable => {
  const windowsByPolicy = new Map<string, Map<string, SlidingWindow>>()
  return {
    take: (policy, key, now, amount) => {
      let windows = windowsByPolicy.get(policy.name)
      if (windows === undefined) windowsByPolicy.set(policy.name, (windows = new Map()))
      dropEmpty(windows, policy, now)
      const before = windows.get(key)
      if (before === undefined && windows.size >= windowsMax) return fullDecision(windows, policy, now)
      const { window, decision } = takeFromWindow(before ?? emptyWindow, policy, now, amount)
      if (decision.isAccepted) {
        windows.delete(key)
        windows.set(key, window)
      }
      return decision
    },
  }
}

/**
 * Windows are in the order of their last accepted request, so empty ones come first. After the clock was set back, so do
 * those with requests from the future.
 */
const dropEmpty = (windows: Map<string, SlidingWindow>, policy: RateLimitPolicy, now: number): void => {
  for (const [key, window] of windows) {
    const known = dropFuture(window, now)
    if (known !== window) windows.set(key, known)
    if (windowIsEmptyAt(known, policy) > now) return
    windows.delete(key)
  }
}

const fullDecision = (
  windows: Map<string, SlidingWindow>,
  policy: RateLimitPolicy,
  now: number,
): RateLimitDecision => {
  const [first = emptyWindow] = windows.values()
  return { isAccepted: false, remaining: 0, retryAfterMs: windowIsEmptyAt(first, policy) - now }
}
