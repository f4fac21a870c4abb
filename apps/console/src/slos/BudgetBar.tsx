import { objectiveState } from "@tocsin/domain/forms"
import css from "./BudgetBar.module.css"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"

/** The error budget remaining as a bar, hatched over its whole length when the objective is breached. */
export const BudgetBar = ({ objective }: { readonly objective: ObjectiveStatus }) => {
  const { errorBudgetRemainingPercentage: budget = 1 } = objective
  const status = objectiveState(objective)
  return (
    <span className={css.bar} aria-hidden="true">
      <span
        className={css[status]}
        style={{ width: status === "breached" ? "100%" : `${Math.min(1, budget) * 100}%` }}
      />
    </span>
  )
}
