/** The record of changes of error budgets, and the events of budget adjustments. */
export {
  BudgetAdjustmentNotFound,
  deleteAdjustmentEvents,
  listAdjustmentEvents,
  updateAdjustmentEvents,
} from "../../budget-change/AdjustmentEvents.ts"
export { type BudgetChange, listBudgetChanges } from "../../budget-change/BudgetChange.ts"
export { budgetRecord, previewBudgetChange } from "../../budget-change/ChangeBudgets.ts"
