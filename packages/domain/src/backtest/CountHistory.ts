import { dayMs, dayOf, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { CountSum, TrackHour } from "../counts/CountStore.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { carriedMinutes, isGoodMinute, type MinuteStates, partOfTrack } from "../counts/HourOfCounts.ts"
import { type SlicePart, sliceRulesOf } from "../slo/SliceRules.ts"
import type { Parts } from "../work/Parts.ts"
import type { Slo } from "../slo/Slo.ts"

/** The counts of an SLO by minute, as they were known at an earlier instant. */
export interface CountHistory {
  /** The sums of the minutes from ≤ at < to that are before `knownTo`; a track without counts is left out. */
  readonly sums: (
    range: MinuteRange,
    knownTo: number,
    tracks?: ReadonlySet<string>,
  ) => ReadonlyArray<CountSum>
  /** By track: the start of its latest minute with a count before `knownTo`. */
  readonly latestAt: (knownTo: number) => ReadonlyMap<string, number>
  /** The running sums of a track; `undefined` without counts. */
  readonly running: (track: string) => RunningSums | undefined
}

/**
 * The sums of all minutes of a track before each minute: at n, of the n minutes from `from` on. Any range is the difference of two.
 * Of fractions they are rounded, by at most `error` of their last element.
 */
export interface RunningSums {
  /** In Unix milliseconds, the start of a day. */
  readonly from: number
  /** The minutes that have a count, even one without events. */
  readonly counted: Int32Array
  /** The minutes that have events, and those of them that are bad by the rule of the track. */
  readonly minutes: Int32Array
  readonly badMinutes: Int32Array
  /** All events, and bad ones. */
  readonly total: Float64Array
  readonly bad: Float64Array
  /** 0 if all sums are whole numbers that are exact. */
  readonly error: number
}

/** Hours that are put in order in one part, and days that are added up in one. */
const hoursAtOnce = 500
const daysAtOnce = 40

/** Puts the hours of `CountStore.hours` over a range in order, in parts. */
export function* makeCountHistory(
  slo: Slo,
  hours: ReadonlyArray<TrackHour>,
  { from, to }: MinuteRange,
): Parts<CountHistory> {
  const start = dayOf(from)
  const days = Math.ceil((to - start) / dayMs)
  const rules = sliceRulesOf(slo)
  const tracks = new Map<string, TrackHistory>()
  for (const [track, ofTrack] of groupBy(hours, (hour) => hour.track)) {
    const part = partOfTrack(rules, track)
    const history = emptyTrack(days, part)
    for (const [index, { at, counts }] of ofTrack.entries()) {
      if ((index + 1) % hoursAtOnce === 0) yield
      const first = (at - start) / minuteMs
      for (let minute = Math.max(0, -first); minute < 60 && at + minute * minuteMs < to; minute++) {
        const total = counts.total[minute] ?? Number.NaN
        if (Number.isNaN(total)) continue
        history.minuteGood[first + minute] = counts.good[minute] ?? 0
        history.minuteTotal[first + minute] = total
      }
    }
    for (let day = 0; day < days; day++) {
      if ((day + 1) % daysAtOnce === 0) yield
      accumulateDay(history, day)
    }
    yield
    if (history.events !== undefined) carryStates(history.events)
    tracks.set(track, history)
  }
  return {
    sums: (range, knownTo, wanted) => {
      const first = Math.max(range.from, start) - start
      const end = Math.min(range.to, knownTo, to) - start
      const found: Array<CountSum> = []
      for (const objective of wanted ?? tracks.keys()) {
        const history = tracks.get(objective)
        const sum = history && sumOf(history, objective, first, end, start)
        if (sum !== undefined) found.push(sum)
      }
      return found
    },
    latestAt: (knownTo) => {
      const latest = new Map<string, number>()
      const minutes = (Math.min(knownTo, to) - start) / minuteMs
      for (const [track, history] of tracks) {
        const minute = history.latest[Math.max(Math.ceil(minutes), 0)] ?? 0
        if (minute > 0) latest.set(track, start + (minute - 1) * minuteMs)
      }
      return latest
    },
    running: (track) => {
      const history = tracks.get(track)
      return history && runningSums(history, start)
    },
  }
}

/**
 * A day has 1,441 places: at each place the sums of the minutes of the day before it. Sums of several days are added up day
 * by day, so that rounding errors do not grow with the range.
 */
interface TrackHistory {
  readonly part: SlicePart | undefined
  /** The counts of each minute since the start; `NaN` without one. */
  readonly minuteGood: Float64Array
  readonly minuteTotal: Float64Array
  /** Good and total events, good shares, minutes and good minutes. */
  readonly sums: readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  /** The minutes that have a count, even one without events. */
  readonly counted: Uint16Array
  /** At n, 1 + the latest minute with a count before the minute n since the start; 0 without one. */
  readonly latest: Int32Array
  /** Only of tracks with states. */
  readonly events: EventMinutes | undefined
}

/** The minutes with events, in order. */
interface EventMinutes {
  /** At n, whether the minute n since the start is good (1) or bad (2); 0 without events. */
  readonly isGood: Uint8Array
  /** The minutes since the start. */
  at: Int32Array
  /** At n, the bad minutes without events before the event n that follow a bad one. */
  carried: Int32Array
}

const minutesPerDay = dayMs / minuteMs

const placesPerDay = minutesPerDay + 1

const emptyTrack = (days: number, part: SlicePart | undefined): TrackHistory => {
  const column = () => new Float64Array(days * placesPerDay)
  const minutes = days * minutesPerDay
  return {
    part,
    minuteGood: new Float64Array(minutes).fill(Number.NaN),
    minuteTotal: new Float64Array(minutes).fill(Number.NaN),
    events:
      part?.hasStates === true
        ? { isGood: new Uint8Array(minutes), at: new Int32Array(), carried: new Int32Array() }
        : undefined,
    sums: [column(), column(), column(), column(), column()],
    counted: new Uint16Array(days * placesPerDay),
    latest: new Int32Array(minutes + 1),
  }
}

/** The place of an instant, given in milliseconds since the start. */
const placeOf = (ms: number): number =>
  Math.floor(ms / dayMs) * placesPerDay + Math.floor((ms % dayMs) / minuteMs)

const accumulateDay = (history: TrackHistory, day: number): void => {
  const { part, minuteGood, minuteTotal, counted, latest, events } = history
  const [good, total, goodShares, minutes, goodMinutes] = history.sums
  const sum = { good: 0, total: 0, goodShares: 0, minutes: 0, goodMinutes: 0, counted: 0 }
  let place = day * placesPerDay
  for (let minute = day * minutesPerDay; minute < (day + 1) * minutesPerDay; minute++) {
    const minuteEvents = minuteTotal[minute] ?? Number.NaN
    latest[minute + 1] = Number.isNaN(minuteEvents) ? (latest[minute] ?? 0) : minute + 1
    if (!Number.isNaN(minuteEvents)) sum.counted++
    if (minuteEvents > 0) {
      const goodEvents = minuteGood[minute] ?? 0
      const isGood = part === undefined || isGoodMinute(part, goodEvents, minuteEvents)
      sum.good += goodEvents
      sum.total += minuteEvents
      sum.goodShares += goodEvents / minuteEvents
      sum.minutes++
      if (isGood) sum.goodMinutes++
      if (events !== undefined) events.isGood[minute] = isGood ? 1 : 2
    }
    place++
    good[place] = sum.good
    total[place] = sum.total
    goodShares[place] = sum.goodShares
    minutes[place] = sum.minutes
    goodMinutes[place] = sum.goodMinutes
    counted[place] = sum.counted
  }
}

const carryStates = (events: EventMinutes): void => {
  const { isGood } = events
  events.at = Int32Array.from(isGood.keys()).filter((minute) => (isGood[minute] ?? 0) > 0)
  events.carried = new Int32Array(events.at.length)
  for (let index = 1; index < events.at.length; index++) {
    const [before = 0, at = 0] = [events.at[index - 1], events.at[index]]
    const between = isGood[before] === 2 ? carriedMinutes(before * minuteMs, at * minuteMs) : 0
    events.carried[index] = (events.carried[index - 1] ?? 0) + between
  }
}

const runningSums = ({ part, minuteGood, minuteTotal }: TrackHistory, from: number): RunningSums => {
  const { length } = minuteTotal
  const counted = new Int32Array(length + 1)
  const minutes = new Int32Array(length + 1)
  const badMinutes = new Int32Array(length + 1)
  const total = new Float64Array(length + 1)
  const bad = new Float64Array(length + 1)
  let isWhole = true
  const sum = { counted: 0, minutes: 0, badMinutes: 0, total: 0, bad: 0 }
  for (let minute = 0; minute < length; minute++) {
    const events = minuteTotal[minute] ?? Number.NaN
    if (!Number.isNaN(events)) sum.counted++
    if (events > 0) {
      const good = minuteGood[minute] ?? 0
      sum.minutes++
      if (part !== undefined && !isGoodMinute(part, good, events)) sum.badMinutes++
      sum.total += events
      sum.bad += events - good
      isWhole &&= Number.isInteger(events) && Number.isInteger(good)
    }
    counted[minute + 1] = sum.counted
    minutes[minute + 1] = sum.minutes
    badMinutes[minute + 1] = sum.badMinutes
    total[minute + 1] = sum.total
    bad[minute + 1] = sum.bad
  }
  const isExact = isWhole && sum.total <= Number.MAX_SAFE_INTEGER
  return { from, counted, minutes, badMinutes, total, bad, error: isExact ? 0 : length * Number.EPSILON }
}

/** The place of the first event at or after a minute. */
const placeOfEvent = (events: Int32Array, minute: number): number => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] ?? 0) < minute) low = middle + 1
    else high = middle
  }
  return low
}

const statesOf = (
  { isGood, at, carried }: EventMinutes,
  from: number,
  to: number,
  start: number,
): Omit<MinuteStates, "counted"> => {
  const [first, last] = [placeOfEvent(at, from / minuteMs), placeOfEvent(at, to / minuteMs) - 1]
  const [firstAt, lastAt] = [at[first], at[last]]
  if (firstAt === undefined || lastAt === undefined || first > last) return { carriedBad: 0 }
  return {
    carriedBad: (carried[last] ?? 0) - (carried[first] ?? 0),
    events: {
      firstAt: start + firstAt * minuteMs,
      lastAt: start + lastAt * minuteMs,
      isLastGood: isGood[lastAt] === 1,
    },
  }
}

/** Times are since the start, which is in Unix milliseconds. */
const sumOf = (
  { sums: [good, total, goodShares, minutes, goodMinutes], counted, events }: TrackHistory,
  objective: string,
  from: number,
  to: number,
  start: number,
): CountSum | undefined => {
  const sum = { objective, good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  let isEmpty = true
  let countedMinutes = 0
  for (let at = from; at < to;) {
    const dayEnd = (Math.floor(at / dayMs) + 1) * dayMs
    const first = placeOf(at)
    const end = first + (Math.min(to, dayEnd) - at) / minuteMs
    at = dayEnd
    if (counted[end] === counted[first]) continue
    isEmpty = false
    countedMinutes += (counted[end] ?? 0) - (counted[first] ?? 0)
    sum.good += (good[end] ?? 0) - (good[first] ?? 0)
    sum.total += (total[end] ?? 0) - (total[first] ?? 0)
    sum.goodShares += (goodShares[end] ?? 0) - (goodShares[first] ?? 0)
    sum.minutes += (minutes[end] ?? 0) - (minutes[first] ?? 0)
    sum.goodMinutes += (goodMinutes[end] ?? 0) - (goodMinutes[first] ?? 0)
  }
  if (isEmpty) return undefined
  if (events === undefined) return sum
  return { ...sum, states: { ...statesOf(events, from, to, start), counted: countedMinutes } }
}
