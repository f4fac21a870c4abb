import type { TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { anyString, number } from "../codec/Leaves.ts"
import { groupList } from "./GroupValues.ts"
import { groupObjectiveName, objectivesOf } from "./ObjectiveGroups.ts"
import { overallTrack } from "./SliceRules.ts"
import type { Slo } from "./Slo.ts"

/** The parts of an SLO by which its latest status is listed. */
export interface SloOutline {
  /** The name of its service. */
  readonly service: string
  /** Its display name, if any. */
  readonly displayName?: string
  /** The target of each track. The legacy composite is first, as in the console; then the objectives in order. */
  readonly targets: ReadonlyMap<string, number>
}

/** The outline of a definition. */
export const sloOutline = (slo: Slo): SloOutline => ({
  service: slo.spec.service,
  ...displayed(slo.metadata.displayName),
  targets: targetsByTrack(slo.spec.composite, objectivesOf(slo)),
})

const displayed = (displayName: string | undefined) => displayName !== undefined && { displayName }

interface WithTarget {
  readonly target: number
}

const targetsByTrack = (
  composite: WithTarget | undefined,
  objectives: ReadonlyArray<WithTarget & { readonly name: string }>,
): ReadonlyMap<string, number> =>
  new Map([
    ...(composite === undefined ? [] : [[overallTrack, composite.target] as const]),
    ...objectives.map(({ name, target }) => [name, target] as const),
  ])

const isOpen = { isOpen: true }

/** The parts of a stored definition that its outline is made of. Reading all of it takes several times as long. */
export const outlineParts = object(
  {
    metadata: object({ displayName: optional(anyString) }, isOpen),
    spec: object(
      {
        service: anyString,
        objectives: list(object({ name: anyString, target: number({}) }, isOpen)),
        composite: optional(object({ target: number({}) }, isOpen)),
        indicator: optional(
          object({ prometheus: optional(object({ groupBy: optional(list(anyString)) }, isOpen)) }, isOpen),
        ),
        groups: optional(groupList),
      },
      isOpen,
    ),
  },
  isOpen,
)

/** The outline of a stored definition; equal to that of the definition. */
export const outlineOfParts = ({ metadata, spec }: TypeOf<typeof outlineParts>): SloOutline => {
  const labels = spec.indicator?.prometheus?.groupBy
  const objectives =
    labels === undefined
      ? spec.objectives
      : spec.objectives.flatMap(({ name, target }) =>
          (spec.groups ?? []).map((values) => ({ name: groupObjectiveName(name, labels, values), target })),
        )
  return {
    service: spec.service,
    ...displayed(metadata.displayName),
    targets: targetsByTrack(spec.composite, objectives),
  }
}
