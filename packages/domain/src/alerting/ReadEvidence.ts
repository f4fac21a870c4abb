import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { countsMissingMinutes } from "../slo/Objectives.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { adjustmentPeriods } from "../status/AdjustedMinutes.ts"
import { burnRateOf, budgetShare, type GoodTotal } from "../status/ErrorBudget.ts"
import { countsEmptyMinutes, readCounts } from "../status/ReadSlos.ts"
import { SloStore } from "../status/SloStore.ts"
import type { Alert } from "./Alert.ts"
import { AlertNotFound, AlertStore } from "./AlertStore.ts"
import type { ExplainedCondition } from "./ExplainCondition.ts"

/** What the counts say now about the minutes that a condition measured when its alert triggered. */
interface RemeasuredCondition {
  /** The events, without the minutes that a budget adjustment excludes now. */
  readonly events: GoodTotal
  /** The burn rate, where the condition measures one; absent without data. */
  readonly value?: number
}

/** An alert, and how its evidence compares with the counts that are stored now. */
interface ReadEvidence {
  readonly alert: Alert
  /** By group and condition, as `Alert.evidence`; absent without evidence, and once the SLO was deleted. */
  readonly remeasured?: ReadonlyArray<ReadonlyArray<RemeasuredCondition>>
  /** Whether events of any condition are different now. */
  readonly isChanged: boolean
  /** If so, the budget adjustments that apply to these minutes now. */
  readonly adjustments: ReadonlyArray<BudgetAdjustment>
}

/**
 * Reads an alert, and measures the minutes of its evidence again: as far as they had counts when it triggered, by the counts and
 * budget adjustments of now. Fails with `AlertNotFound`.
 */
export const readEvidence = Effect.fnUntraced(function* (organization: OrganizationId, alertId: string) {
  const { items } = yield* (yield* AlertStore).list(organization, { ids: [alertId] }, { limit: 1 })
  const [alert] = items
  if (alert === undefined) return yield* new AlertNotFound()
  const { evidence, subject, triggeredMetricAt = Infinity } = alert
  const unchanged: ReadEvidence = { alert, isChanged: false, adjustments: [] }
  if (evidence === undefined) return unchanged
  const found = Option.getOrUndefined(yield* (yield* SloStore).findForStatus(organization, subject.slo))
  // One that was created again has no counts of that time.
  if (found === undefined || found.slo.createdAt > alert.triggeredAt) return unchanged
  const { slo, adjustments, readTo } = found
  const track = subject.objective ?? overallTrack
  const objective = slo.definition.spec.objectives.find(({ name }) => name === track)
  // Where minutes without counts count, those after the latest count were measured, too.
  const countsEmpty =
    countsEmptyMinutes(slo.definition, track) || (objective !== undefined && countsMissingMinutes(objective))
  const knownTo = countsEmpty ? Infinity : triggeredMetricAt + minuteMs
  const knownRange = ({ range: { from, to } }: ExplainedCondition): MinuteRange => ({
    from,
    to: Math.max(from, Math.min(to, knownTo)),
  })
  const ranges = evidence.groups.flat().map(knownRange)
  const now = yield* Clock.currentTimeMillis
  const [counts] = yield* readCounts([{ organization, slo, adjustments, ranges, readTo }], now)
  if (counts === undefined) return unchanged
  const budget = budgetShare(evidence.target)
  const remeasured = evidence.groups.map((group) =>
    group.map((condition): RemeasuredCondition => {
      const range = knownRange(condition)
      const { from, to } = condition.range
      const value =
        condition.measurement === "averageBurnRate"
          ? burnRateOf(budget, counts.goodTotal(track, range, to - from))
          : undefined
      return { events: counts.events(track, range), ...(value !== undefined && { value }) }
    }),
  )
  const isChanged = evidence.groups.some((group, at) =>
    group.some(({ events }, index) => !isSame(events, remeasured[at]?.[index]?.events ?? events)),
  )
  const read: ReadEvidence = {
    alert,
    remeasured,
    isChanged,
    adjustments: isChanged
      ? adjustments.filter(
          (each) =>
            adjustsSlo(each, slo.definition.metadata) &&
            ranges.some((range) => adjustmentPeriods(each, range, slo.definition.metadata).length > 0),
        )
      : [],
  }
  return read
})

/** Sums of fractions differ by how they are added up. */
const isSame = (a: GoodTotal, b: GoodTotal): boolean =>
  isNear(a.good, b.good, a.total) && isNear(a.total, b.total, a.total)

const isNear = (a: number, b: number, size: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, size)
