import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { RateLimiter, type RateLimiterIsUnavailable } from "./RateLimiter.ts"
import type { RateLimitPolicy } from "./RateLimitPolicy.ts"
import type { RateLimitDecision } from "./SlidingWindow.ts"

/** What a limit says to a request that it lets pass; the answer's `RateLimit` headers tell it. */
export interface RateLimitStatus {
  readonly policy: RateLimitPolicy
  readonly decision: RateLimitDecision
}

/** Counts a request against a limit; fails with `RateLimitIsExceeded`. Source: contract section 8; decision 0513. */
export const enforceRateLimit = (
  organization: OrganizationId,
  policy: RateLimitPolicy,
  subject = "",
): Effect.Effect<RateLimitStatus, RateLimitIsExceeded | RateLimiterIsUnavailable, RateLimiter> =>
  Effect.flatMap(RateLimiter, (limiter) =>
    Effect.flatMap(limiter.take(organization, policy, subject), (decision) =>
      decision.isAccepted
        ? Effect.succeed({ policy, decision })
        : Effect.fail(new RateLimitIsExceeded({ status: { policy, decision } })),
    ),
  )

/** More requests than the limit allows; answered 429. Source: contract section 7. */
export class RateLimitIsExceeded extends Data.TaggedError("RateLimitIsExceeded")<{
  readonly status: RateLimitStatus
}> {}
