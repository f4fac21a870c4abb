/** Error budgets and time windows as pure functions. */
export { type GoodTotal, objectiveStatus } from "../status/ErrorBudget.ts"
export type { ObjectiveStatus } from "../status/ObjectiveStatus.ts"
export { burnRateLookbackMs, burnRateRange, windowAt, type WindowAt } from "../slo/WindowAt.ts"
export type { CalendarWindow, RollingWindow, TimeWindow } from "../slo/TimeWindow.ts"
