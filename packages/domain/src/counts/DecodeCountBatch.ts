import * as Result from "effect/Result"
import { named } from "../codec/Codec.ts"
import {
  entriesPerPart,
  type FieldTypes,
  list,
  object,
  type ObjectPlace,
  readListInParts,
} from "../codec/Containers.ts"
import { IssueList } from "../codec/Issue.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import { projectKeyText, type ProjectKey } from "../metadata/ObjectKey.ts"
import { objectiveNameRule } from "../slo/ObjectiveNameRule.ts"
import type { Parts } from "../work/Parts.ts"
import type { Count, Recording } from "./CountStore.ts"
import {
  countsPerRequestMax,
  checkEvents,
  countFields,
  countOf,
  CountsAreInvalid,
  describingEvents,
  type NowContext,
} from "./DecodeCounts.ts"

/** A list of counts of several SLOs, read as far as that goes without knowing the SLOs. */
export interface CountBatch {
  readonly slos: ReadonlyArray<ProjectKey>
  /**
   * The counts by SLO, given the objectives of each SLO that take counts (`undefined` if there is no such SLO). Fails
   * with every issue of the list. In parts.
   */
  readonly resolve: (
    objectivesOf: (slo: ProjectKey) => ReadonlySet<string> | undefined,
  ) => Parts<Result.Result<ReadonlyArray<Recording>, CountsAreInvalid>>
}

/**
 * Decodes a list of `{project, slo, objective, at, good, bad, total}` by the rules of `decodeCounts`, as far as possible
 * without knowing the SLOs, in parts. Fails only if it is not a list or has more than `countsPerRequestMax` entries.
 */
export function* readCountBatch(
  body: unknown,
  { now, retentionDays }: NowContext,
): Parts<Result.Result<CountBatch, CountsAreInvalid>> {
  const issues = new IssueList()
  const entries: Array<Entry> = []
  const context: BatchContext = { now, retentionDays, entries }
  yield* readListInParts(batchCount, countsPerRequestMax, body, issues, context)
  if (entries.length === 0 && !issues.isEmpty) {
    return Result.fail(new CountsAreInvalid({ issues: issues.sorted() }))
  }
  const slos = new Map(entries.flatMap(({ slo }) => (slo === undefined ? [] : [[projectKeyText(slo), slo]])))
  return Result.succeed({
    slos: [...slos.values()],
    *resolve(objectivesOf) {
      const all = new IssueList()
      all.addAll("", issues.sorted())
      const known = new Map([...slos].map(([key, slo]) => [key, objectivesOf(slo)]))
      const recordings = new Map<string, { readonly slo: ProjectKey; readonly counts: Array<Count> }>()
      const paths = new Map<string, string>()
      for (const [index, entry] of entries.entries()) {
        if (index % entriesPerPart === entriesPerPart - 1) yield
        const { path, slo, count } = entry
        if (slo === undefined) continue
        const key = projectKeyText(slo)
        checkNames(entry, known.get(key), all)
        if (count === undefined) continue
        const minute = `${key} ${count.objective} ${count.at}`
        const earlier = paths.get(minute)
        if (earlier !== undefined)
          all.add(path, "duplicate", `has the SLO, objective and minute of ${earlier}`)
        else paths.set(minute, path)
        const recording = recordings.get(key) ?? { slo, counts: [] }
        recordings.set(key, recording)
        recording.counts.push(count)
      }
      return all.isEmpty
        ? Result.succeed([...recordings.values()])
        : Result.fail(new CountsAreInvalid({ issues: all.sorted() }))
    },
  })
}

interface Entry {
  readonly path: string
  readonly slo: ProjectKey | undefined
  readonly objective: string | undefined
  readonly count: Count | undefined
}

/** What a batch of counts is decoded with. */
export interface BatchContext extends NowContext {
  /** Gets the entries in their order, also those with issues, so that the SLOs they name are checked too. */
  readonly entries: Array<Entry>
}

const namedFields = { project: objectName, slo: sloName, objective: sloName }

const batchFields = { ...namedFields, ...countFields }

const batchCount = named(
  describingEvents(
    object(batchFields, {
      rules: (place: ObjectPlace<FieldTypes<typeof batchFields>, BatchContext>) => {
        checkEvents(place)
        const { entries } = place.context
        const { project, slo: name, objective, at, good, bad, total } = place.value
        const events = [
          ["good", good],
          ["bad", bad],
          ["total", total],
        ] as const
        // An invalid number of events is not the same as an omitted one.
        const isReadable = events.every(([each, value]) => value !== undefined || !place.has(each))
        const isWhole = objective !== undefined && at !== undefined && isReadable
        entries.push({
          path: place.path,
          slo: project === undefined || name === undefined ? undefined : { project, name },
          objective,
          count: isWhole
            ? countOf({
                objective,
                at,
                ...(good !== undefined && { good }),
                ...(bad !== undefined && { bad }),
                ...(total !== undefined && { total }),
              })
            : undefined,
        })
      },
    }),
    namedFields,
  ),
  "SloCount",
)

/** The codec of a list of counts of several SLOs, at most `countsPerRequestMax`. */
export const countBatch = list(batchCount, { max: countsPerRequestMax })

const checkNames = (
  { path, objective }: Entry,
  objectives: ReadonlySet<string> | undefined,
  issues: IssueList,
): void => {
  if (objectives === undefined)
    issues.add(`${path}.slo`, "not_found", "must be the name of an SLO of the project; check both names")
  else if (objective !== undefined && !objectives.has(objective)) {
    issues.add(`${path}.objective`, "not_found", objectiveNameRule(objectives))
  }
}
