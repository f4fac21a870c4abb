/** Error budgets and time windows as pure functions. */
export type { RollingWindow, TimeWindow } from "../slo/TimeWindow.ts"
export { burnRateLookbackMs, burnRateRange, windowAt, type WindowAt } from "../slo/WindowAt.ts"
export { budgetShare, type GoodTotal, objectiveStatus } from "../status/ErrorBudget.ts"
export type { ObjectiveFigures, ObjectiveStatus } from "../status/ObjectiveStatus.ts"
