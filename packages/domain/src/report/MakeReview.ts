import * as Effect from "effect/Effect"
import type { Alert } from "../alerting/Alert.ts"
import { type AlertPlace, AlertStore } from "../alerting/AlertStore.ts"
import { encode } from "../codec/Codec.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { NamedTimeZone } from "../codec/WallClock.ts"
import { groupBy } from "../collections/GroupBy.ts"
import type { CountSum } from "../counts/CountStore.ts"
import { MinCoverage } from "../counts/MinCoverage.ts"
import {
  compareProjectKeys,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { adjustmentRanges, mergeRanges, minutesOf } from "../status/AdjustedMinutes.ts"
import type { CountsReading } from "../status/CountsPlan.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { type DueSlo, SloStore } from "../status/SloStore.ts"
import { type ChangedMinutes, listAdjustments } from "./ListAdjustments.ts"
import { measurePeriod, type PeriodFigures, periodRanges, withResult } from "./MeasurePeriod.ts"
import { readCoverage } from "./ReadCoverage.ts"
import { reportAdjustmentsMax } from "./Report.ts"
import type { ReportResult } from "./ReportResult.ts"
import {
  type measuredHead,
  type Review,
  type ReviewedSlo,
  type ReviewedTrack,
  type ReviewHead,
  reviewHead,
  type ReviewScope,
  reviewSlo,
  reviewText,
} from "./Review.ts"
import { previousPeriod, weeksOf } from "./ReviewPeriod.ts"
import { signDocument } from "./SignDocument.ts"

/** SLOs whose counts are read together. */
const slosAtOnce = 20

/** Maximum number of alerts that are counted for as many SLOs. */
const countedAlertsMax = 20 * pageSizeMax

/** What a review is made of. */
export interface ReviewPlan {
  readonly title: string
  readonly scope: ReviewScope
  /** Of the saved view that the scope names. */
  readonly filters?: ReviewHead["filters"]
  readonly period: MinuteRange
  readonly timeZone: NamedTimeZone
  /** When the next review is due, in Unix milliseconds. */
  readonly nextReviewAt?: number
}

/** SLOs as they are measured over a period: those of a review, in its order. */
interface MeasuredSlos {
  readonly head: Pick<ReviewHead, keyof typeof measuredHead>
  /** The JSON of each SLO. */
  readonly slos: ReadonlyArray<string>
}

/**
 * Makes the review of SLOs over a period, with the definitions, the counts and the alerts that are stored at `now` (Unix
 * milliseconds), and signs it. Counts before `countsFrom` (Unix milliseconds) may have been deleted. SLOs that do not exist are left out.
 */
export const makeReview = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { title, scope, filters, period, timeZone, nextReviewAt }: ReviewPlan,
  slos: ReadonlyArray<ProjectKey>,
  now: number,
  countsFrom: number,
) {
  const measured = yield* measureSlos(organization, period, timeZone, slos, now, countsFrom)
  const { results } = measured.head
  const id = yield* uuidV7
  const head: ReviewHead = {
    id,
    organization,
    title,
    scope,
    ...(filters !== undefined && { filters }),
    createdAt: now,
    ...measured.head,
  }
  const review: Review = {
    id,
    title,
    scope,
    period,
    createdAt: now,
    results,
    ...(nextReviewAt !== undefined && { nextReviewAt }),
    ...(yield* signDocument(organization, reviewText(encode(reviewHead, head), measured.slos))),
  }
  return review
})

/** Measures SLOs over a period as `makeReview` does. */
export const measureSlos = Effect.fnUntraced(function* (
  organization: OrganizationId,
  period: MinuteRange,
  timeZone: NamedTimeZone,
  slos: ReadonlyArray<ProjectKey>,
  now: number,
  countsFrom: number,
) {
  const minCoverage = yield* MinCoverage
  const weeks = weeksOf(period, timeZone)
  const before = previousPeriod(period, timeZone)
  const previous = before.from < countsFrom ? undefined : before
  const ranges = [
    ...periodRanges(period),
    ...(previous === undefined ? [] : periodRanges(previous)),
    ...weeks,
  ]
  const reviewed: Array<RankedSlo> = []
  const results = { met: 0, missed: 0, insufficient_data: 0 }
  const adjustments = new Map<string, AdjustedSlos>()
  let hasMoreAlerts = false
  for (let next = 0; next < slos.length; next += slosAtOnce) {
    const found = yield* (yield* SloStore).findAllForStatus(organization, slos.slice(next, next + slosAtOnce))
    const wanted = found.map(({ slo, adjustments, readTo }) => ({
      organization,
      slo,
      adjustments,
      ranges,
      readTo,
    }))
    const counts = yield* readCounts(wanted, now)
    const coverage = yield* readCoverage(found, period, now)
    const alerts = yield* countAlerts(organization, found, period)
    hasMoreAlerts ||= alerts.hasMore
    for (const [index, due] of found.entries()) {
      const ofSlo = counts[index]
      const covered = coverage[index]
      if (ofSlo === undefined || covered === undefined) continue
      const measured = measuredSlo(due, { period, previous, weeks }, ofSlo, covered, minCoverage)
      const slo: ReviewedSlo = {
        ...measured,
        alerts: alerts.bySlo.get(projectKeyText(due.slo.definition.metadata)) ?? 0,
        adjustedMinutes: addAdjustments(adjustments, due, period),
      }
      results[slo.result]++
      reviewed.push({
        result: slo.result,
        budget: lowestBudget(slo),
        key: { project: slo.project, name: slo.slo },
        json: JSON.stringify(encode(reviewSlo, slo)),
      })
      yield* Effect.yieldNow
    }
  }
  const measured: MeasuredSlos = {
    head: {
      timeZone: timeZone.name,
      period,
      ...(previous !== undefined && { previous }),
      weeks,
      minCoverage,
      results,
      hasMoreAlerts,
      ...(yield* listAdjustments(organization, adjustments.values(), period, ({ slos }) => ({ slos }))),
    },
    slos: reviewed.toSorted(compareRanks).map(({ json }) => json),
  }
  return measured
})

/** An SLO of a review, as it is ordered and written. */
interface RankedSlo {
  readonly result: ReportResult
  readonly budget: number
  readonly key: ProjectKey
  readonly json: string
}

/** From the worst to the best. */
const resultOrder: ReadonlyArray<ReportResult> = ["missed", "insufficient_data", "met"]

const compareRanks = (a: RankedSlo, b: RankedSlo): number =>
  resultOrder.indexOf(a.result) - resultOrder.indexOf(b.result) ||
  compareNumbers(a.budget, b.budget) ||
  compareProjectKeys(a.key, b.key)

const compareNumbers = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

const worstResult = (results: ReadonlyArray<ReportResult | undefined>): ReportResult =>
  resultOrder.find((result) => results.includes(result)) ?? "insufficient_data"

const tracksOf = ({ objectives, composite }: Pick<ReviewedSlo, "objectives" | "composite">) => [
  ...objectives,
  ...(composite === undefined ? [] : [composite]),
]

const lowestBudget = (slo: ReviewedSlo): number =>
  Math.min(
    ...tracksOf(slo).map(({ errorBudgetRemainingPercentage = Infinity }) => errorBudgetRemainingPercentage),
  )

interface ReviewRanges {
  readonly period: MinuteRange
  readonly previous: MinuteRange | undefined
  readonly weeks: ReadonlyArray<MinuteRange>
}

/** The figures of an SLO over the ranges of a review. */
const measuredSlo = (
  { slo: { definition }, componentsUnread: unread }: DueSlo,
  { period, previous, weeks }: ReviewRanges,
  counts: CountsReading,
  coverage: ReadonlyMap<string, number>,
  minCoverage: number,
): Omit<ReviewedSlo, "alerts" | "adjustedMinutes"> => {
  const { metadata, spec } = definition
  const figuresOf = measurePeriod(definition, period, counts)
  const previousOf = previous && measurePeriod(definition, previous, counts)
  const unreadMs =
    unread === undefined ? 0 : Math.min(unread.to, period.to) - Math.max(unread.from, period.from)
  const areUnread = unreadMs > (1 - minCoverage) * (period.to - period.from)
  const trackOf = (track: string) => {
    const figures = figuresOf(track)
    const ofPrevious = previousOf?.(track)
    return {
      ...withResult(figures, coverage.get(track) ?? 0, minCoverage),
      weeks: weeklySpending(figures, weeks, (week) =>
        spec.budgetingMethod === "Occurrences" && track !== overallTrack
          ? weighedAsIn(period, week, track, counts)
          : counts.goodTotal(track, week),
      ),
      ...(ofPrevious !== undefined && {
        previous: {
          ...(ofPrevious.reliability !== undefined && { reliability: ofPrevious.reliability }),
          ...(ofPrevious.errorBudgetRemainingPercentage !== undefined && {
            errorBudgetRemainingPercentage: ofPrevious.errorBudgetRemainingPercentage,
          }),
        },
      }),
    }
  }
  const objectives = objectivesOf(definition).map((objective) => ({
    name: objective.name,
    displayName: objective.displayName ?? objective.name,
    ...trackOf(objective.name),
    // What its components read later can still make it any other.
    ...(areUnread && isCompositeObjective(objective) && { result: "insufficient_data" as const }),
  }))
  const composite = spec.composite === undefined ? undefined : trackOf(overallTrack)
  return {
    project: metadata.project,
    service: spec.service,
    slo: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    budgetingMethod: spec.budgetingMethod,
    result: worstResult(
      tracksOf({ objectives, ...(composite !== undefined && { composite }) }).map(({ result }) => result),
    ),
    objectives,
    ...(composite !== undefined && { composite }),
  }
}

/**
 * Good and total of events of a week, in which minutes without data weigh as much as in the period. Only the difference of both is
 * so: what was bad in the weeks adds up to what was bad in the period.
 */
const weighedAsIn = (period: MinuteRange, week: MinuteRange, track: string, counts: CountsReading) => {
  const found = counts.goodTotal(track, week)
  const sum = counts.ownSum(track, week)
  if (found === undefined) return undefined
  const own = (sum?.total ?? 0) - (sum?.good ?? 0)
  const absent = found.total - found.good - own
  const bad = own + (absent * meanEvents(counts.ownSum(track, period))) / meanEvents(sum)
  return { good: found.total - bad, total: found.total }
}

/** How many events a minute has, as minutes without data are weighed. */
const meanEvents = (sum: CountSum | undefined): number =>
  sum === undefined || sum.minutes === 0 ? 1 : sum.total / sum.minutes

/** Significant digits of the parts of weeks: a review has up to 58 of each objective. */
const spentDigits = 6

/**
 * What part of the error budget of a period was spent in each of its weeks: the share of what was bad in the period, of what the
 * period spent. The parts add up to `1 - errorBudgetRemainingPercentage`, but for their rounding.
 */
export const weeklySpending = (
  { good, total, errorBudgetRemainingPercentage: remaining }: PeriodFigures,
  weeks: ReadonlyArray<MinuteRange>,
  goodTotal: (week: MinuteRange) => { readonly good: number; readonly total: number } | undefined,
): ReviewedTrack["weeks"] =>
  weeks.map((week) => {
    const ofWeek = goodTotal(week)
    if (remaining === undefined || good === undefined || total === undefined || ofWeek === undefined)
      return {}
    const bad = total - good
    const spent = bad > 0 ? ((ofWeek.total - ofWeek.good) / bad) * (1 - remaining) : 0
    return { budgetSpent: Math.abs(spent) < 1e-12 ? 0 : Number(spent.toPrecision(spentDigits)) }
  })

/** How many alerts of each SLO triggered in a period. */
const countAlerts = Effect.fnUntraced(function* (
  organization: OrganizationId,
  found: ReadonlyArray<DueSlo>,
  { from, to }: MinuteRange,
) {
  const store = yield* AlertStore
  const bySlo = new Map<string, number>()
  let counted = 0
  let hasMore = false
  for (const [project, slos] of groupBy(
    found.map(({ slo }) => slo.definition.metadata),
    (metadata) => metadata.project,
  )) {
    let after: AlertPlace | undefined
    for (;;) {
      const page = yield* store.list(
        organization,
        { project, slos: slos.map(({ name }) => name), from, to },
        { limit: pageSizeMax, ...(after !== undefined && { after }) },
      )
      for (const { subject } of page.items) {
        const key = projectKeyText(subject.slo)
        bySlo.set(key, (bySlo.get(key) ?? 0) + 1)
      }
      counted += page.items.length
      const last: Alert | undefined = page.items.at(-1)
      if (!page.hasMore || last === undefined) break
      if (counted >= countedAlertsMax) {
        hasMore = true
        break
      }
      after = { triggeredAt: last.triggeredAt, id: last.id }
    }
  }
  return { bySlo, hasMore }
})

/** An adjustment with the minutes and the number of the SLOs that it adjusts. */
interface AdjustedSlos extends ChangedMinutes {
  readonly slos: number
}

/** Adds the adjustments of an SLO that change minutes of a period, and returns how many minutes they change. */
const addAdjustments = (
  adjusted: Map<string, AdjustedSlos>,
  { slo, adjustments }: DueSlo,
  period: MinuteRange,
): number => {
  const { metadata } = slo.definition
  const all = adjustments.flatMap((adjustment) => {
    if (!adjustsSlo(adjustment, metadata)) return []
    const ranges = mergeRanges(adjustmentRanges(adjustment, period, metadata))
    if (ranges.length === 0) return []
    const key = projectKeyText(adjustment.metadata)
    const known = adjusted.get(key)
    // One more than are listed, so that it is known that there are more.
    if (known !== undefined || adjusted.size <= reportAdjustmentsMax)
      adjusted.set(key, {
        adjustment,
        ranges: known === undefined ? ranges : mergeRanges([...known.ranges, ...ranges]),
        slos: (known?.slos ?? 0) + 1,
      })
    return ranges
  })
  return minutesOf(mergeRanges(all))
}
