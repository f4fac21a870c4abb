/** `breached`: the error budget is exhausted; `noData`: there is none in the time window. The most urgent first. */
export const objectiveStates = ["breached", "atRisk", "healthy", "noData"] as const

/** The state of an objective, or of an SLO by its most urgent objective. */
export type ObjectiveState = (typeof objectiveStates)[number]

/** Below this fraction of its error budget an objective is at risk. */
export const atRiskBelow = 0.2

/** At this burn rate the error budget lasts exactly for the time window; from it on, an objective burns now. */
const burningFrom = 1

/** Whether an objective burns its error budget now, from its burn rate as it is shown. */
export const isBurning = ({ burnRate = 0 }: { readonly burnRate?: number | undefined }): boolean =>
  roundedBurnRate(burnRate) >= burningFrom

/** A burn rate with four significant digits. */
export const roundedBurnRate = (burnRate: number): number => Number(burnRate.toPrecision(4))

/** How many objectives or SLOs are in each state. */
export type StateCounts = Readonly<Record<ObjectiveState, number>>

/** Counts the occurrences of each state; a state that does not occur has 0. */
export const countStates = (states: ReadonlyArray<ObjectiveState>): StateCounts => {
  const counts = { breached: 0, atRisk: 0, healthy: 0, noData: 0 }
  for (const state of states) counts[state]++
  return counts
}

/** The more urgent of two states. */
export const worseState = (a: ObjectiveState, b: ObjectiveState): ObjectiveState =>
  objectiveStates.indexOf(a) <= objectiveStates.indexOf(b) ? a : b

/** The state of an objective, from its metrics. */
export const objectiveState = ({
  reliability,
  errorBudgetRemainingPercentage: budget,
}: {
  readonly reliability?: number | undefined
  readonly errorBudgetRemainingPercentage?: number | undefined
}): ObjectiveState => {
  if (reliability === undefined) return "noData"
  if (budget === undefined || budget >= atRiskBelow) return "healthy"
  return budget > 0 ? "atRisk" : "breached"
}
