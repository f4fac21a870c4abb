import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { RateLimitPolicy } from "./RateLimitPolicy.ts"
import type { RateLimitDecision } from "./SlidingWindow.ts"
import { noteRejection } from "./RejectedOrganizations.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * Port: one exact sliding window for each organization, policy and subject, shared by all processes unless the policy is per
 * process.
 *
 * `take` checks and counts in one atomic operation (`takeFromWindow`). The subject separates windows of one policy within
 * an organization, for example by client address; it is `""` for a single window. `amount` is how many requests it counts
 * as, 1 by default and at most the limit: all of them or none.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly take: (
      organization: OrganizationId,
      policy: RateLimitPolicy,
      subject: string,
      amount?: number,
    ) => Effect.Effect<RateLimitDecision, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/rate-limit/RateLimiter") {}

/** The state of a limit after an allowed request, for the `RateLimit` headers of the response. */
export interface RateLimitStatus {
  /** The limit. */
  readonly policy: RateLimitPolicy
  /** Whether the request is within it, and what is left of it. */
  readonly decision: RateLimitDecision
}

/**
 * Counts a request against a limit, as `amount` requests; fails with `RateLimitIsExceeded`. What is more than the limit
 * counts as the limit: it is accepted when nothing else was.
 */
export const enforceRateLimit = (
  organization: OrganizationId,
  policy: RateLimitPolicy,
  subject = "",
  amount = 1,
) =>
  Effect.contextWith((services: Context.Context<RateLimiter>) =>
    Effect.flatMap(
      Context.get(services, RateLimiter).take(organization, policy, subject, Math.min(amount, policy.limit)),
      (decision) => {
        const status: RateLimitStatus = { policy, decision }
        return decision.isAccepted
          ? Effect.succeed(status)
          : Effect.andThen(noteRejection(organization, policy.name), new RateLimitIsExceeded({ status }))
      },
    ),
  )

/** There were more requests than the limit allows. */
export class RateLimitIsExceeded extends TaggedError("RateLimitIsExceeded")<{
  /** The limit, and when the next request is possible. */
  readonly status: RateLimitStatus
}> {}
