import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CountStore } from "../counts/CountStore.ts"
import { isStorable } from "../codec/Leaves.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { definitionsWereChanged } from "../definition/DefinitionListeners.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { indexedReferences } from "../definition/References.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { groupByOf, groupObjectiveName, groupsMaxOf } from "../slo/ObjectiveGroups.ts"
import {
  groupKey,
  groupValueMaxCharacters,
  type GroupValues,
  objectiveNameMaxCharacters,
} from "../slo/GroupValues.ts"
import type { Slo } from "../slo/Slo.ts"
import { windowDays } from "../slo/WindowLength.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { DefinitionKey } from "../definition/Kinds.ts"

export interface SelectedGroups {
  /** Known ones first. */
  readonly groups: ReadonlyArray<GroupValues>
  /** Why others are not counted. */
  readonly problem: string | undefined
}

/** Selects the groups of an SLO to count of those that were read: known ones, and new ones as long as there is room. */
export const selectGroups = (slo: Slo, found: ReadonlyArray<GroupValues>): SelectedGroups => {
  const known = new Set((slo.spec.groups ?? []).map(groupKey))
  const max = groupsMaxOf(slo)
  const isKnown = (values: GroupValues): boolean => known.has(groupKey(values))
  const isShort = hasShortName(slo)
  const short = found.filter((values) => isKnown(values) || isShort(values))
  const valid = short.filter((values) => isKnown(values) || values.every(isCountable))
  const fresh = valid.filter((values) => !isKnown(values))
  const room = Math.max(0, max - known.size)
  const groups = [...valid.filter(isKnown), ...fresh.slice(0, room)]
  const labels = (groupByOf(slo.spec) ?? []).join(", ")
  const problem =
    fresh.length > room
      ? `${labels} has more than ${max} groups, as an SLO has at most 100 objectives in all; ${fresh.length - room} are not counted. Group by fewer values, or delete objectives`
      : valid.length < short.length
        ? `a value of ${labels} is longer than ${groupValueMaxCharacters} characters, and is not counted`
        : short.length < found.length
          ? `the values of ${labels} are longer than ${objectiveNameMaxCharacters} bytes together in the name of an objective, and are not counted; group by fewer labels`
          : undefined
  return { groups, problem }
}

const isCountable = (value: string): boolean => value.length <= groupValueMaxCharacters && isStorable(value)

/** Names are in keys of indexes, whose entries have at most 2,700 bytes. */
const hasShortName = ({ spec }: Slo): ((values: GroupValues) => boolean) => {
  const labels = groupByOf(spec) ?? []
  const lengthOf = (name: string): number => encoder.encode(name).length
  const longest = Math.max(0, ...spec.objectives.map(({ name }) => lengthOf(name)))
  return (values) =>
    longest + lengthOf(groupObjectiveName("", labels, values.map(cut))) <= objectiveNameMaxCharacters
}

/** A value that is too long is not a reason of its own here. */
const cut = (value: string): string => (value.length > groupValueMaxCharacters ? "" : value)

const encoder = new TextEncoder()

/**
 * Adds groups to an SLO, unless its `groupBy` has changed meanwhile. As a change of its definition, it makes their objectives
 * exist for everything.
 */
export const addGroups = (
  organization: OrganizationId,
  slo: Slo,
  groups: ReadonlyArray<GroupValues>,
): Effect.Effect<void, StoreIsUnavailable, DefinitionStore> => {
  const known = new Set((slo.spec.groups ?? []).map(groupKey))
  const fresh = groups.filter((values) => !known.has(groupKey(values)))
  return fresh.length === 0
    ? Effect.void
    : changeGroups(organization, slo, (before) => {
        const kept = new Set(before.map(groupKey))
        return [...before, ...fresh.filter((values) => !kept.has(groupKey(values)))]
      })
}

/**
 * Removes the groups of an SLO that had no counts during its time window and a day. `readTo` is where its recorded counts end, in
 * Unix milliseconds.
 */
export const removeGoneGroups = (
  organization: OrganizationId,
  slo: Slo,
  readTo: number,
): Effect.Effect<void, StoreIsUnavailable, CountStore | DefinitionStore> =>
  Effect.gen(function* () {
    const labels = groupByOf(slo.spec)
    if (labels === undefined || slo.spec.groups === undefined) return
    const { project, name } = slo.metadata
    const reads = [{ organization, slo: { project, name }, ranges: [] }]
    const [read] = yield* (yield* CountStore).sums(reads)
    const oldest = readTo - (windowDays(slo.spec.timeWindow) + 1) * dayMs
    const isGone = (values: GroupValues): boolean =>
      slo.spec.objectives.every((objective) => {
        const latestAt = read?.latestAt.get(groupObjectiveName(objective.name, labels, values))
        return (latestAt ?? 0) < oldest
      })
    const gone = new Set(slo.spec.groups.filter(isGone).map(groupKey))
    if (gone.size === 0) return
    yield* changeGroups(organization, slo, (before) => before.filter((values) => !gone.has(groupKey(values))))
  })

const changeGroups = (
  organization: OrganizationId,
  slo: Slo,
  change: (groups: ReadonlyArray<GroupValues>) => ReadonlyArray<GroupValues>,
): Effect.Effect<void, StoreIsUnavailable, DefinitionStore> =>
  Effect.gen(function* () {
    const { project, name } = slo.metadata
    const key: DefinitionKey & ProjectKey = { kind: "SLO", project, name }
    yield* (yield* DefinitionStore).change(organization, [key], (found) => {
      const { definition: stored, updatedAt } = found.find(key) ?? {}
      if (
        updatedAt === undefined ||
        stored?.kind !== "SLO" ||
        JSON.stringify(groupByOf(stored.spec)) !== JSON.stringify(groupByOf(slo.spec))
      ) {
        return Result.succeed({ put: [], remove: [] })
      }
      const groups = change(stored.spec.groups ?? []).slice(0, groupsMaxOf(stored))
      const definition: Slo = { ...stored, spec: { ...stored.spec, groups } }
      const references = indexedReferences(definition)
      return Result.succeed({ put: [{ definition, references, updatedAt }], remove: [] })
    })
    yield* definitionsWereChanged(organization)
  })
