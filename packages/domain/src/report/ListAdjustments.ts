import * as Effect from "effect/Effect"
import { authorOf } from "../budget-change/BudgetChange.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { compareProjectKeys, type OrganizationId } from "../metadata/ObjectKey.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { minutesOf, type MinuteRanges } from "../status/AdjustedMinutes.ts"
import { type ReportAdjustment, reportAdjustmentsMax } from "./Report.ts"

/** A budget adjustment with the minutes that it changes, in order. */
export interface ChangedMinutes {
  readonly adjustment: BudgetAdjustment
  readonly ranges: MinuteRanges
}

/** Lists adjustments that change minutes of a period, by project and name, each with `more` about it. */
export const listAdjustments = Effect.fnUntraced(function* <A extends ChangedMinutes, M extends object>(
  organization: OrganizationId,
  changed: Iterable<A>,
  period: MinuteRange,
  more: (changed: A) => M,
) {
  const sorted = [...changed].toSorted((a, b) =>
    compareProjectKeys(a.adjustment.metadata, b.adjustment.metadata),
  )
  const adjustments = yield* Effect.forEach(
    sorted.slice(0, reportAdjustmentsMax),
    Effect.fnUntraced(function* (each: A) {
      const { metadata, spec } = each.adjustment
      const author = yield* authorOf(organization, metadata)
      const listed: ReportAdjustment = {
        project: metadata.project,
        name: metadata.name,
        reason: spec.reason,
        ...(author !== undefined && { author }),
        from: each.ranges[0]?.from ?? period.from,
        to: each.ranges.at(-1)?.to ?? period.to,
        minutes: minutesOf(each.ranges),
        ...(spec.set !== undefined && { set: spec.set }),
      }
      return { ...listed, ...more(each) }
    }),
  )
  return { adjustments, hasMoreAdjustments: sorted.length > reportAdjustmentsMax }
})
