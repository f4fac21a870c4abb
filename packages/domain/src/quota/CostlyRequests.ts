import { TaggedError } from "../TaggedError.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { costlyWindowMs, type RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { workFor } from "./ProcessorShares.ts"

/** Most units of costly reads, and of costly writes, of an organization in 10 s; a body is one, and one more for each 16 KiB. */
export const costlyUnitsPerWindow = 300

/** Size of a body that counts as one more unit of costly requests, in bytes. */
export const costlyUnitBytes = 16_384

/** Units of costly requests for which a list in YAML, or of a label filter, counts. */
export const costlyListUnits = 10

/** Most costly requests of one organization that a process handles at the same time. */
export const costlyAtOncePerOrganizationMax = 8

/** Most costly requests of all organizations that a process handles at the same time. */
export const costlyAtOnceMax = 32

const costlyPolicy = (name: string): RateLimitPolicy => ({
  name,
  limit: costlyUnitsPerWindow,
  windowMs: costlyWindowMs,
})

/** Applying and deleting definitions, and dry runs. */
export const costlyWritesPolicy = costlyPolicy("costly-writes")

/** Previews and lists, which viewers can request too, and which must not use up the limit of writes. */
export const costlyReadsPolicy = costlyPolicy("costly-reads")

/** The requests of one sort in progress, of each organization. */
export interface RequestsInProgress {
  /** How many each organization has; none of those without. */
  readonly byOrganization: Map<OrganizationId, number>
  /** Of all organizations. */
  total: number
}

/** Shared by all servers of a process, since its processor is. */
export const CostlyRequestsInProgress = Context.Reference<RequestsInProgress>(
  "@tocsin/domain/internal/quota/CostlyRequestsInProgress",
  { defaultValue: () => ({ byOrganization: new Map(), total: 0 }) },
)

/** Too many costly requests are in progress, of the organization or of all. */
export class ConcurrencyLimitIsExceeded extends TaggedError("ConcurrencyLimitIsExceeded")<{
  /** Whose limit it is. */
  readonly scope: "organization" | "server"
  /** Most requests in progress. */
  readonly limit: number
}> {}

/**
 * Handles a request that can take much processor time: decoding definitions, rendering a template, writing YAML
 * (spec/rate-limits §8). The body is read before, so that a slow client does not count. It is done in parts, which the organization
 * shares the processor for (§9).
 *
 * Fails with `ConcurrencyLimitIsExceeded` or `RateLimitIsExceeded` before it does anything.
 */
export const costly =
  (organization: OrganizationId, policy: RateLimitPolicy, units: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(CostlyRequestsInProgress, (inProgress) =>
      Effect.andThen(enforceRateLimit(organization, policy, "", units), workFor(organization)(work)).pipe(
        atMost(organization, inProgress, {
          perOrganization: costlyAtOncePerOrganizationMax,
          total: costlyAtOnceMax,
        }),
      ),
    )

/** Fails with `ConcurrencyLimitIsExceeded`, before it does anything, while as many requests are in progress. */
export const atMost =
  (
    organization: OrganizationId,
    inProgress: RequestsInProgress,
    limits: { readonly perOrganization: number; readonly total: number },
  ) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      start(inProgress, organization, limits),
      () => work,
      () => Effect.sync(() => finish(inProgress, organization)),
    )

/** The units of a request with a body. */
export const unitsOf = (body: string): number => 1 + Math.floor(body.length / costlyUnitBytes)

const start = (
  inProgress: RequestsInProgress,
  organization: OrganizationId,
  limits: { readonly perOrganization: number; readonly total: number },
): Effect.Effect<void, ConcurrencyLimitIsExceeded> =>
  Effect.suspend(() => {
    const ofOrganization = inProgress.byOrganization.get(organization) ?? 0
    if (ofOrganization >= limits.perOrganization) {
      return new ConcurrencyLimitIsExceeded({ scope: "organization", limit: limits.perOrganization })
    }
    if (inProgress.total >= limits.total) {
      return new ConcurrencyLimitIsExceeded({ scope: "server", limit: limits.total })
    }
    inProgress.byOrganization.set(organization, ofOrganization + 1)
    inProgress.total += 1
    return Effect.void
  })

const finish = (inProgress: RequestsInProgress, organization: OrganizationId): void => {
  const ofOrganization = inProgress.byOrganization.get(organization) ?? 1
  if (ofOrganization === 1) inProgress.byOrganization.delete(organization)
  else inProgress.byOrganization.set(organization, ofOrganization - 1)
  inProgress.total -= 1
}
