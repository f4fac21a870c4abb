import * as Context from "effect/Context"

/** Default share of the minutes of a period that counts must cover for an objective to be met in it, in percent. */
export const minCoveragePercent = 90

/** Share of the minutes of a period that counts must cover for an objective to be met in it, from 0 to 1. */
export const MinCoverage = Context.Reference<number>("@tocsin/domain/internal/counts/MinCoverage", {
  defaultValue: () => minCoveragePercent / 100,
})
