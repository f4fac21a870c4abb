import { dayMs, dayOf, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { CountSum, TrackHour } from "../counts/CountStore.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { carriedMinutes, type MinuteStates, partOfTrack, sumHour } from "../counts/HourOfCounts.ts"
import { sliceRulesOf } from "../slo/SliceRules.ts"
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
}

/** Hours that are put in order in one part. */
const hoursAtOnce = 20

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
    const history = emptyTrack(days, part?.hasStates === true)
    for (const [index, { at, counts }] of ofTrack.entries()) {
      if ((index + 1) % hoursAtOnce === 0) yield
      for (let minute = 0; minute < 60; minute++) {
        const minuteAt = at + minute * minuteMs
        if (minuteAt < start || minuteAt >= to || Number.isNaN(counts.total[minute] ?? Number.NaN)) continue
        const sums = sumHour(counts, part, { from: minuteAt, to: minuteAt + minuteMs })
        const place = placeOf(minuteAt - start) + 1
        for (const [column, name] of columns.entries()) history.sums[column]?.set([sums?.[name] ?? 0], place)
        history.counted[place] = 1
        if (sums !== undefined && sums.minutes > 0) {
          history.events?.isGood.set([sums.goodMinutes > 0 ? 1 : 2], (minuteAt - start) / minuteMs)
        }
        history.latest[(minuteAt - start) / minuteMs + 1] = (minuteAt - start) / minuteMs + 1
      }
    }
    yield
    accumulate(history, days)
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
  }
}

const columns = ["good", "total", "goodShares", "minutes", "goodMinutes"] as const

/**
 * A day has 1,441 places: at each place the sums of the minutes of the day before it. Sums of several days are added up day
 * by day, so that rounding errors do not grow with the range.
 */
interface TrackHistory {
  /** In the order of `columns`. */
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

const emptyTrack = (days: number, hasStates: boolean): TrackHistory => {
  const column = () => new Float64Array(days * placesPerDay)
  return {
    events: hasStates
      ? { isGood: new Uint8Array(days * minutesPerDay), at: new Int32Array(), carried: new Int32Array() }
      : undefined,
    sums: [column(), column(), column(), column(), column()],
    counted: new Uint16Array(days * placesPerDay),
    latest: new Int32Array(days * minutesPerDay + 1),
  }
}

/** The place of an instant, given in milliseconds since the start. */
const placeOf = (ms: number): number =>
  Math.floor(ms / dayMs) * placesPerDay + Math.floor((ms % dayMs) / minuteMs)

const accumulate = ({ sums, counted, latest, events }: TrackHistory, days: number): void => {
  if (events !== undefined) {
    const { isGood } = events
    events.at = Int32Array.from(isGood.keys()).filter((minute) => (isGood[minute] ?? 0) > 0)
    events.carried = new Int32Array(events.at.length)
    for (let index = 1; index < events.at.length; index++) {
      const [before = 0, at = 0] = [events.at[index - 1], events.at[index]]
      const between = isGood[before] === 2 ? carriedMinutes(before * minuteMs, at * minuteMs) : 0
      events.carried[index] = (events.carried[index - 1] ?? 0) + between
    }
  }
  for (const column of [...sums, counted]) {
    for (let day = 0; day < days; day++) {
      const first = day * placesPerDay
      for (let place = first + 1; place < first + placesPerDay; place++) {
        column[place] = (column[place] ?? 0) + (column[place - 1] ?? 0)
      }
    }
  }
  for (let minute = 1; minute < latest.length; minute++) latest[minute] ||= latest[minute - 1] ?? 0
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
