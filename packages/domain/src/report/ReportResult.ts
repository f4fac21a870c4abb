/** What a report says of an objective; `insufficient_data`: it would be met, but too few minutes of the period are covered by counts. */
export const reportResults = ["met", "missed", "insufficient_data"] as const

/** Whether an objective was met in the period of a report. */
export type ReportResult = (typeof reportResults)[number]

interface Measured {
  readonly target: number
  readonly reliability?: number | undefined
}

/** The result of an objective, of which a share of the minutes of the period, 0 to 1, is covered by counts. */
export const resultOf = (
  { target, reliability }: Measured,
  coverage: number,
  minCoverage: number,
): ReportResult => {
  if (reliability === undefined) return "insufficient_data"
  if (reliability < target) return "missed"
  return coverage < minCoverage ? "insufficient_data" : "met"
}

/** The result that a report states; that of a report of an earlier version, which states none, by its figures alone. */
export const statedResult = (
  measured: Measured & { readonly result?: ReportResult | undefined },
): ReportResult => measured.result ?? resultOf(measured, 1, 0)
