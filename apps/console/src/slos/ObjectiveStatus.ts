import type { Schemas } from "../api/Client.ts"
import type { Status } from "../components/StatusBadge.tsx"

/** The status of an objective, or of the composite of all objectives; figures without data are absent. */
export interface ObjectiveStatus extends Pick<
  Schemas["Objective"],
  "target" | "reliability" | "burnRate" | "errorBudgetRemaining" | "errorBudgetRemainingPercentage"
> {
  /** Unique within the SLO. */
  readonly key: string
  readonly name: string
}

/** The composite, if there is one, and every objective. */
export const objectiveStatuses = ({
  objectives,
  composite,
}: Schemas["Slo"]): ReadonlyArray<ObjectiveStatus> => [
  ...(composite === undefined ? [] : [{ ...composite, key: "", name: "Composite" }]),
  ...objectives.map((objective) => ({
    ...objective,
    key: objective.name,
    name: objective.displayName || objective.name,
  })),
]

/** Below this fraction of its error budget an objective is at risk. */
const atRiskBelow = 0.2

/** The adjective for an objective. */
export const statusOf = ({
  reliability,
  errorBudgetRemainingPercentage: budget,
}: ObjectiveStatus): Extract<Status, "healthy" | "atRisk" | "breached" | "noData"> => {
  if (reliability === undefined) return "noData"
  if (budget === undefined || budget >= atRiskBelow) return "healthy"
  return budget > 0 ? "atRisk" : "breached"
}
