import { minuteMs } from "../codec/MinuteInstant.ts"
import type { Count } from "./CountStore.ts"

/**
 * Oldest latest minute of which an alert triggers, in milliseconds. Later counts change statuses, but notify nobody: a
 * history that is read, imported or caught up on is evaluated from the present on.
 */
export const alertedDelayMaxMs = 3_600_000

/**
 * The end of the latest minute, in Unix milliseconds, that counts change in the past: more than `alertedDelayMaxMs` before
 * the latest minute with counts of its objective. `undefined` if they change none.
 *
 * Groups of conditions that such minutes alone make met trigger no alert. Source: spec/alerting §12.
 */
export const pastCountsTo = (
  counts: ReadonlyArray<Pick<Count, "objective" | "at">>,
  latestAt: (objective: string) => number | undefined,
): number | undefined => {
  let to: number | undefined
  for (const { objective, at } of counts) {
    if (at >= (latestAt(objective) ?? -Infinity) - alertedDelayMaxMs) continue
    to = Math.max(to ?? 0, at + minuteMs)
  }
  return to
}
