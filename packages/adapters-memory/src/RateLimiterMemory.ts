import { RateLimiter } from "@tocsin/domain/rate-limit/RateLimiter"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit/RateLimitPolicy"
import {
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
 * Windows in memory, bounded: one that counts nothing any more is dropped, and a policy has at most `windowsMax` at
 * once. When it has that many, all of them counting, a request that would need another is refused until one is free:
 * the limits hold, and a flood of subjects under one policy takes nothing from another policy.
 */
export const make = (windowsMax: number): RateLimiter["Service"] => {
  const windowsByPolicy = new Map<string, Map<string, SlidingWindow>>()

  const take = (key: string, policy: RateLimitPolicy, now: number): RateLimitDecision => {
    let windows = windowsByPolicy.get(policy.name)
    if (windows === undefined) windowsByPolicy.set(policy.name, (windows = new Map()))
    dropEmpty(windows, policy, now)
    const before = windows.get(key)
    if (before === undefined && windows.size >= windowsMax) return fullDecision(windows, policy, now)
    const { window, decision } = takeFromWindow(before ?? emptyWindow, policy, now)
    if (decision.isAccepted) {
      windows.delete(key)
      windows.set(key, window)
    }
    return decision
  }

  return {
    take: (organization, policy, subject) =>
      Effect.map(Clock.currentTimeMillis, (now) => take(`${organization} ${subject}`, policy, now)),
  }
}

/** Empty windows, at most 100,000 a policy. */
export const layer: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => make(100_000))

/** Windows stand in the order of their last accepted request, so those that count nothing come first. */
const dropEmpty = (windows: Map<string, SlidingWindow>, policy: RateLimitPolicy, now: number): void => {
  for (const [key, window] of windows) {
    if (windowIsEmptyAt(window, policy) > now) return
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
