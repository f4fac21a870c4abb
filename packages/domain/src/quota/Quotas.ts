import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
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

/** Most bytes of notifications that an organization stores before it can report no more alerts, by default: 10 GiB. */
export const notificationsQuotaBytes = 10_737_418_240

/** Largest quota of stored notifications of an organization that an operator can set, in MiB. */
export const notificationsQuotaMaxMebibytes = 1_048_576

/** Most bytes of revisions of definitions that an organization keeps, by default: 256 MiB. */
export const historyQuotaBytes = 268_435_456

/** Largest quota of kept revisions of an organization that an operator can set, in MiB. */
export const historyQuotaMaxMebibytes = 1_048_576

/** What one organization may store and send; each is at least 1 (spec/rate-limits §7). */
export interface OrganizationQuotas {
  /** Stored definitions, including documents without effect. */
  readonly definitions: number
  /** Alerts of other systems, whether or not they change anything. */
  readonly alertsPerSecond: number
  /** Requests to record counts. */
  readonly countRequestsPerSecond: number
  /** Deliveries of alerts of other systems. Alerts of SLOs are never limited. */
  readonly deliveriesPerMinute: number
  /** Stored notifications, beyond which alerts of other systems are rejected. Those of SLOs count, but are never rejected. */
  readonly notificationBytes: number
  /** Kept revisions of definitions, beyond which the oldest are dropped. */
  readonly historyBytes: number
}

/** The quotas that apply to every organization. Default: the constants of this module. */
export const Quotas = Context.Reference<OrganizationQuotas>("@tocsin/domain/internal/quota/Quotas", {
  defaultValue: () => ({
    definitions: definitionsQuota,
    alertsPerSecond,
    countRequestsPerSecond,
    deliveriesPerMinute,
    notificationBytes: notificationsQuotaBytes,
    historyBytes: historyQuotaBytes,
  }),
})

/** Alerts that an organization sends. */
export const alertsPolicy = ({ alertsPerSecond: limit }: OrganizationQuotas): RateLimitPolicy => ({
  name: "alerts",
  limit,
  windowMs: 1_000,
})

/** Requests of an organization with counts or metrics. */
export const countRequestsPolicy = ({
  countRequestsPerSecond: limit,
}: OrganizationQuotas): RateLimitPolicy => ({ name: "count-requests", limit, windowMs: 1_000 })

/** Deliveries of an organization that start. */
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
export class DefinitionsQuotaIsExceeded extends TaggedError("DefinitionsQuotaIsExceeded")<{
  /** The maximum number of definitions. */
  readonly limit: number
  /** How many there are. */
  readonly stored: number
  /** How many the request would create. */
  readonly created: number
}> {}

/** The stored notifications of an organization that are deleted at the same time. */
export interface StoredNotifications {
  /** Their size as JSON. */
  readonly bytes: number
  /** In Unix milliseconds; absent: they are not deleted by time, but when there are too many. */
  readonly deletedAt?: number
}

/** The organization stores as many notifications as its quota allows; nothing was written. */
export class NotificationsQuotaIsExceeded extends TaggedError("NotificationsQuotaIsExceeded")<{
  /** The quota of the organization, in bytes. */
  readonly limitBytes: number
  /** The size of the stored notifications, in bytes; at least `limitBytes`. */
  readonly storedBytes: number
  /** When the organization is below its quota again if nothing is added, in Unix milliseconds; absent: it is not known. */
  readonly freeAt?: number
}> {}

/**
 * Fails unless fewer bytes are stored than the quota. Requests that are handled at the same time can therefore exceed it,
 * each by one notification.
 */
export const checkNotificationsQuota = (
  stored: ReadonlyArray<StoredNotifications>,
  { notificationBytes: limitBytes }: OrganizationQuotas,
): Result.Result<void, NotificationsQuotaIsExceeded> => {
  const storedBytes = stored.reduce((sum, { bytes }) => sum + bytes, 0)
  if (storedBytes < limitBytes) return Result.void
  let left = storedBytes
  const byTime = stored.toSorted((a, b) => (a.deletedAt ?? Infinity) - (b.deletedAt ?? Infinity))
  const freeAt = byTime.find(({ bytes }) => (left -= bytes) < limitBytes)?.deletedAt
  return Result.fail(
    new NotificationsQuotaIsExceeded({ limitBytes, storedBytes, ...(freeAt !== undefined && { freeAt }) }),
  )
}
