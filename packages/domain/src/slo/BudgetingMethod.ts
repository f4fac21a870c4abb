/** `Occurrences` counts events, `Timeslices` minutes. */
export const budgetingMethods = ["Occurrences", "Timeslices"] as const

/** How the error budget of an SLO is counted. */
export type BudgetingMethod = (typeof budgetingMethods)[number]
