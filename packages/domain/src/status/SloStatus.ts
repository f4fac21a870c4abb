import type { CountsReading } from "./CountsPlan.ts"
import { objectiveStatus } from "./ErrorBudget.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"
import { targetsOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"

/**
 * Computes the metrics of the objectives by name, and of the legacy composite by `overallTrack`.
 *
 * The counts must have been read over the window's range and its `burnRateRange`.
 */
export const sloStatus = (
  slo: Slo,
  at: WindowAt,
  counts: CountsReading,
): ReadonlyMap<string, ObjectiveStatus> => {
  const recent = burnRateRange(at)
  return new Map(
    Array.from(targetsOf(slo), ([track, target]) => [
      track,
      objectiveStatus(
        target,
        counts.countedMs(track, at.range, at.lengthMs),
        counts.goodTotal(track, at.range, at.lengthMs),
        counts.goodTotal(track, recent),
      ),
    ]),
  )
}
