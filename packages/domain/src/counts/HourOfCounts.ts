import { dayMs, hourMs, hourOf, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { overallTrack, type SlicePart, type SliceRule } from "../slo/SliceRules.ts"

/** The good and total events of one minute, which is given by its start in Unix milliseconds. */
export interface MinuteCount {
  readonly at: number
  readonly good: number
  readonly total: number
}

/** The counts of one track in one hour of UTC: 60 of each, by minute, not a number where there is no count. */
export interface HourOfCounts {
  /** Good events of each minute, `NaN` without a count. */
  readonly good: ReadonlyArray<number>
  /** All events of each minute; `NaN` in the same minutes as `good`. */
  readonly total: ReadonlyArray<number>
}

/** The sums of minutes of one track that have counts. Minutes without events count in `states` only. */
export interface MinuteSums {
  /** Good events; counts need not be whole numbers. */
  readonly good: number
  /** All events. */
  readonly total: number
  /** The minutes that have events. */
  readonly minutes: number
  /** The shares of good events, `good / total`, of those minutes. */
  readonly goodShares: number
  /** How many of those minutes are good by the rule of the track: all when it has none. */
  readonly goodMinutes: number
  /** Only of tracks whose rule asks for it (`SlicePart.hasStates`). */
  readonly states?: MinuteStates
}

/** The states of minutes one after the other, from which the state of each minute without events follows. */
export interface MinuteStates {
  /** The minutes that have a count, even one without events. */
  readonly counted: number
  /** The minutes between the first and the last with events that have none and follow a bad one (`carriedMinutes`). */
  readonly carriedBad: number
  /** The first and the last minute with events; absent if no minute has. */
  readonly events?: { readonly firstAt: number; readonly lastAt: number; readonly isLastGood: boolean }
}

/** Longest time for which the state of a minute with events is carried to the minutes after it, in milliseconds. */
export const carriedStateMaxMs = dayMs

/** How many of the minutes between two instants, the second of which is exclusive, have the state of the minute at the first. */
export const carriedMinutes = (lastAt: number, to: number): number =>
  Math.max(0, Math.min(to - lastAt - minuteMs, carriedStateMaxMs)) / minuteMs

/** An hour without counts: 60 times `NaN` for good and total. */
export const emptyHour: HourOfCounts = {
  good: Array.from({ length: 60 }, () => Number.NaN),
  total: Array.from({ length: 60 }, () => Number.NaN),
}

/** The hour with these counts of its minutes; the last count of a minute wins. */
export const withCounts = (hour: HourOfCounts, counts: ReadonlyArray<MinuteCount>): HourOfCounts => {
  const good = [...hour.good]
  const total = [...hour.total]
  for (const count of counts) {
    const minute = minuteInHour(count.at)
    good[minute] = count.good
    total[minute] = count.total
  }
  return { good, total }
}

/** Whether any of these counts differs from the one of the hour. */
export const changesHour = (hour: HourOfCounts, counts: ReadonlyArray<MinuteCount>): boolean =>
  counts.some(({ at, good, total }) => {
    const minute = minuteInHour(at)
    return hour.good[minute] !== good || hour.total[minute] !== total
  })

/**
 * Sums the minutes of a range within an hour; `undefined` if none of them has a count. A minute whose total is 0 has a count but
 * no events.
 */
export const sumHour = (
  hour: HourOfCounts,
  part: SlicePart | undefined,
  range: MinuteRange,
): MinuteSums | undefined => {
  const first = minuteInHour(range.from)
  const end = first + (range.to - range.from) / minuteMs
  const sums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  let counted = 0
  let states = noStates
  for (let minute = first; minute < end; minute++) {
    const good = hour.good[minute] ?? Number.NaN
    const total = hour.total[minute] ?? Number.NaN
    if (Number.isNaN(total)) continue
    counted++
    if (total === 0) continue
    sums.good += good
    sums.total += total
    sums.minutes++
    sums.goodShares += good / total
    const isGood = part === undefined || isGoodMinute(part, good, total)
    if (isGood) sums.goodMinutes++
    if (part?.hasStates === true) {
      const at = hourOf(range.from) + minute * minuteMs
      states = followedBy(states, {
        counted: 0,
        carriedBad: 0,
        events: { firstAt: at, lastAt: at, isLastGood: isGood },
      })
    }
  }
  if (counted === 0) return undefined
  return part?.hasStates === true ? { ...sums, states: { ...states, counted } } : sums
}

/** Sums minutes with counts; `undefined` without any. */
export const sumMinutes = (
  counts: ReadonlyArray<MinuteCount>,
  part: SlicePart | undefined,
): MinuteSums | undefined => {
  if (counts.length === 0) return undefined
  const sums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }
  for (const { good, total } of counts) {
    if (total === 0) continue
    sums.good += good
    sums.total += total
    sums.minutes++
    sums.goodShares += good / total
    if (part === undefined || isGoodMinute(part, good, total)) sums.goodMinutes++
  }
  return part?.hasStates === true ? { ...sums, states: statesOfMinutes(counts, part) } : sums
}

const statesOfMinutes = (counts: ReadonlyArray<MinuteCount>, part: SlicePart): MinuteStates => {
  const states = counts
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, good, total }): MinuteStates => ({
      counted: 0,
      carriedBad: 0,
      events: { firstAt: at, lastAt: at, isLastGood: isGoodMinute(part, good, total) },
    }))
  return { ...states.reduce(followedBy, noStates), counted: counts.length }
}

export const noStates: MinuteStates = { counted: 0, carriedBad: 0 }

/** The states of minutes, and of later minutes. */
const followedBy = (a: MinuteStates, b: MinuteStates): MinuteStates => {
  const counted = a.counted + b.counted
  if (a.events === undefined) return { ...b, counted }
  if (b.events === undefined) return { ...a, counted }
  const { firstAt, lastAt, isLastGood } = a.events
  const between = isLastGood ? 0 : carriedMinutes(lastAt, b.events.firstAt)
  return {
    counted,
    carriedBad: a.carriedBad + between + b.carriedBad,
    events: { ...b.events, firstAt },
  }
}

/** The states of two sets of minutes, one of which is before the other. */
export const addStates = (a: MinuteStates, b: MinuteStates): MinuteStates =>
  (a.events?.firstAt ?? -Infinity) <= (b.events?.firstAt ?? Infinity) ? followedBy(a, b) : followedBy(b, a)

/** The sums of two sets of minutes, one of which is before the other: of minutes in between, none has events. */
export const addSums = (a: MinuteSums | undefined, b: MinuteSums): MinuteSums =>
  a === undefined
    ? b
    : {
        good: a.good + b.good,
        total: a.total + b.total,
        minutes: a.minutes + b.minutes,
        goodShares: a.goodShares + b.goodShares,
        goodMinutes: a.goodMinutes + b.goodMinutes,
        ...((a.states ?? b.states) !== undefined && {
          states: addStates(a.states ?? noStates, b.states ?? noStates),
        }),
      }

/**
 * The hour of the legacy composite: one event, good or bad, in each minute in which any part has events. A minute with
 * counts but no events has a total of 0.
 */
export const overallHour = (
  parts: ReadonlyArray<SlicePart>,
  hourByObjective: ReadonlyMap<string, HourOfCounts>,
): HourOfCounts => {
  const good = [...emptyHour.good]
  const total = [...emptyHour.total]
  for (const part of parts) {
    const hour = hourByObjective.get(part.objective)
    if (hour === undefined) continue
    for (const [minute, partTotal] of hour.total.entries()) {
      if (Number.isNaN(partTotal)) continue
      const isFirst = !((total[minute] ?? 0) > 0)
      if (partTotal === 0) {
        if (isFirst) good[minute] = total[minute] = 0
        continue
      }
      const isPartGood = isGoodMinute(part, hour.good[minute] ?? 0, partTotal)
      good[minute] = isPartGood && (isFirst || good[minute] === 1) ? 1 : 0
      total[minute] = 1
    }
  }
  return { good, total }
}

/** The rule for a track whose hours are stored; `undefined`: every minute is good. */
export const partOfTrack = (rules: ReadonlyArray<SliceRule>, track: string): SlicePart | undefined => {
  const parts = rules.find((rule) => rule.track === track)?.parts
  if (track !== overallTrack) return parts?.[0]
  return parts?.some(({ hasStates }) => hasStates === true) === true ? overallMinuteWithStates : overallMinute
}

/** The parts of the legacy composite, one for each objective; `undefined` if the SLO has no such composite. */
export const overallParts = (rules: ReadonlyArray<SliceRule>): ReadonlyArray<SlicePart> | undefined =>
  rules.find(({ track }) => track === overallTrack)?.parts

const overallMinute: SlicePart = { objective: overallTrack, goodShareMin: 1, isInclusive: true }

const overallMinuteWithStates: SlicePart = { ...overallMinute, hasStates: true }

const minuteInHour = (at: number): number => (at % hourMs) / minuteMs

/** Whether a minute with these events is good by a rule. */
export const isGoodMinute = (
  { goodShareMin, isInclusive }: SlicePart,
  good: number,
  total: number,
): boolean => {
  const above = good / total - goodShareMin
  // A sum such as 0.1 + 0.7 is below 0.8 as a binary fraction. Source: spec/slos §11.
  return Math.abs(above) < 1e-12 ? isInclusive : above > 0
}
