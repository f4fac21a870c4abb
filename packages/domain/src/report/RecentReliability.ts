import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { MinCoverage } from "../counts/MinCoverage.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { minutesOf } from "../status/AdjustedMinutes.ts"
import { targetsOf } from "../slo/SliceRules.ts"
import type { CountsReading } from "../status/CountsPlan.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { measurePeriod, periodRanges } from "./MeasurePeriod.ts"
import { readCoverage } from "./ReadCoverage.ts"
import { resultOf, type ReportResult } from "./ReportResult.ts"

/** Most SLOs whose reliability is read together. */
export const recentSlosMax = 100

/** The reliability of a track over a number of past days. */
export interface RecentFigure {
  /** How many days, of 24 hours. */
  readonly days: number
  /** Absent without data. */
  readonly reliability?: number
  /** As in a report of these days. */
  readonly result: ReportResult
}

/** The reliability of an SLO over past days, by track in the order of the SLO. */
export interface RecentReliability {
  /** The project and name of the SLO. */
  readonly slo: ProjectKey
  /** By objective, and of the legacy composite by `overallTrack`. */
  readonly tracks: ReadonlyMap<string, ReadonlyArray<RecentFigure>>
}

/**
 * The reliability of SLOs over the days until the end of the current minute, whatever their time windows are, each as a report of these days has it; SLOs that do
 * not exist are left out. Sums are read; single hours only of SLOs that would have met a target, and have minutes without events.
 */
export const findRecentReliability = Effect.fn("findRecentReliability")(function* (
  organization: OrganizationId,
  slos: ReadonlyArray<ProjectKey>,
  days: ReadonlyArray<number>,
) {
  if (slos.length > recentSlosMax) {
    return yield* new ParameterIsInvalid({
      code: "slo_invalid",
      propertyName: "slo",
      detail: `slo can be repeated at most ${recentSlosMax} times`,
    })
  }
  const now = yield* Clock.currentTimeMillis
  const minCoverage = yield* MinCoverage
  const to = minuteOf(now) + minuteMs
  const periods = days.map((count): MinuteRange => ({ from: to - count * dayMs, to }))
  const dues = yield* (yield* SloStore).findAllForStatus(organization, slos)
  const ranges = periods.flatMap(periodRanges)
  const counts = yield* readCounts(
    dues.map(({ slo, adjustments, readTo }) => ({ organization, slo, adjustments, ranges, readTo })),
    now,
  )
  const ofPeriods = yield* Effect.forEach(periods, (period, at) =>
    measureRecent(dues, counts, period, days[at] ?? 0, minCoverage, now),
  )
  return dues.map((due, index): RecentReliability => {
    const { project, name } = due.slo.definition.metadata
    const tracks = Array.from(targetsOf(due.slo.definition).keys(), (track) => {
      const figures = ofPeriods.flatMap((bySlo) => bySlo[index]?.get(track) ?? [])
      return [track, figures] as const
    })
    return { slo: { project, name }, tracks: new Map(tracks) }
  })
})

/** The figures of SLOs over a period, by track. */
const measureRecent = Effect.fnUntraced(function* (
  dues: ReadonlyArray<DueSlo>,
  counts: ReadonlyArray<CountsReading>,
  period: MinuteRange,
  days: number,
  minCoverage: number,
  now: number,
) {
  const measured = dues.map((due, index) => {
    const ofSlo = counts[index]
    if (ofSlo === undefined) return { due, figures: new Map<string, never>(), isOpen: false }
    const figuresOf = measurePeriod(due.slo.definition, period, ofSlo)
    const figures = new Map(
      Array.from(targetsOf(due.slo.definition).keys(), (track) => [track, figuresOf(track)]),
    )
    // With that many minutes with events, the coverage is enough, and need not be read.
    const isCovered = (track: string): boolean =>
      due.adjustments.length === 0 &&
      (ofSlo.ownSum(track, period)?.minutes ?? 0) >= minCoverage * minutesOf([period])
    const isOpen = Array.from(figures).some(
      ([track, ofTrack]) => resultOf(ofTrack, 1, minCoverage) === "met" && !isCovered(track),
    )
    return { due, figures, isOpen }
  })
  const open = measured.filter(({ isOpen }) => isOpen)
  const coverage = yield* readCoverage(
    open.map(({ due }) => due),
    period,
    now,
  )
  const coverageOf = new Map(open.map(({ due }, index) => [due, coverage[index]]))
  return measured.map(({ due, figures, isOpen }) => {
    const shares = coverageOf.get(due)
    return new Map(
      Array.from(figures, ([track, { reliability, target }]): [string, RecentFigure] => {
        const result = resultOf({ reliability, target }, isOpen ? (shares?.get(track) ?? 0) : 1, minCoverage)
        return [track, { days, ...(reliability !== undefined && { reliability }), result }]
      }),
    )
  })
})
