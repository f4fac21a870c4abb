import { mapped, stored, type Stored } from "../codec/Codec.ts"
import { list, object } from "../codec/Containers.ts"
import { definitionEntriesMax } from "../codec/Issue.ts"
import { anyString } from "../codec/Leaves.ts"
import * as Result from "effect/Result"
import type { Metadata } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { type ObjectiveState, objectiveState, worseState } from "../slo/ObjectiveState.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import { type ObjectiveStatus, objectiveStatusCodec } from "./ObjectiveStatus.ts"

/** An SLO with its current metrics. A store returns the same object until one of its parts changes. */
export interface SloRecord {
  /** The definition of the SLO. */
  readonly slo: Slo
  /** When the SLO was first applied, in Unix milliseconds. */
  readonly createdAt: number
  /** The metrics as they were last computed; empty before the first time. */
  readonly statuses: SloStatuses
  /** The SLO's project; one without a definition has its name only. */
  readonly project: NamedObject
  /** The SLO's service; one without a definition has its name only. */
  readonly service: NamedObject
}

/**
 * The metrics by objective name, and of the legacy composite by `overallTrack`. An objective without metrics has no
 * entry.
 */
export type SloStatuses = ReadonlyMap<string, ObjectiveStatus>

/** The state of an SLO: the most urgent one of its objectives and of the legacy composite. */
export const sloState = ({ slo, statuses }: SloRecord): ObjectiveState =>
  Array.from(targetsOf(slo).keys(), (track) => objectiveState(statuses.get(track) ?? {})).reduce(
    worseState,
    "noData",
  )

const storedFigures = stored(
  mapped(
    list(object({ objective: anyString, metrics: objectiveStatusCodec }), { max: definitionEntriesMax + 1 }),
    {
      decode: (entries): SloStatuses =>
        new Map(entries.map(({ objective, metrics }) => [objective, metrics])),
      encode: (statuses) =>
        Array.from(statuses, ([objective, { isOutdated: _isOutdated, ...metrics }]) => ({
          objective,
          metrics,
        })),
    },
  ),
  [],
)

const outdatedProperty = '{"outdated":'

/**
 * The stored form of the metrics of an SLO. Which of them are outdated is beside the document, where servers of earlier versions, which
 * know no such metrics, pass over it.
 */
export const storedStatuses: Stored<SloStatuses, unknown> = {
  write: (statuses) => {
    const { json, secrets } = storedFigures.write(statuses)
    const outdated = [...statuses].flatMap(([track, { isOutdated }]) => (isOutdated === true ? [track] : []))
    return {
      json: outdated.length === 0 ? json : `${outdatedProperty}${JSON.stringify(outdated)},${json.slice(1)}`,
      secrets,
    }
  },
  read: (json, context) => {
    const read = storedFigures.read(json, context)
    if (!json.startsWith(outdatedProperty)) return read
    return Result.map(read, (statuses) => {
      // It is JSON, as its document was read.
      const { outdated } = JSON.parse(json) as { readonly outdated: ReadonlyArray<string> }
      const tracks = new Set(outdated)
      return new Map(
        Array.from(statuses, ([track, status]) => [
          track,
          tracks.has(track) ? { ...status, isOutdated: true } : status,
        ]),
      )
    })
  },
}

/** The name, display name and labels of a project or service. */
export type NamedObject = Pick<Metadata, "name" | "displayName" | "labels">

/** The project and name of the SLO of a record. */
export const recordKey = ({ slo: { metadata } }: SloRecord): ProjectKey => ({
  project: metadata.project,
  name: metadata.name,
})

/**
 * The metrics that are shown when a definition is replaced, until they are computed again: those of objectives with the same target,
 * source and budgeting, which remain valid, and those of others, which are outdated; of an objective that is new, none.
 */
export const keptStatuses = (statuses: SloStatuses, before: Slo, after: Slo): SloStatuses => {
  const textBefore = definitionTexts(before)
  return new Map(
    Array.from(definitionTexts(after)).flatMap(([track, text]) => {
      const status = statuses.get(track)
      if (text !== textBefore.get(track)) return [[track, { ...status, isOutdated: true }] as const]
      return status === undefined ? [] : [[track, status] as const]
    }),
  )
}

/** The parts of the definition that the metrics of each track depend on. */
const definitionTexts = (slo: Slo): ReadonlyMap<string, string> => {
  const { budgetingMethod, timeWindow, composite } = slo.spec
  const objectives = objectivesOf(slo).map(({ displayName: _displayName, ...objective }) => objective)
  const textOf = (of: unknown): string => JSON.stringify([budgetingMethod, timeWindow, of])
  return new Map([
    ...objectives.map((objective) => [objective.name, textOf(objective)] as const),
    ...(composite === undefined ? [] : [[overallTrack, textOf([objectives, composite])] as const]),
  ])
}
