import * as Result from "effect/Result"
import { projectKeyText, type ProjectKey } from "../metadata/ObjectKey.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { listOf, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import type { Count, Recording } from "./CountStore.ts"
import { CountsAreInvalid, countOf } from "./DecodeCounts.ts"

/** A list of counts of several SLOs, read as far as that goes without knowing the SLOs. */
export interface CountBatch {
  /** The SLOs that it names, each once. */
  readonly slos: ReadonlyArray<ProjectKey>
  /**
   * The counts by SLO, once it is known which objectives each has that take counts (`undefined`: there is no such SLO).
   * Tells everything that is wrong with the list, found before or only now.
   */
  readonly resolve: (
    objectivesOf: (slo: ProjectKey) => ReadonlySet<string> | undefined,
  ) => Result.Result<ReadonlyArray<Recording>, CountsAreInvalid>
}

/**
 * Reads a list of `{project, slo, objective, at, good, total}`, parsed from JSON; the rules are those of `decodeCounts`.
 *
 * Fails at once only when it is no list, or has more than `Limits.countsPerRequestMax` entries.
 *
 * Source: spec/counts §1, spec/counts §2.
 */
export const readCountBatch = (body: unknown, now: number): Result.Result<CountBatch, CountsAreInvalid> => {
  const issues = new IssueList()
  const entries = listOf(entryRule(now), { max: Limits.countsPerRequestMax })(body, "", issues)
  if (entries === undefined) return Result.fail(new CountsAreInvalid({ issues: issues.sorted() }))
  const slos = new Map(entries.flatMap(({ slo }) => (slo === undefined ? [] : [[projectKeyText(slo), slo]])))
  return Result.succeed({
    slos: [...slos.values()],
    resolve: (objectivesOf) => {
      const all = new IssueList()
      all.addAll("", issues.sorted())
      const known = new Map([...slos].map(([key, slo]) => [key, objectivesOf(slo)]))
      const recordings = new Map<string, { readonly slo: ProjectKey; readonly counts: Array<Count> }>()
      const indexByMinute = new Map<string, number>()
      for (const [index, entry] of entries.entries()) {
        const { slo, count } = entry
        if (slo === undefined) continue
        const key = projectKeyText(slo)
        const path = entryPath("", index)
        checkNames(entry, known.get(key), path, all)
        if (count === undefined) continue
        const minute = `${key} ${count.objective} ${count.at}`
        const earlier = indexByMinute.get(minute)
        if (earlier !== undefined) {
          all.add(path, "duplicate", `has the SLO, objective and minute of ${entryPath("", earlier)}`)
        } else indexByMinute.set(minute, index)
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

/** What of an entry could be read. */
interface Entry {
  readonly slo: ProjectKey | undefined
  readonly objective: string | undefined
  readonly count: Count | undefined
}

/** An entry of which nothing can be read is one too, so that the others are judged. */
const entryRule = (now: number): Rule<Entry> => {
  const rule = entryObject(now)
  return (...place) => rule(...place) ?? { slo: undefined, objective: undefined, count: undefined }
}

const entryObject = (now: number): Rule<Entry> =>
  objectOf((reader) => {
    const project = reader.required("project", objectName.read)
    const name = reader.required("slo", sloName.read)
    let objective: string | undefined
    const rememberedName: Rule<string> = (...place) => (objective = objectiveName(...place))
    const count = countOf(reader, rememberedName, now)
    const slo = project === undefined || name === undefined ? undefined : { project, name }
    return { slo, objective, count }
  })

const objectiveName: Rule<string> = sloName.read

const checkNames = (
  { objective }: Entry,
  objectives: ReadonlySet<string> | undefined,
  path: string,
  issues: IssueList,
): void => {
  if (objectives === undefined) issues.add(`${path}.slo`, "not_found", "must name an SLO that exists")
  else if (objective !== undefined && !objectives.has(objective)) {
    issues.add(`${path}.objective`, "not_found", "must be the name of an objective of the SLO")
  }
}
