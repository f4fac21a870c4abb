import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, type WindowAt, windowAt } from "../slo/WindowAt.ts"
import type { CountsReading } from "./CountsPlan.ts"
import { tidy } from "../codec/Decimal.ts"
import { budgetShare, type GoodTotal, objectiveStatus } from "./ErrorBudget.ts"
import { SloNotFound, sloKey } from "./FindSlo.ts"
import { readCounts } from "./ReadSlos.ts"
import { SloStore } from "./SloStore.ts"

/**
 * Whether the error budget lasts at the pace of the last hour: `Exhausted` already, `Exhausting` within the time window, or
 * `Sufficient` for it.
 */
export const budgetOutlooks = ["Exhausted", "Exhausting", "Sufficient"] as const

/** When the error budget of an objective is exhausted. Instants are whole minutes, in Unix milliseconds. */
export interface BudgetForecast {
  /** Absent without data in the window, or in the last hour of a budget that is not exhausted. */
  readonly outlook?: (typeof budgetOutlooks)[number]
  /** When the budget is exhausted at the pace of the last hour; present if `outlook` is `Exhausting`. */
  readonly exhaustedAt?: number
  /** The same at the fastest pace of the last day; absent if the budget is sufficient even then. */
  readonly earliestAt?: number
  /** The same at the slowest pace of the last day; absent if the budget is sufficient then. */
  readonly latestAt?: number
}

/** When the error budgets of an SLO are exhausted if they burn at the current pace. */
export interface SloForecast {
  /** The project and name of the SLO. */
  readonly slo: ProjectKey
  /** The end of the current minute, up to which counts are known, in Unix milliseconds. */
  readonly asOf: number
  /** In the order of the definition. */
  readonly objectives: ReadonlyArray<{ readonly name: string } & BudgetForecast>
  /** Of the legacy composite, where the SLO has one. */
  readonly composite?: BudgetForecast
}

/** Forecasts when the error budgets of an SLO are exhausted, from the counts known now (spec/slos §12). */
export const findSloForecast = (
  organization: OrganizationId,
  query: { readonly project?: string | undefined; readonly name: string },
) =>
  Effect.gen(function* () {
    const key = yield* Effect.fromResult(sloKey(query.project, query.name))
    const [forecasts] = yield* findSloForecasts(organization, [key])
    return forecasts ?? (yield* new SloNotFound(key))
  })

/** Like `findSloForecast` for several SLOs; those that do not exist are left out. */
export const findSloForecasts = Effect.fnUntraced(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<ProjectKey>,
) {
  const store = yield* SloStore
  const found = yield* store.findAllForStatus(organization, keys)
  const now = yield* Clock.currentTimeMillis
  const wanted = found.map(({ slo, adjustments, readTo }) => {
    const at = windowAt(slo.definition.spec.timeWindow, now)
    const ranges = [at.range, burnRateRange(at), ...hoursOfLastDay(at)]
    return { organization, slo, adjustments, ranges, readTo, at }
  })
  const read = yield* readCounts(wanted, now)
  return wanted.map(({ slo: { definition: slo }, at }, index): SloForecast => {
    const counts = read[index]
    const forecastOf = (track: string): BudgetForecast =>
      counts === undefined ? {} : forecast(slo, track, at, counts)
    return {
      slo: { project: slo.metadata.project, name: slo.metadata.name },
      asOf: at.range.to,
      objectives: objectivesOf(slo).map(({ name }) => ({ name, ...forecastOf(name) })),
      ...(slo.spec.composite !== undefined && { composite: forecastOf(overallTrack) }),
    }
  })
})

const forecast = (slo: Slo, track: string, at: WindowAt, counts: CountsReading): BudgetForecast => {
  const window = counts.goodTotal(track, at.range, at.lengthMs)
  const target = targetOf(slo, track)
  const remaining = objectiveStatus(target, at.lengthMs, window, undefined).errorBudgetRemainingPercentage
  if (remaining === undefined) return {}
  if (remaining <= 0) return { outlook: "Exhausted" }
  const recent = burnRateRange(at)
  const expected = exhaustionAt(slo, track, at, counts, recent)
  const ofDay = [recent, ...hoursOfLastDay(at)].flatMap((range) =>
    counts.goodTotal(track, range) === undefined ? [] : [exhaustionAt(slo, track, at, counts, range)],
  )
  const exhausting = ofDay.filter((each) => each !== undefined)
  return {
    ...(counts.goodTotal(track, recent) !== undefined && {
      outlook: expected === undefined ? "Sufficient" : "Exhausting",
    }),
    ...(expected !== undefined && { exhaustedAt: expected }),
    ...(exhausting.length > 0 && { earliestAt: Math.min(...exhausting) }),
    ...(exhausting.length > 0 && exhausting.length === ofDay.length && { latestAt: Math.max(...exhausting) }),
  }
}

/**
 * Returns when the error budget of a track is exhausted if good and total go on as in a range, by default the last hour; in
 * Unix milliseconds, rounded up to a whole minute.
 *
 * `undefined` without data, when the budget is exhausted already, and when it lasts to the end of a calendar-aligned window or
 * for the length of a rolling one. The counts must have been read over the window's range and the given one.
 *
 * With `R = (1 - target) × total - bad` of the window, the bad and total of a millisecond of the range `b` and `n`, and the
 * window's length `w`, the budget lasts
 *
 * - in a calendar-aligned window, `R / (b - (1 - target) × n)`; where the total is that of the whole window, `R / b`
 * - in a rolling window, `R / (b - (1 - target) × n + R / w)`: what leaves the window is bad in the proportion of the window
 *
 * Worked values, target 0.99, 28 days of 1,000 events an hour with 0.5% bad, `R` = 3,360 events: with 2% bad in the last hour,
 * the budget of a rolling window lasts `3,360 / (20 - 10 + 5)` = 224 hours; with 1% bad, 672 hours, the whole window.
 *
 * Source: spec/slos §12.
 */
export const exhaustionAt = (
  slo: Slo,
  track: string,
  at: WindowAt,
  counts: CountsReading,
  paceRange: MinuteRange = burnRateRange(at),
): number | undefined => {
  const window = counts.goodTotal(track, at.range, at.lengthMs)
  const pace = paceOf(slo, track, at, counts, paceRange)
  if (window === undefined || pace === undefined) return undefined
  const budget = budgetShare(targetOf(slo, track))
  const remaining = tidy(budget * window.total - badOf(window))
  if (remaining <= 0) return undefined
  const paceMs = paceRange.to - paceRange.from
  const isRolling = at.endsAt === undefined
  const isWholeWindow =
    slo.spec.emptyTimeSlices !== "ignored" &&
    (track === overallTrack || slo.spec.budgetingMethod === "Timeslices")
  const added = isWholeWindow && !isRolling ? 0 : (budget * pace.total) / paceMs
  const lost = badOf(pace) / paceMs - added + (isRolling ? remaining / at.lengthMs : 0)
  if (lost <= 0) return undefined
  // Without the noise of binary fractions, which would round to the next minute.
  const lastsMs = Math.ceil(Number((remaining / lost / minuteMs).toPrecision(10))) * minuteMs
  const exhaustedAt = at.range.to + lastsMs
  return exhaustedAt <= (at.endsAt ?? at.range.to + at.lengthMs) ? exhaustedAt : undefined
}

/** Good and total of a range. Minutes without data (`absent`) in a range without events have those of the window's minutes. */
const paceOf = (
  slo: Slo,
  track: string,
  at: WindowAt,
  counts: CountsReading,
  range: MinuteRange,
): GoodTotal | undefined => {
  const pace = counts.goodTotal(track, range)
  const window = counts.ownSum(track, at.range)
  const isOfEvents = track !== overallTrack && slo.spec.budgetingMethod === "Occurrences"
  if (pace === undefined || !isOfEvents || window === undefined || window.minutes === 0) return pace
  if ((counts.ownSum(track, range)?.minutes ?? 0) > 0) return pace
  const perMinute = window.total / window.minutes
  return { good: pace.good * perMinute, total: pace.total * perMinute }
}

const targetOf = (slo: Slo, track: string): number =>
  (track === overallTrack ? slo.spec.composite : objectivesOf(slo).find(({ name }) => name === track))
    ?.target ?? 1

const badOf = ({ good, total }: GoodTotal): number => total - good

/** The 24 hours before the end of the current minute; they may reach back before the window. */
const hoursOfLastDay = ({ range }: WindowAt): ReadonlyArray<MinuteRange> =>
  Array.from({ length: 24 }, (_, index) => ({
    from: range.to - (index + 1) * hourMs,
    to: range.to - index * hourMs,
  }))
