import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type CountStore, storeCounts } from "../counts/CountStore.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { readCountBatch } from "../counts/DecodeCountBatch.ts"
import type { CountsAreInvalid } from "../counts/DecodeCounts.ts"
import { enforceCountsQuota } from "../quota/Quotas.ts"
import type { RateLimiter, RateLimitIsExceeded } from "../rate-limit/RateLimiter.ts"
import { inParts } from "../work/Parts.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/**
 * Records counts of several SLOs, all or none; their statuses follow within 10 s. Idempotent like `recordCounts`.
 * Fails with every issue of the list.
 */
export const recordCountBatch = (
  organization: OrganizationId,
  body: unknown,
): Effect.Effect<
  void,
  CountsAreInvalid | StoreIsUnavailable | RateLimitIsExceeded,
  CountStore | DefinitionStore | RateLimiter
> =>
  Effect.gen(function* () {
    yield* enforceCountsQuota(organization)
    const now = yield* Clock.currentTimeMillis
    const retentionDays = yield* CountsRetention
    const batch = yield* Effect.fromResult(yield* inParts(() => readCountBatch(body, { now, retentionDays })))
    const found = yield* (yield* DefinitionStore).findAll(organization, "SLO", batch.slos)
    const objectivesBySlo = new Map(
      found.map(({ definition }) => [
        projectKeyText(definition.metadata),
        new Set(plainObjectivesOf(definition).map(({ name }) => name)),
      ]),
    )
    const resolve = inParts(() => batch.resolve((slo) => objectivesBySlo.get(projectKeyText(slo))))
    const recordings = yield* Effect.fromResult(yield* resolve)
    if (recordings.length === 0) return
    const missing = yield* storeCounts(organization, recordings, "api")
    if (missing.length === 0) return
    // Some were deleted meanwhile.
    for (const slo of missing) objectivesBySlo.delete(projectKeyText(slo))
    yield* Effect.fromResult(yield* resolve)
  })
