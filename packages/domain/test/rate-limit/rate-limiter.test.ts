import { RateLimiterMemory } from "@tocsin/adapters-memory"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit"
import { accessTokenPolicy, failedCredentialsPolicy } from "../../src/rate-limit/RateLimitPolicy.ts"
import { rateLimiterContract } from "@tocsin/testing/contracts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

rateLimiterContract("memory", RateLimiterMemory.layer)

describe("the memory of the rate limiter", () => {
  it.effect(
    "spec/rate-limits §5: a full policy rejects new windows until one is empty, and returns when",
    () =>
      Effect.gen(function* () {
        const limiter = RateLimiterMemory.make(2)
        const take = (organization: string, policy: RateLimitPolicy = accessTokenPolicy) =>
          limiter.take(organization, policy, "")
        expect((yield* take("a")).isAccepted).toBe(true)
        yield* TestClock.adjust(1_000)
        expect((yield* take("b")).isAccepted).toBe(true)
        expect(yield* take("c")).toEqual({ isAccepted: false, remaining: 0, retryAfterMs: 2_000 })
        expect((yield* take("d", failedCredentialsPolicy)).isAccepted).toBe(true)
        yield* TestClock.adjust(2_000)
        expect((yield* take("c")).isAccepted).toBe(true)
        expect((yield* take("b")).isAccepted).toBe(false)
      }),
  )

  it.effect("a window that was used again does not hold up those that count nothing", () =>
    Effect.gen(function* () {
      const limiter = RateLimiterMemory.make(2)
      const take = (subject: string) => limiter.take("acme", failedCredentialsPolicy, subject)
      yield* take("a")
      yield* take("b")
      yield* TestClock.adjust(2_000)
      yield* take("a")
      yield* TestClock.adjust(1_000)
      expect((yield* take("c")).isAccepted).toBe(true)
      expect((yield* take("a")).remaining).toBe(failedCredentialsPolicy.limit - 2)
    }),
  )
})
