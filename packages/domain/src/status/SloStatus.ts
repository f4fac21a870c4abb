import type { CountsReading } from "./CountsPlan.ts"
import { objectiveStatus, type ObjectiveStatus } from "./ErrorBudget.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"

/**
 * Computes the metrics of an SLO's tracks: of its objectives by name, and of the older composite by `overallTrack`.
 *
 * The window's range and its `burnRateRange` must be among those that the counts were read over.
 *
 * Source: spec/slos §3, spec/slos §2, spec/slos §5, spec/slos §6, spec/slos §8.
 */
export const sloStatus = (
  { spec }: Slo,
  at: WindowAt,
  counts: CountsReading,
): ReadonlyMap<string, ObjectiveStatus> => {
  const recent = burnRateRange(at)
  const tracks = spec.objectives.map(({ name, target }) => ({ track: name, target }))
  if (spec.composite !== undefined) tracks.push({ track: overallTrack, target: spec.composite.target })
  return new Map(
    tracks.map(({ track, target }) => [
      track,
      objectiveStatus(
        target,
        at.lengthMs,
        counts.goodTotal(track, at.range, at.lengthMs),
        counts.goodTotal(track, recent),
      ),
    ]),
  )
}
