import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { type ObjectiveState, objectiveStates } from "../slo/ObjectiveState.ts"

/** The place of an SLO in the default order of the console. */
export interface SloRank {
  /** The SLO. */
  readonly slo: ProjectKey
  /** Whether the SLO has an open alert or an objective that burns now. */
  readonly isBurning: boolean
  /** The state of its most urgent objective. */
  readonly state: ObjectiveState
  /** The lowest error budget of its objectives in this state; `Infinity` if none has one. Compared as `roundedBudget`. */
  readonly budget: number
  /** Its display name; of an SLO without one, its name. */
  readonly displayName: string
}

/** Compares what burns now, then state, error budget, display name and name: no two SLOs of an organization are equal. */
export const compareSloRanks = (a: SloRank, b: SloRank): number => {
  if (a.isBurning !== b.isBurning) return a.isBurning ? -1 : 1
  if (a.state !== b.state) return objectiveStates.indexOf(a.state) - objectiveStates.indexOf(b.state)
  const [ofA, ofB] = [roundedBudget(a.budget), roundedBudget(b.budget)]
  if (ofA !== ofB) return ofA < ofB ? -1 : 1
  const names = collator.compare(a.displayName, b.displayName)
  if (names !== 0) return names
  const [keyA, keyB] = [projectKeyText(a.slo), projectKeyText(b.slo)]
  return keyA === keyB ? 0 : keyA < keyB ? -1 : 1
}

const collator = new Intl.Collator("en", { numeric: true })

/** An error budget with four digits after the point, rounded down so that the state of the objective stays what it is. */
export const roundedBudget = (budget: number): number =>
  budget > 0 && budget < 1e-4 ? 1e-4 : roundedDown(budget, 1e4)

/** Rounds down to a multiple of `1 / factor`. A share times a power of ten may be a little less than the integer that it stands for. */
export const roundedDown = (value: number, factor: number): number => {
  const scaled = value * factor
  const nearest = Math.round(scaled)
  return (Math.abs(scaled - nearest) < 1e-9 * factor ? nearest : Math.floor(scaled)) / factor
}
