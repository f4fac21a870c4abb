import { makeWindowTable, windowsInMemoryMax } from "@tocsin/domain/adapter"
import { RateLimiter } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Rate limits in memory, as `makeWindowTable`. */
export const make = (windowsMax: number): RateLimiter["Service"] => {
  const windows = makeWindowTable(windowsMax)
  return {
    take: (organization, policy, subject, amount = 1) =>
      Effect.clockWith((clock) =>
        Effect.succeed(
          windows.take(policy, `${organization} ${subject}`, clock.currentTimeMillisUnsafe(), amount),
        ),
      ),
  }
}

/** No windows yet, and at most `windowsInMemoryMax` per policy. */
export const layer: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => make(windowsInMemoryMax))
