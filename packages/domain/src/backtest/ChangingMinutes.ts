import type { AlertPolicy, Condition } from "../alert-policy/AlertPolicy.ts"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { carriesState, countsAbsent, isCompositeObjective, treatsZeroAsNoData } from "../slo/Objectives.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateLookbackMs, makeCalendarRanges, windowAt } from "../slo/WindowAt.ts"
import { budgetShare } from "../status/ErrorBudget.ts"
import type { Parts } from "../work/Parts.ts"
import type { CountHistory, RunningSums } from "./CountHistory.ts"

/**
 * Finds the minutes of a range in which an evaluation may find another condition met than a minute before. In the others, all
 * objectives have counts and each condition is as it was, so that nothing but `nextCheckAt` changes an alert: they need no evaluation.
 *
 * Conditions are measured from running sums, by subtraction. Where a measurement is so close to its limit that rounding could
 * decide, the minute is among those found, and the evaluation decides.
 *
 * Returns a function that gives the first such minute at or after an instant, in Unix milliseconds, `Infinity` after the last;
 * `undefined` where every minute has to be evaluated: with adjustments, composite objectives, minutes without data that count, or
 * conditions on fewer events than usual.
 */
export function* changingMinutes(
  slo: Slo,
  policy: AlertPolicy,
  adjustments: ReadonlyArray<BudgetAdjustment>,
  history: CountHistory,
  range: MinuteRange,
): Parts<((from: number) => number) | undefined> {
  if (!isSummable(slo) || adjustments.some((each) => adjustsSlo(each, slo.metadata))) return undefined
  const tracks: Array<SummedTrack> = []
  for (const [name, target] of targetsOf(slo)) {
    yield
    const sums = history.running(name)
    if (sums === undefined) return undefined
    const isOverall = name === overallTrack
    const countsEvents = !isOverall && slo.spec.budgetingMethod === "Occurrences"
    const isWholeLength = !countsEvents && slo.spec.emptyTimeSlices !== "ignored"
    tracks.push({ name, sums, budget: budgetShare(target), countsEvents, isWholeLength })
  }
  const ofObjectives = tracks.filter(({ name }) => name !== overallTrack).map(({ sums }) => sums)
  const [first] = ofObjectives
  if (first === undefined) return undefined
  const origin = first.from
  const minutes = (range.to - range.from) / minuteMs + 1
  const offset = (range.from - origin) / minuteMs
  const isChanging = new Uint8Array(minutes)
  isChanging[0] = 1
  for (const { counted } of ofObjectives) {
    for (let minute = 0; minute < minutes; minute++) {
      // The latest minute that is known has no count.
      if (counted[offset + minute] === counted[offset + minute - 1]) {
        isChanging[minute] = 1
        if (minute + 1 < minutes) isChanging[minute + 1] = 1
      }
    }
  }
  for (const stretch of stretchesOf(slo, policy, range)) {
    isChanging[stretch.from] = 1
    if (stretch.conditions.some(({ measurement }) => measurement === "fewerThan")) return undefined
    for (const track of tracks) {
      const events = track.name === overallTrack ? ofObjectives : [track.sums]
      for (const condition of stretch.conditions) {
        yield
        markChanges(isChanging, stretch, conditionStates(condition, track, events, stretch, offset))
      }
    }
  }
  return (from) => {
    const index = isChanging.indexOf(1, Math.max(0, Math.ceil((from - range.from) / minuteMs)))
    return index === -1 ? Infinity : range.from + index * minuteMs
  }
}

/** Whether what is good of how much follows from sums of minutes alone. */
const isSummable = (slo: Slo): boolean =>
  !slo.spec.objectives.some(isCompositeObjective) &&
  !plainObjectivesOf(slo).some(countsAbsent) &&
  !carriesState(slo) &&
  !treatsZeroAsNoData(slo)

interface SummedTrack {
  readonly name: string
  readonly sums: RunningSums
  readonly budget: number
  /** Events, or minutes. */
  readonly countsEvents: boolean
  /** Whether bad minutes are a share of all minutes, not only of those with events. */
  readonly isWholeLength: boolean
}

/** Some minutes of the range, by their places, in which the time window begins or moves alike. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly conditions: ReadonlyArray<Condition>
  /** Of the whole time window, in minutes. */
  readonly length: number
  /** The place of the start of a calendar window; `undefined` for a rolling one. */
  readonly windowFrom: number | undefined
}

const stretchesOf = (slo: Slo, policy: AlertPolicy, range: MinuteRange): ReadonlyArray<Stretch> => {
  const calendarRanges = makeCalendarRanges()
  const placeOf = (at: number): number => (at - range.from) / minuteMs
  const stretches: Array<Stretch> = []
  for (let from = range.from; from <= range.to;) {
    const { range: window, lengthMs, endsAt } = windowAt(slo.spec.timeWindow, from, calendarRanges)
    const to = Math.min(range.to + minuteMs, endsAt ?? Infinity)
    stretches.push({
      from: placeOf(from),
      to: placeOf(minuteOf(to)),
      conditions: groupsOf(policy.spec, lengthMs).flat(),
      length: lengthMs / minuteMs,
      windowFrom: endsAt === undefined ? undefined : placeOf(window.from),
    })
    from = to
  }
  return stretches
}

const unmet = 0
const met = 1
/** Rounding could decide. */
const uncertain = 2

const markChanges = (isChanging: Uint8Array, { from }: Stretch, states: Uint8Array): void => {
  for (let index = 0; index < states.length; index++) {
    if (states[index] === uncertain || (index > 0 && states[index] !== states[index - 1])) {
      isChanging[from + index] = 1
    }
  }
}

/** More than the evaluation rounds measurements by, which have 12 significant digits. */
const roundingShare = 1e-9

/** Whether a condition is met in each minute of a stretch. */
const conditionStates = (
  condition: Condition,
  track: SummedTrack,
  events: ReadonlyArray<RunningSums>,
  stretch: Stretch,
  offset: number,
): Uint8Array => {
  const { measurement, op, value, alertingWindow, minEvents, minBadEvents } = condition
  const limit = typeof value === "number" ? value : value.ms / minuteMs
  const { length, windowFrom = -Infinity } = stretch
  const back = windowFrom === -Infinity ? length : Infinity
  const window: Measured = { notBefore: windowFrom, back, ago: 0, whole: length }
  const rate: Measured =
    alertingWindow === undefined
      ? { ...window, back: Math.min(back, burnRateLookbackMs / minuteMs), whole: undefined }
      : { notBefore: -Infinity, back: alertingWindow.ms / minuteMs, ago: 0, whole: undefined }
  const states = new Uint8Array(stretch.to - stretch.from)
  const isAbove = op === "gt" || op === "gte"
  const stateOf = (difference: number, error: number): number =>
    Math.abs(difference) <= error ? uncertain : difference > 0 === isAbove ? met : unmet
  const measure = (measured: Measured): Burned => burnedBudget(track, stretch, offset, measured)
  if (measurement === "averageBurnRate" || measurement === "burnedBudget") {
    const { rates, errors } = measure(measurement === "burnedBudget" ? window : rate)
    const least = limit * roundingShare + (measurement === "burnedBudget" ? roundingShare : 0)
    for (let index = 0; index < states.length; index++) {
      const burned = rates[index] ?? Number.NaN
      if (!Number.isNaN(burned)) {
        states[index] = stateOf(burned - limit, burned * roundingShare + least + (errors[index] ?? 0))
      }
    }
  } else if (measurement === "budgetDrop") {
    const now = measure(window)
    const before = measure({ ...window, ago: (alertingWindow?.ms ?? 0) / minuteMs })
    for (let index = 0; index < states.length; index++) {
      const [burned = Number.NaN, ofBefore = Number.NaN] = [now.rates[index], before.rates[index]]
      if (Number.isNaN(burned)) continue
      const earlier = Number.isNaN(ofBefore) ? 0 : ofBefore
      const error = (now.errors[index] ?? 0) + (before.errors[index] ?? 0)
      states[index] = stateOf(
        burned - earlier - limit,
        roundingShare * (1 + burned + earlier + limit) + error,
      )
    }
  } else {
    // The time is what remains × length / rate: without end where nothing burns, and 0 once nothing remains.
    const isRemaining = measurement === "timeToBurnBudget"
    const ofWindow = isRemaining ? measure(window) : undefined
    const ofRate = measure(rate)
    for (let index = 0; index < states.length; index++) {
      const remaining = 1 - (ofWindow?.rates[index] ?? 0)
      const error = (ofWindow?.errors[index] ?? 0) + (isRemaining ? roundingShare : 0)
      const burned = ofRate.rates[index] ?? Number.NaN
      if (Number.isNaN(remaining)) continue
      if (isRemaining && Math.abs(remaining) <= error) states[index] = uncertain
      else if (remaining <= 0) states[index] = stateOf(-limit, 0)
      else if (!Number.isNaN(burned)) {
        const [ofLength, ofLimit] = [remaining * length, limit * burned]
        const rounding = roundingShare * (1 + ofLength + ofLimit)
        states[index] = stateOf(
          ofLength - ofLimit,
          rounding + error * length + (ofRate.errors[index] ?? 0) * limit,
        )
      }
    }
  }
  if (minEvents === undefined && minBadEvents === undefined) return states
  const measured = measurement === "burnedBudget" ? window : rate
  for (let index = 0; index < states.length; index++) {
    if (states[index] === unmet) continue
    const to = stretch.from + index
    const from = offset + Math.max(measured.notBefore, to + 1 - measured.back)
    let [total, bad, error] = [0, 0, 0]
    for (const sums of events) {
      total += difference(sums.total, from, offset + to)
      bad += difference(sums.bad, from, offset + to)
      error += sums.error * (sums.total.at(-1) ?? 0)
    }
    const least = error + roundingShare * total
    const [above, badAbove] = [total - (minEvents ?? -1), bad - (minBadEvents ?? -1)]
    if (Math.abs(above) <= least || Math.abs(badAbove) <= least) states[index] = uncertain
    else if (above < 0 || badAbove < 0) states[index] = unmet
  }
  return states
}

/** The minutes that are measured for each minute: those back from its end less `ago`, and not before a place. */
interface Measured {
  readonly notBefore: number
  readonly back: number
  readonly ago: number
  /** The number of minutes that bad ones are a share of, where all count; absent: those that are measured. */
  readonly whole: number | undefined
}

/** How often the budget is burned, `NaN` without data, and by how much that may be off. */
interface Burned {
  readonly rates: Float64Array
  readonly errors: Float64Array
}

const burnedBudget = (
  { sums, budget, countsEvents, isWholeLength }: SummedTrack,
  stretch: Stretch,
  offset: number,
  { notBefore, back, ago, whole }: Measured,
): Burned => {
  const { minutes, badMinutes, total, bad, error } = sums
  const count = stretch.to - stretch.from
  const rates = new Float64Array(count).fill(Number.NaN)
  const errors = new Float64Array(count)
  const [ofTotal, ofBad] = [error * (total.at(-1) ?? 0), error * (bad.at(-1) ?? 0)]
  for (let index = 0; index < count; index++) {
    const end = stretch.from + index + 1 - ago
    const start = Math.max(notBefore, end - back)
    if (start >= end) continue
    const from = Math.max(0, offset + start)
    // The counts of the minute itself are not known yet.
    const to = Math.min(offset + end, offset + stretch.from + index)
    const measured = (minutes[to] ?? 0) - (minutes[from] ?? 0)
    if (measured <= 0) continue
    if (countsEvents) {
      const events = (total[to] ?? 0) - (total[from] ?? 0)
      const share = ((bad[to] ?? 0) - (bad[from] ?? 0)) / events
      rates[index] = share / budget
      errors[index] = (1e-13 + (share * ofTotal + ofBad) / events) / budget
    } else {
      const all = isWholeLength ? (whole ?? end - start) : measured
      rates[index] = ((badMinutes[to] ?? 0) - (badMinutes[from] ?? 0)) / all / budget
      errors[index] = 1e-13 / budget
    }
  }
  return { rates, errors }
}

const difference = (sums: Float64Array, from: number, to: number): number =>
  (sums[to] ?? 0) - (sums[Math.max(0, from)] ?? 0)
