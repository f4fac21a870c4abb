import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"

/** Most definitions of an organization, by default. */
export const definitionsQuota = 20_000

/** Largest number of definitions of an organization that an operator can set. */
export const definitionsQuotaMax = 1_000_000

/** Most alerts that an organization can report per second, by default. */
export const alertsPerSecond = 100

/** Most requests with counts of an organization per second, by default. */
export const countRequestsPerSecond = 100

/** Largest number of alerts, and of requests with counts, per second and organization that an operator can set. */
export const ingestPerSecondMax = 10_000

/** Most deliveries that the reported alerts of an organization can cause per minute, by default. */
export const deliveriesPerMinute = 6_000

/** Largest number of deliveries per minute and organization that an operator can set. */
export const deliveriesPerMinuteMax = 60_000

/** What one organization may store and send; each is at least 1 (spec/rate-limits §7). */
export interface OrganizationQuotas {
  readonly definitions: number
  /** Alerts of other systems, whether or not they change anything. */
  readonly alertsPerSecond: number
  /** Requests to record counts. */
  readonly countRequestsPerSecond: number
  /** Deliveries of alerts of other systems. Alerts of SLOs are never limited. */
  readonly deliveriesPerMinute: number
}

export const Quotas = Context.Reference<OrganizationQuotas>("@tocsin/domain/quota/Quotas", {
  defaultValue: () => ({
    definitions: definitionsQuota,
    alertsPerSecond,
    countRequestsPerSecond,
    deliveriesPerMinute,
  }),
})

export const alertsPolicy = ({ alertsPerSecond: limit }: OrganizationQuotas): RateLimitPolicy => ({
  name: "alerts",
  limit,
  windowMs: 1_000,
})

export const countRequestsPolicy = ({
  countRequestsPerSecond: limit,
}: OrganizationQuotas): RateLimitPolicy => ({ name: "count-requests", limit, windowMs: 1_000 })

export const deliveriesPolicy = ({ deliveriesPerMinute: limit }: OrganizationQuotas): RateLimitPolicy => ({
  name: "deliveries",
  limit,
  windowMs: 60_000,
})

/** Counts reported alerts; fails with `RateLimitIsExceeded`. */
export const enforceAlertsQuota = (organization: OrganizationId, alerts: number) =>
  enforceQuota(organization, alertsPolicy, alerts)

/** Counts a request with counts; fails with `RateLimitIsExceeded`. */
export const enforceCountsQuota = (organization: OrganizationId) =>
  enforceQuota(organization, countRequestsPolicy, 1)

/** Counts the deliveries of a reported alert before it is stored; fails with `RateLimitIsExceeded`. */
export const enforceDeliveriesQuota = (organization: OrganizationId, deliveries: number) =>
  enforceQuota(organization, deliveriesPolicy, deliveries)

const enforceQuota = (
  organization: OrganizationId,
  policyOf: (quotas: OrganizationQuotas) => RateLimitPolicy,
  amount: number,
) =>
  Effect.flatMap(Quotas, (quotas) =>
    amount === 0 ? Effect.void : enforceRateLimit(organization, policyOf(quotas), "", amount),
  )

/** The organization would have more definitions than its quota; nothing was written. */
export class DefinitionsQuotaIsExceeded extends Data.TaggedError("DefinitionsQuotaIsExceeded")<{
  readonly limit: number
  /** How many there are. */
  readonly stored: number
  /** How many the request would create. */
  readonly created: number
}> {}
