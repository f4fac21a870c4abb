import { RateLimiter } from "@tocsin/domain/rate-limit/RateLimiter"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit/RateLimitPolicy"
import {
  dropFuture,
  emptyWindow,
  takeFromWindow,
  windowIsEmptyAt,
  type RateLimitDecision,
  type SlidingWindow,
} from "@tocsin/domain/rate-limit/SlidingWindow"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Rate limits in memory, with at most `windowsMax` non-empty windows per policy.
 *
 * At that maximum, requests that need another window are rejected until one is empty: limits stay enforced, and a flood
 * of subjects under one policy does not affect another policy.
 */
export const make = (windowsMax: number): RateLimiter["Service"] => {
  const windowsByPolicy = new Map<string, Map<string, SlidingWindow>>()

  const take = (key: string, policy: RateLimitPolicy, now: number, amount: number): RateLimitDecision => {
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
  }

  return {
    take: (organization, policy, subject, amount = 1) =>
      Effect.map(Clock.currentTimeMillis, (now) => take(`${organization} ${subject}`, policy, now, amount)),
  }
}

/** No windows yet, and at most 100,000 per policy. */
export const layer: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => make(100_000))

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
