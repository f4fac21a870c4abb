import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { RateLimitPolicy } from "./RateLimitPolicy.ts"
import type { RateLimitDecision } from "./SlidingWindow.ts"
import type { PortFailure } from "../PortFailure.ts"

/**
 * Port: one exact sliding window for each organization, policy and subject, shared by all processes.
 *
 * `take` checks and counts in one atomic operation, by `takeFromWindow`. The subject separates windows of one policy
 * within an organization, such as those of client addresses; `""` for a single window.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly take: (
      organization: OrganizationId,
      policy: RateLimitPolicy,
      subject: string,
    ) => Effect.Effect<RateLimitDecision, RateLimiterIsUnavailable>
  }
>()("@tocsin/domain/rate-limit/RateLimiter") {}

export class RateLimiterIsUnavailable extends Data.TaggedError("RateLimiterIsUnavailable")<PortFailure> {}

/** The state of a limit after an allowed request, for the `RateLimit` headers of the response. */
export interface RateLimitStatus {
  readonly policy: RateLimitPolicy
  readonly decision: RateLimitDecision
}

/** Counts a request against a limit; fails with `RateLimitIsExceeded`. Source: spec/rate-limits §1. */
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

/** More requests than the limit allows; answered 429. Source: spec/rate-limits §4. */
export class RateLimitIsExceeded extends Data.TaggedError("RateLimitIsExceeded")<{
  readonly status: RateLimitStatus
}> {}
