/** What the list of SLOs can be sorted by. */
export const sloSortKeys = [
  "status",
  "name",
  "objective",
  "reliability",
  "target",
  "budget",
  "burn",
  "alerts",
] as const

/** The columns of the list of SLOs that are shown only if they are selected, each with the days that it is about. */
export const reliabilityColumns = { reliability7d: 7, reliability30d: 30, reliability90d: 90 } as const

/** A column of the list of SLOs that is shown only if it is selected. */
export type ReliabilityColumn = keyof typeof reliabilityColumns
