import { clockToleranceMs } from "@tocsin/domain/adapter"
import { RateLimiter } from "@tocsin/domain/ports"
import type { RateLimitPolicy } from "@tocsin/domain/rate-limit"
import { describe, expect, it } from "./EffectTest.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

/**
 * What every `RateLimiter` does.
 *
 * `pass` lets that many milliseconds go by on the limiter's own clock; a negative number sets it back. Default: the
 * limiter's clock is Effect's. Each test works in organizations of its own, so the limiter may be a shared one.
 */
export const rateLimiterContract = <E>(
  name: string,
  layer: Layer.Layer<RateLimiter, E>,
  pass: (milliseconds: number) => Effect.Effect<void> = (milliseconds) => TestClock.adjust(milliseconds),
): void => {
  describe(`rate limiter, ${name}`, () => {
    it.effect("accepts as many as the limit, then rejects until the first has left the window", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const take = limiter.take(newOrganization(), threeInTwoSeconds, "")
        const decisions = yield* Effect.all([take, take, take, take])
        expect(decisions.map(({ isAccepted }) => isAccepted)).toEqual([true, true, true, false])
        expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0])
        const retryAfterMs = decisions[3].retryAfterMs
        expect(retryAfterMs).toBeGreaterThan(0)
        expect(retryAfterMs).toBeLessThanOrEqual(2_000)
        yield* pass(retryAfterMs)
        expect((yield* take).isAccepted).toBe(true)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("a request that counts as several is accepted or rejected as a whole", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const organization = newOrganization()
        const take = (amount: number) => limiter.take(organization, threeInTwoSeconds, "", amount)
        expect(yield* take(2)).toMatchObject({ isAccepted: true, remaining: 1, retryAfterMs: 0 })
        yield* pass(500)
        const rejected = yield* take(2)
        expect(rejected).toMatchObject({ isAccepted: false, remaining: 1 })
        expect(rejected.retryAfterMs).toBeGreaterThan(0)
        expect(rejected.retryAfterMs).toBeLessThanOrEqual(1_500)
        expect(yield* take(1)).toMatchObject({ isAccepted: true, remaining: 0 })
        const all = yield* take(3)
        expect(all.isAccepted).toBe(false)
        // All three must leave, the last of which came later.
        expect(all.retryAfterMs).toBeGreaterThan(1_500)
        yield* pass(all.retryAfterMs)
        expect(yield* take(3)).toMatchObject({ isAccepted: true, remaining: 0 })
      }).pipe(Effect.provide(layer)),
    )

    it.effect("spec/rate-limits §2: does not count what it rejected", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const take = limiter.take(newOrganization(), threeInTwoSeconds, "")
        yield* Effect.replicateEffect(take, 3)
        yield* pass(1_500)
        yield* Effect.replicateEffect(take, 20)
        yield* pass(500)
        expect((yield* take).isAccepted).toBe(true)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("counts organizations, policies and subjects apart", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const organization = newOrganization()
        const other = { ...oneInTwoSeconds, name: "contract-other" }
        const takes = [
          limiter.take(organization, oneInTwoSeconds, ""),
          limiter.take(newOrganization(), oneInTwoSeconds, ""),
          limiter.take(organization, other, ""),
          limiter.take(organization, oneInTwoSeconds, "192.0.2.1"),
          limiter.take(organization, oneInTwoSeconds, "192.0.2.2"),
        ]
        expect((yield* Effect.all(takes)).every(({ isAccepted }) => isAccepted)).toBe(true)
        expect((yield* Effect.all(takes)).some(({ isAccepted }) => isAccepted)).toBe(false)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("holds a limit that was lowered at once", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const organization = newOrganization()
        const take = (limit: number) => limiter.take(organization, { ...threeInTwoSeconds, limit }, "")
        yield* take(3)
        yield* pass(500)
        yield* take(3)
        yield* pass(500)
        expect(yield* take(1)).toMatchObject({ isAccepted: false, remaining: 0 })
        const { retryAfterMs } = yield* take(1)
        // The first one leaves after another second, but the second one still fills the window.
        expect(retryAfterMs).toBeGreaterThan(1_000)
        yield* pass(retryAfterMs)
        expect((yield* take(1)).isAccepted).toBe(true)
      }).pipe(Effect.provide(layer)),
    )

    it.effect.each([-3_600_000, -2_500, 3_600_000])(
      "spec/rate-limits §6: recovers from a jump of %s ms",
      (jump) =>
        Effect.gen(function* () {
          const limiter = yield* RateLimiter
          yield* pass(7_200_000)
          const take = limiter.take(newOrganization(), threeInTwoSeconds, "")
          yield* Effect.replicateEffect(take, 4)
          yield* pass(jump)
          const decisions = yield* Effect.all([take, take, take, take])
          expect(decisions.map(({ isAccepted }) => isAccepted)).toEqual([true, true, true, false])
          yield* pass(decisions[3].retryAfterMs - 1)
          expect((yield* take).isAccepted).toBe(false)
          yield* pass(1)
          expect((yield* take).isAccepted).toBe(true)
        }).pipe(Effect.provide(layer)),
    )

    it.effect("spec/rate-limits §6: a jump within the tolerance lets no request more through", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        yield* pass(5_000)
        const take = limiter.take(newOrganization(), oneInTwoSeconds, "")
        yield* take
        yield* pass(-clockToleranceMs)
        expect(yield* take).toEqual({
          isAccepted: false,
          remaining: 0,
          retryAfterMs: 2_000 + clockToleranceMs,
        })
        yield* pass(2_000 + clockToleranceMs)
        expect((yield* take).isAccepted).toBe(true)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("takes a subject of any characters", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const take = limiter.take(newOrganization(), oneInTwoSeconds, "\u0000 \ud800")
        expect((yield* take).isAccepted).toBe(true)
        expect((yield* take).isAccepted).toBe(false)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("accepts exactly the limit of many at once", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const take = limiter.take(newOrganization(), threeInTwoSeconds, "")
        const decisions = yield* Effect.all(
          Array.from({ length: 50 }, () => take),
          { concurrency: "unbounded" },
        )
        expect(decisions.filter(({ isAccepted }) => isAccepted)).toHaveLength(3)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("decides on many at once as on one after the other, also when it has capacity for some", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const take = limiter.take(newOrganization(), threeInTwoSeconds, "")
        yield* take
        yield* pass(500)
        const decisions = yield* Effect.all(
          Array.from({ length: 20 }, () => take),
          { concurrency: "unbounded" },
        )
        const accepted = decisions.filter(({ isAccepted }) => isAccepted)
        expect(accepted.map(({ remaining }) => remaining)).toEqual([1, 0])
        expect(accepted[0]?.retryAfterMs).toBe(0)
        const waits = decisions.filter(({ remaining }) => remaining === 0).map((each) => each.retryAfterMs)
        expect(waits).toHaveLength(19)
        expect(Math.min(...waits)).toBeGreaterThan(0)
        expect(Math.max(...waits)).toBeLessThanOrEqual(1_500)
      }).pipe(Effect.provide(layer)),
    )
  })
}

const newOrganization = (): string => `org-${crypto.randomUUID()}`
const threeInTwoSeconds: RateLimitPolicy = { name: "contract-three", limit: 3, windowMs: 2_000 }
const oneInTwoSeconds: RateLimitPolicy = { name: "contract-one", limit: 1, windowMs: 2_000 }
