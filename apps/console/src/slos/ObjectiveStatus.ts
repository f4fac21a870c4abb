import type { SloRecord } from "@tocsin/api"
import { t } from "../language/Text.tsx"

/** The status of an objective, or of the composite of all objectives; figures without data are absent. */
export interface ObjectiveStatus extends Pick<
  SloRecord["objectives"][number],
  | "target"
  | "reliability"
  | "burnRate"
  | "errorBudgetRemaining"
  | "errorBudgetRemainingPercentage"
  | "isOutdated"
> {
  /** Unique within the SLO. */
  readonly key: string
  readonly name: string
}

/** The composite, if there is one, and every objective. */
export const objectiveStatuses = ({ objectives, composite }: SloRecord): ReadonlyArray<ObjectiveStatus> => [
  ...(composite === undefined ? [] : [{ ...composite, key: "", name: t("Composite") }]),
  ...objectives.map((objective) => ({
    ...objective,
    key: objective.name,
    name: objective.displayName || objective.name,
  })),
]
