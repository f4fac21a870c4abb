import type { Schemas } from "../api/ApiTypes.ts"

/** How an objective stands, or all objectives of a composite together; figures without data are absent. */
export interface Standing extends Pick<
  Schemas["Objective"],
  "target" | "reliability" | "burnRate" | "errorBudgetRemaining" | "errorBudgetRemainingPercentage"
> {
  /** Tells it apart within the SLO. */
  readonly key: string
  readonly name: string
}

/** Everything of an SLO that has a target: the composite first, if it is one. */
export const situationsOf = ({ objectives, composite }: Schemas["Slo"]): ReadonlyArray<Standing> => [
  ...(composite === undefined ? [] : [{ ...composite, key: "", name: "All together" }]),
  ...objectives.map((objective) => ({
    ...objective,
    key: objective.name,
    name: objective.displayName || objective.name,
  })),
]
