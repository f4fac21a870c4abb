import * as Result from "effect/Result"
import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { CountStore, type CountSum } from "../counts/CountStore.ts"
import { parseDataRange, type DataRangeQuery } from "./DataRange.ts"
import type { SloRecord } from "./SloRecord.ts"
import { SloStore } from "./SloStore.ts"
import { sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The project has no SLO with this name. */
export class SloNotFound extends TaggedError("SloNotFound")<{
  /** The project that was searched. */
  readonly project: string
  /** The name that was searched for. */
  readonly name: string
}> {}

export interface FindSloQuery extends DataRangeQuery {
  readonly project?: string
  readonly name: string
}

/** An SLO with its metrics, and the sums of its counts if the query has a range. */
export interface SloWithCounts {
  /** The SLO with its current metrics. */
  readonly record: SloRecord
  /** By objective; one without counts in the range has no entry. */
  readonly counts?: ReadonlyMap<string, ObjectiveCounts>
}

type ObjectiveCounts = Pick<CountSum, "good" | "total">

type FindSloFailure = ParameterIsInvalid | SloNotFound | StoreIsUnavailable

/** One SLO with its statuses, and with counts of a range if they are asked for. */
export const findSlo = (
  organization: OrganizationId,
  query: FindSloQuery,
): Effect.Effect<SloWithCounts, FindSloFailure, SloStore | CountStore> =>
  Effect.contextWith(
    (services: Context.Context<SloStore | CountStore>): Effect.Effect<SloWithCounts, FindSloFailure> => {
      const key = sloKey(query.project, query.name)
      if (Result.isFailure(key)) return Effect.fail(key.failure)
      const range = parseDataRange(query)
      if (Result.isFailure(range)) return Effect.fail(range.failure)
      const slo = key.success
      return Effect.flatMap(
        Context.get(services, SloStore).find(organization, slo),
        (found): Effect.Effect<SloWithCounts, FindSloFailure> => {
          if (Option.isNone(found)) return Effect.fail(new SloNotFound(slo))
          const record = found.value
          if (range.success === undefined) return Effect.succeed({ record })
          const sums = Context.get(services, CountStore).sums([
            { organization, slo, ranges: [range.success] },
          ])
          return Effect.map(sums, ([read]) => {
            const counts = new Map<string, ObjectiveCounts>()
            for (const { objective, good, total } of read?.sums[0] ?? [])
              counts.set(objective, { good, total })
            return { record, counts }
          })
        },
      )
    },
  )

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
    const detail =
      "the Project header is required: send the name of the project of the SLO, such as Project: default"
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
