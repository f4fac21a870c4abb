/** `Occurrences` counts events, `Timeslices` minutes. */
export const budgetingMethods = ["Occurrences", "Timeslices"] as const

export type BudgetingMethod = (typeof budgetingMethods)[number]
