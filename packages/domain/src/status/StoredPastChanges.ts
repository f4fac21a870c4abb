import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, number } from "../codec/Leaves.ts"
import { budgetAdjustment } from "../slo/BudgetAdjustment.ts"

const unbounded = { max: Number.MAX_SAFE_INTEGER }

const changedTrack = object({
  /** `projectKeyText` of a component; absent for counts of the SLO itself. */
  component: exactOptional(anyString),
  /** Absent: all tracks. */
  track: exactOptional(anyString),
  /** When it last changed, in Unix milliseconds. */
  changedAt: number({}),
  /** The minutes that have changed, in order. */
  ranges: list(object({ from: number({}), to: number({}) }), unbounded),
  /** What was counted in some of them before; nothing in the others, or it is not known any more. */
  before: list(object({ at: number({}), good: number({}), total: number({}) }), unbounded),
})

const changedAdjustments = object({
  /** When one last changed, in Unix milliseconds. */
  changedAt: number({}),
  /** The end of the minutes of the past when they were last changed, in Unix milliseconds. */
  to: number({}),
  before: list(
    object({
      project: anyString,
      name: anyString,
      /** Absent: it did not exist. */
      definition: exactOptional(budgetAdjustment),
    }),
    unbounded,
  ),
})

const pastChanges = object({
  counts: list(changedTrack, unbounded),
  adjustments: exactOptional(changedAdjustments),
})

/**
 * The changes of past minutes of an SLO, and of its components, for as long as they can hold back an alert. With them, its conditions
 * can be measured as if the minutes had not changed.
 */
export type PastChanges = TypeOf<typeof pastChanges>

/** The stored form of changes of past minutes. */
export const storedPastChanges = stored(pastChanges, [])
