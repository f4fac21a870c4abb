import type { TypeOf } from "../codec/Codec.ts"
import { list, object, optional, record, single } from "../codec/Containers.ts"
import { anyString, number } from "../codec/Leaves.ts"
import type { Labels } from "../metadata/Metadata.ts"
import { groupList } from "./GroupValues.ts"
import { groupedObjectives, objectivesOf } from "./ObjectiveGroups.ts"
import { overallTrack } from "./SliceRules.ts"
import type { Slo } from "./Slo.ts"
import { timeWindow, type TimeWindow } from "./TimeWindow.ts"

/** The parts of an SLO by which its latest status is listed. */
export interface SloOutline {
  /** The name of its service. */
  readonly service: string
  /** Its display name, if any. */
  readonly displayName?: string
  /** Its labels, if any. */
  readonly labels?: Labels
  /** Its time window. */
  readonly timeWindow: TimeWindow
  /** The names of its alert policies, which are in its project. */
  readonly alertPolicies: ReadonlyArray<string>
  /** The legacy composite is first, as in the console; then the objectives in order. */
  readonly tracks: ReadonlyArray<TrackOutline>
}

/** An objective of an SLO, or the legacy composite over all of them. */
export interface TrackOutline {
  /** The name of the objective; that of the legacy composite is `overallTrack`. */
  readonly track: string
  /** Absent for the legacy composite, and if the objective has none. */
  readonly displayName?: string
  /** The required share of good events, 0 ≤ target < 1. */
  readonly target: number
}

/** The outline of a definition. */
export const sloOutline = (slo: Slo): SloOutline => ({
  service: slo.spec.service,
  ...displayed(slo.metadata.displayName),
  ...labeled(slo.metadata.labels),
  timeWindow: slo.spec.timeWindow,
  alertPolicies: slo.spec.alertPolicies,
  tracks: tracksOutlined(slo.spec.composite, objectivesOf(slo)),
})

const displayed = (displayName: string | undefined) => displayName !== undefined && { displayName }

const labeled = (labels: Labels | undefined) =>
  labels !== undefined && Object.keys(labels).length > 0 && { labels }

interface OutlinedObjective {
  readonly name: string
  readonly displayName?: string | undefined
  readonly target: number
}

const tracksOutlined = (
  composite: Pick<OutlinedObjective, "target"> | undefined,
  objectives: ReadonlyArray<OutlinedObjective>,
): ReadonlyArray<TrackOutline> => [
  ...(composite === undefined ? [] : [{ track: overallTrack, target: composite.target }]),
  ...objectives.map(({ name, displayName, target }) => ({ track: name, ...displayed(displayName), target })),
]

const isOpen = { isOpen: true }

/** The parts of a stored definition that its outline is made of. Reading all of it takes several times as long. */
export const outlineParts = object(
  {
    metadata: object(
      { displayName: optional(anyString), labels: optional(record(anyString, list(anyString))) },
      isOpen,
    ),
    spec: object(
      {
        service: anyString,
        timeWindows: single(timeWindow),
        alertPolicies: optional(list(anyString), { default: () => [] }),
        objectives: list(
          object({ name: anyString, displayName: optional(anyString), target: number({}) }, isOpen),
        ),
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
  const groupBy = spec.indicator?.prometheus?.groupBy
  const objectives =
    groupBy === undefined ? spec.objectives : groupedObjectives(spec.objectives, groupBy, spec.groups)
  return {
    service: spec.service,
    ...displayed(metadata.displayName),
    ...labeled(metadata.labels),
    timeWindow: spec.timeWindows,
    alertPolicies: spec.alertPolicies,
    tracks: tracksOutlined(spec.composite, objectives),
  }
}
