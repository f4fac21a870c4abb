/** Changes of error budgets by budget adjustments, and the record of them. */
export { type BudgetChange, listBudgetChanges } from "../../budget-change/BudgetChange.ts"
export { periodsOfRule, wholeMinutes } from "../../status/AdjustedMinutes.ts"
export { budgetRecord, previewBudgetChange, reviseAdjustment } from "../../budget-change/ChangeBudgets.ts"
