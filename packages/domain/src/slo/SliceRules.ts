import { stored, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { anyString, boolean, number } from "../codec/Leaves.ts"
import { objectivesOf, plainObjectivesOf } from "./ObjectiveGroups.ts"
import { carriesState, countsAbsent, treatsZeroAsNoData } from "./Objectives.ts"
import type { CompositeOverObjectives, PlainObjective, Slo } from "./Slo.ts"

const slicePart = object({
  objective: anyString,
  goodShareMin: number({}),
  /** Whether a share of exactly `goodShareMin` is good. */
  isInclusive: boolean,
  /** Whether the states of minutes without events are wanted (`MinuteStates`). */
  hasStates: optional(boolean, { isEmpty: (value) => !value }),
})

const sliceRule = object({ track: anyString, parts: list(slicePart) })

/** What share of good events makes a minute of an objective good. */
export type SlicePart = TypeOf<typeof slicePart>

/**
 * A minute of a track is good if every part with counts is good. A track is an objective, by name, or
 * `overallTrack`.
 */
export type SliceRule = TypeOf<typeof sliceRule>

/** The stored form of the rules of an SLO; an SLO has at most one more track than objectives. */
export const storedSliceRules = stored(list(sliceRule, { max: Number.MAX_SAFE_INTEGER }), [])

/** The legacy composite; no objective has an empty name. */
export const overallTrack = ""

/** The targets of all tracks of an SLO, in the order of its objectives; the legacy composite is last. */
export const targetsOf = (slo: Slo): ReadonlyMap<string, number> => {
  const { spec } = slo
  const targets = new Map(objectivesOf(slo).map(({ name, target }) => [name, target]))
  if (spec.composite !== undefined) targets.set(overallTrack, spec.composite.target)
  return targets
}

/**
 * The rules that decide whether minutes are good; all minutes of a track without a rule are good.
 *
 * With Timeslices, a minute of an objective is good when its share of good events reaches `timeSliceTarget`.
 * A minute of the legacy composite is good if it is good for each objective with counts: by
 * `timeSliceTarget`, or with Occurrences if the burn rate of the minute, `(1 - share) / (1 - target)`, does
 * not meet the condition: `share ≥ 1 - value × (1 - target)` for `gt`, `>` for `gte`.
 */
export const sliceRulesOf = (slo: Slo): ReadonlyArray<SliceRule> => {
  const objectives = plainObjectivesOf(slo)
  const isCarried = carriesState(slo)
  const isZeroAbsent = treatsZeroAsNoData(slo)
  const withStates = (part: SlicePart, hasStates: boolean): SlicePart =>
    hasStates ? { ...part, hasStates } : part
  const own = objectives.flatMap((objective) => {
    const { name, timeSliceTarget } = objective
    const hasStates = isCarried || isZeroAbsent || countsAbsent(objective)
    if (timeSliceTarget === undefined && !hasStates) return []
    // With Occurrences, every minute is as good as its events.
    return [{ track: name, parts: [withStates(timeSlicePart(name, timeSliceTarget ?? 0), hasStates)] }]
  })
  const { composite } = slo.spec
  if (composite === undefined) return own
  const parts = objectives.flatMap((each) => overallPart(each, composite))
  return [...own, { track: overallTrack, parts: parts.map((part) => withStates(part, isCarried)) }]
}

const overallPart = (
  { name, target, timeSliceTarget }: PlainObjective,
  { burnRateCondition }: CompositeOverObjectives,
): ReadonlyArray<SlicePart> => {
  if (timeSliceTarget !== undefined) return [timeSlicePart(name, timeSliceTarget)]
  if (burnRateCondition === undefined) return []
  const { value, op } = burnRateCondition
  // Without the noise of binary fractions, so that a share equal to the limit compares as written.
  const goodShareMin = Number((1 - value * (1 - target)).toFixed(12))
  return [{ objective: name, goodShareMin, isInclusive: op === "gt" }]
}

const timeSlicePart = (objective: string, timeSliceTarget: number): SlicePart => ({
  objective,
  goodShareMin: timeSliceTarget,
  isInclusive: true,
})
