import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { RateLimitPolicy } from "./RateLimitPolicy.ts"
import type { RateLimitDecision } from "./SlidingWindow.ts"
import type { PortFailure } from "../PortFailure.ts"

/**
 * Port: one exact sliding window for each organization, policy and subject, shared by all processes unless the policy is per
 * process.
 *
 * `take` checks and counts in one atomic operation (`takeFromWindow`). The subject separates windows of one policy within
 * an organization, for example by client address; it is `""` for a single window.
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

/** Counts a request against a limit; fails with `RateLimitIsExceeded`. */
export const enforceRateLimit = (organization: OrganizationId, policy: RateLimitPolicy, subject = "") =>
  Effect.flatMap(RateLimiter, (limiter) =>
    Effect.flatMap(limiter.take(organization, policy, subject), (decision) => {
      const status: RateLimitStatus = { policy, decision }
      return decision.isAccepted ? Effect.succeed(status) : Effect.fail(new RateLimitIsExceeded({ status }))
    }),
  )

/** There were more requests than the limit allows. */
export class RateLimitIsExceeded extends Data.TaggedError("RateLimitIsExceeded")<{
  readonly status: RateLimitStatus
}> {}
