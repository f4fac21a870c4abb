import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { CountStore, type CountStoreIsUnavailable, type CountSum } from "../counts/CountStore.ts"
import { parseDataRange, type DataRangeQuery } from "./DataRange.ts"
import { recordJson, type ApiVersion, type SloRecord } from "./SloRecord.ts"
import { SloStore, type SloStoreIsUnavailable } from "./SloStore.ts"

/** There is no SLO of this name in this project of the organization. */
export class SloNotFound extends Data.TaggedError("SloNotFound")<{
  readonly project: string
  readonly name: string
}> {}

/** Which SLO to tell and whether with counts, as path, header and query say it. */
export interface FindSloQuery extends DataRangeQuery {
  readonly version: ApiVersion
  /** The header `project`. */
  readonly project?: string
  readonly name: string
}

/**
 * Finds an SLO by project and name: its record as JSON, with the counts of a range when `fields` asks for them.
 *
 * An objective that has no counts in the range shows none.
 *
 * Source: contract section 4.3; decisions 0504, 0512.
 */
export const findSlo = (
  organization: OrganizationId,
  query: FindSloQuery,
): Effect.Effect<
  string,
  ParameterIsInvalid | SloNotFound | SloStoreIsUnavailable | CountStoreIsUnavailable,
  SloStore | CountStore
> =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(query.project, query.name))
    const range = yield* Effect.fromResult(parseDataRange(query))
    const row = yield* (yield* SloStore).find(organization, key)
    if (Option.isNone(row)) return yield* new SloNotFound(key)
    const json = recordJson(row.value, query.version)
    if (range === undefined) return json
    const [found] = yield* (yield* CountStore).sums([{ organization, slo: key, ranges: [range] }])
    return withCounts(json, found?.sums[0] ?? [])
  })

/**
 * Reads the key of an SLO from the header `project` and the path parameter `sloName`.
 *
 * Source: contract section 4.3.
 */
export const sloKey = (
  project: string | undefined,
  name: string,
): Result.Result<ProjectKey, ParameterIsInvalid> => {
  if (project === undefined || project === "") {
    const detail = "the header Project is required"
    return Result.fail(new ParameterIsInvalid({ code: "project_required", propertyName: "project", detail }))
  }
  if (name.length > Limits.sloNameMaxCharacters) {
    const detail = `the name of an SLO has at most ${Limits.sloNameMaxCharacters} characters`
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

const withCounts = (json: string, sums: ReadonlyArray<CountSum>): string => {
  const record = JSON.parse(json) as SloRecord
  const countsByObjective = new Map(sums.map(({ objective, good, total }) => [objective, { good, total }]))
  const objectives = record.objectives.map((objective) => {
    const counts = countsByObjective.get(objective.name)
    return counts === undefined ? objective : { ...objective, counts }
  })
  return JSON.stringify({ ...record, objectives })
}
