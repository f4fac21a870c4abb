import { type GroupValues, groupedObjectivesMax } from "./GroupValues.ts"
import { plainOf } from "./Objectives.ts"
import type { Objective, PlainObjective, Slo } from "./Slo.ts"

/** The labels whose values form the groups, at most `groupLabelsMax`; `undefined` if the SLO has no groups. */
export const groupByOf = ({ indicator }: Pick<Slo["spec"], "indicator">): ReadonlyArray<string> | undefined =>
  indicator?.prometheus?.groupBy

/** How many groups an SLO can have. */
export const groupsMaxOf = ({ spec }: Slo): number =>
  Math.floor(groupedObjectivesMax / Math.max(1, spec.objectives.length))

/**
 * The name of an objective for a group, such as `taken{region="eu"}`. No two groups have the same, nor does an objective that is not
 * grouped.
 */
export const groupObjectiveName = (
  objective: string,
  labels: ReadonlyArray<string>,
  values: GroupValues,
): string => `${objective}${groupSelector(labels, values)}`

const groupSelector = (labels: ReadonlyArray<string>, values: GroupValues): string =>
  `{${labels.map((label, index) => `${label}=${JSON.stringify(values[index] ?? "")}`).join(",")}}`

/** The objectives of an SLO: with `groupBy`, each that is defined once for each group that is known. */
export const objectivesOf = (slo: Slo): ReadonlyArray<Objective> => {
  const labels = groupByOf(slo.spec)
  if (labels === undefined) return slo.spec.objectives
  const known = groupedBySpec.get(slo.spec)
  if (known !== undefined) return known
  const expanded = groupedObjectives(slo.spec.objectives, labels, slo.spec.groups)
  groupedBySpec.set(slo.spec, expanded)
  return expanded
}

/** They are asked for often, and definitions do not change. */
const groupedBySpec = new WeakMap<Slo["spec"], ReadonlyArray<Objective>>()

/** Each objective once for each group. */
export const groupedObjectives = <A extends Pick<Objective, "name" | "displayName">>(
  objectives: ReadonlyArray<A>,
  labels: ReadonlyArray<string>,
  groups: ReadonlyArray<GroupValues> = [],
): ReadonlyArray<A> =>
  objectives.flatMap((objective) =>
    groups.map((values): A => ({
      ...objective,
      name: groupObjectiveName(objective.name, labels, values),
      ...(objective.displayName !== undefined && {
        displayName: `${objective.displayName} ${groupSelector(labels, values)}`,
      }),
    })),
  )

/** The objectives with counts of their own, by group. */
export const plainObjectivesOf = (slo: Slo): ReadonlyArray<PlainObjective> => plainOf(objectivesOf(slo))

/** The SLO with the groups of the stored one, if it is grouped by the same labels. */
export const withStoredGroups = (slo: Slo, stored: Slo | undefined): Slo => {
  const groups = stored?.spec.groups
  const isSame =
    groupByOf(slo.spec) !== undefined &&
    stored !== undefined &&
    JSON.stringify(groupByOf(slo.spec)) === JSON.stringify(groupByOf(stored.spec))
  return isSame && groups !== undefined ? { ...slo, spec: { ...slo.spec, groups } } : slo
}
