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

/** Least time between two lines of the log about an organization and a limit, in milliseconds. */
const logEveryMs = 60_000

/** Which organizations the limits of this process have rejected a request of lately: by limit, when it did last. */
export type RejectedOrganizations = Map<string, Map<OrganizationId, Rejection>>

/** Times in Unix milliseconds. */
interface Rejection {
  /** When the latest request was rejected. */
  readonly at: number
  readonly loggedAt: number
}

/** Shared by all fibers that no other map is provided to. */
export const RejectedOrganizations = Context.Reference<RejectedOrganizations>(
  "@tocsin/domain/internal/rate-limit/RejectedOrganizations",
  { defaultValue: () => new Map() },
)

/** Counts a request that a rate limit or a quota rejected, and logs the first one and at most one a minute. */
export const noteRejection = (organization: OrganizationId, limit: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* count(metrics.rateLimited.of(limit))
    const rejected = yield* RejectedOrganizations
    const organizations = rejected.get(limit) ?? new Map<OrganizationId, Rejection>()
    rejected.set(limit, organizations)
    const at = yield* Clock.currentTimeMillis
    const known = organizations.get(organization)
    const isToLog = known === undefined || Math.abs(at - known.loggedAt) >= logEveryMs
    // The one that was rejected longest ago is the first.
    organizations.delete(organization)
    organizations.set(organization, { at, loggedAt: isToLog ? at : known.loggedAt })
    const [oldest] = organizations.keys()
    if (organizations.size > organizationsMax && oldest !== undefined) organizations.delete(oldest)
    // The limits of requests without a valid credential count for no organization.
    const fields = organization === "" ? { limit } : { organization, limit }
    if (isToLog) yield* Effect.annotateLogs(Effect.logInfo("A limit rejected requests"), fields)
  })

/** How many organizations each limit has rejected within `rejectionCountsMs`; forgets the others. */
export const countRejected = (rejected: RejectedOrganizations, now: number): ReadonlyMap<string, number> => {
  for (const organizations of rejected.values()) {
    for (const [organization, { at }] of organizations) {
      if (now - at >= rejectionCountsMs) organizations.delete(organization)
    }
  }
  return new Map([...rejected].map(([limit, { size }]) => [limit, size]))
}
