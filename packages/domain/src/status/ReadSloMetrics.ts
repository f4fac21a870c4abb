import * as Effect from "effect/Effect"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { recordKey, type SloRecord } from "./SloRecord.ts"
import { SloStore } from "./SloStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most objectives whose metrics are returned together. */
export const sloMetricsObjectivesMax = 50_000

/**
 * The records of all SLOs of an organization, or of one project, in the order of `listSlos`.
 *
 * Fails with `ParameterIsInvalid` when they have more than `sloMetricsObjectivesMax` objectives.
 */
export const readSloMetrics = (
  organization: OrganizationId,
  project: string | undefined,
): Effect.Effect<ReadonlyArray<SloRecord>, ParameterIsInvalid | StoreIsUnavailable, SloStore> =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const filter = project === undefined ? {} : { project }
    const records: Array<SloRecord> = []
    let objectives = 0
    for (;;) {
      const last = records.at(-1)
      const request = { limit: pageSizeMax, ...(last !== undefined && { after: recordKey(last) }) }
      const { items, hasMore } = yield* store.page(organization, request, filter)
      for (const record of items) objectives += objectivesOf(record.slo).length
      if (objectives > sloMetricsObjectivesMax) {
        return yield* new ParameterIsInvalid({
          code: "project_required",
          propertyName: "project",
          detail: `there are more than ${sloMetricsObjectivesMax} objectives; read them by project`,
        })
      }
      records.push(...items)
      yield* Effect.yieldNow
      if (!hasMore || items.length === 0) return records
    }
  })
