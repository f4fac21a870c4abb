import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AlertStore } from "../alerting/AlertStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { type CountStore, storeCounts } from "../counts/CountStore.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { decodeCounts, type CountsAreInvalid } from "../counts/DecodeCounts.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { refreshStatus } from "./RefreshStatus.ts"
import { enforceCountsQuota } from "../quota/Quotas.ts"
import type { RateLimiter, RateLimitIsExceeded } from "../rate-limit/RateLimiter.ts"
import { inParts } from "../work/Parts.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import type { SloStore } from "../status/SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

export interface RecordCountsRequest {
  readonly project?: string
  readonly name: string
  readonly body: unknown
}

/**
 * Records good and total counts of an SLO, all or none, and recomputes its status. Idempotent. On success the record
 * includes the counts.
 */
export const recordCounts = (
  organization: OrganizationId,
  request: RecordCountsRequest,
): Effect.Effect<
  void,
  CountsAreInvalid | ParameterIsInvalid | SloNotFound | StoreIsUnavailable | RateLimitIsExceeded,
  AlertStore | CountStore | DefinitionStore | RateLimiter | SloStore
> =>
  Effect.gen(function* () {
    yield* enforceCountsQuota(organization)
    const key = yield* Effect.fromResult(sloKey(request.project, request.name))
    const stored = yield* (yield* DefinitionStore).find(organization, "SLO", key)
    if (Option.isNone(stored)) return yield* new SloNotFound(key)
    const objectives = new Set(plainObjectivesOf(stored.value.definition).map(({ name }) => name))
    const now = yield* Clock.currentTimeMillis
    const retentionDays = yield* CountsRetention
    const counts = yield* Effect.fromResult(
      yield* inParts(() => decodeCounts(request.body, objectives, { now, retentionDays })),
    )
    if (counts.length === 0) return
    const missing = yield* storeCounts(organization, [{ slo: key, counts }], "api")
    if (missing.length > 0) return yield* new SloNotFound(key)
    yield* refreshStatus(organization, key)
  })
