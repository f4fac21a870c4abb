import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { CountStore, type CountStoreIsUnavailable, type CountSum } from "../counts/CountStore.ts"
import { parseDataRange, type DataRangeQuery } from "./DataRange.ts"
import type { SloRecord } from "./SloRecord.ts"
import { SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"
import { sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"

export class SloNotFound extends Data.TaggedError("SloNotFound")<{
  readonly project: string
  readonly name: string
}> {}

export interface FindSloQuery extends DataRangeQuery {
  readonly project?: string
  readonly name: string
}

export interface SloWithCounts {
  readonly record: SloRecord
  /** By objective; one without counts in the range has no entry. */
  readonly counts?: ReadonlyMap<string, ObjectiveCounts>
}

export type ObjectiveCounts = Pick<CountSum, "good" | "total">

export const findSlo = (
  organization: OrganizationId,
  query: FindSloQuery,
): Effect.Effect<
  SloWithCounts,
  ParameterIsInvalid | SloNotFound | SloStoreIsUnavailable | CountStoreIsUnavailable,
  SloStore | CountStore
> =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(query.project, query.name))
    const range = yield* Effect.fromResult(parseDataRange(query))
    const record = yield* (yield* SloStore).find(organization, key)
    if (Option.isNone(record)) return yield* new SloNotFound(key)
    if (range === undefined) return { record: record.value }
    const [read] = yield* (yield* CountStore).sums([{ organization, slo: key, ranges: [range] }])
    const counts = new Map(
      (read?.sums[0] ?? []).map(({ objective, good, total }) => [objective, { good, total }]),
    )
    return { record: record.value, counts }
  })

/**
 * Reads the key of an SLO from the header `project` and the path parameter `sloName`.
 *
 * Source: spec/status-api §8.
 */
export const sloKey = (
  project: string | undefined,
  name: string,
): Result.Result<ProjectKey, ParameterIsInvalid> => {
  if (project === undefined || project === "") {
    const detail = "the header Project is required"
    return Result.fail(new ParameterIsInvalid({ code: "project_required", propertyName: "project", detail }))
  }
  if (name.length > sloNameMaxCharacters) {
    const detail = `the name of an SLO has at most ${sloNameMaxCharacters} characters`
    return Result.fail(
      new ParameterIsInvalid({
        code: "name_too_long",
        propertyName: "sloName",
        propertyValue: name,
        detail,
      }),
    )
  }
  return Result.succeed({ project, name })
}
