import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { count } from "../telemetry/MetricFamily.ts"
import { metrics } from "../telemetry/Metrics.ts"

/** How long a rejection counts, in milliseconds. */
const rejectionCountsMs = 300_000

/** Most organizations that are remembered for each limit. */
const organizationsMax = 10_000

/** Which organizations the limits of this process have rejected a request of lately: by limit, when it did last. */
export type RejectedOrganizations = Map<string, Map<OrganizationId, number>>

/** Shared by all fibers that no other map is provided to. */
export const RejectedOrganizations = Context.Reference<RejectedOrganizations>(
  "@tocsin/domain/internal/rate-limit/RejectedOrganizations",
  { defaultValue: () => new Map() },
)

/** Counts a request that a rate limit or a quota rejected. */
export const noteRejection = (organization: OrganizationId, limit: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* count(metrics.rateLimited.of(limit))
    const rejected = yield* RejectedOrganizations
    const organizations = rejected.get(limit) ?? new Map<OrganizationId, number>()
    rejected.set(limit, organizations)
    // The one that was rejected longest ago is the first.
    organizations.delete(organization)
    organizations.set(organization, yield* Clock.currentTimeMillis)
    const [oldest] = organizations.keys()
    if (organizations.size > organizationsMax && oldest !== undefined) organizations.delete(oldest)
  })

/** How many organizations each limit has rejected within `rejectionCountsMs`; forgets the others. */
export const countRejected = (rejected: RejectedOrganizations, now: number): ReadonlyMap<string, number> => {
  for (const organizations of rejected.values()) {
    for (const [organization, at] of organizations) {
      if (now - at >= rejectionCountsMs) organizations.delete(organization)
    }
  }
  return new Map([...rejected].map(([limit, { size }]) => [limit, size]))
}
