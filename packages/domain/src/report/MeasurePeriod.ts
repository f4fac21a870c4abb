import { tidy } from "../codec/Decimal.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { targetsOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"
import { type CountsReading, sloStatus } from "../status/CountsPlan.ts"
import { budgetShare } from "../status/ErrorBudget.ts"
import type { ReportMeasurement } from "./Report.ts"
import { resultOf, type ReportResult } from "./ReportResult.ts"

/** The figures of an objective over a period, before its coverage is known. */
export type PeriodFigures = Omit<ReportMeasurement, "coverage" | "result">

/** A period is measured as it is, whatever the time window of the SLO is. */
const periodAt = (period: MinuteRange): WindowAt => ({ range: period, lengthMs: period.to - period.from })

/** The ranges whose counts `measurePeriod` needs. */
export const periodRanges = (period: MinuteRange): ReadonlyArray<MinuteRange> => [
  period,
  burnRateRange(periodAt(period)),
]

/** Measures the objectives of an SLO, and its legacy composite, over a period by their tracks. `counts` has its `periodRanges`. */
export const measurePeriod = (
  slo: Slo,
  period: MinuteRange,
  counts: CountsReading,
): ((track: string) => PeriodFigures) => {
  const at = periodAt(period)
  const statuses = sloStatus(slo, at, counts)
  const targets = targetsOf(slo)
  return (track) => {
    const target = targets.get(track) ?? 0
    const { burnRate: _ofTheLastHour, ...status } = statuses.get(track) ?? {}
    return {
      target,
      errorBudget: tidy((budgetShare(target) * counts.countedMs(track, at.range, at.lengthMs)) / 1_000),
      ...status,
      ...counts.goodTotal(track, at.range, at.lengthMs),
    }
  }
}

/** The figures with the result that follows from their coverage, 0 to 1. */
export const withResult = (
  figures: PeriodFigures,
  coverage: number,
  minCoverage: number,
): PeriodFigures & { readonly coverage: number; readonly result: ReportResult } => ({
  ...figures,
  coverage,
  result: resultOf(figures, coverage, minCoverage),
})
