import type { IndicatorState } from "@tocsin/api"

/** How reading the minutes before the recent ones goes; empty once all have been read. */
export const historyText = ({ readTo, history }: IndicatorState): string => {
  if (history === undefined) return ""
  const { recentFrom, failures, problem } = history
  const older = readTo === undefined ? "not read yet" : `read up to ${readTo}`
  const failed =
    problem === undefined ? "" : `; failed reads: ${failures}; ${problem.reason}: ${problem.detail}`
  return `${older}, newer minutes from ${recentFrom}${failed}`
}
