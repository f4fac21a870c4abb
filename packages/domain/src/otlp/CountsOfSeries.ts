import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, number } from "../codec/Leaves.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteCount } from "../counts/HourOfCounts.ts"
import type { EventPart, OtlpIndicator } from "../slo/OtlpIndicator.ts"

/** Oldest data point that is counted, in milliseconds. */
export const pushedAgeMaxMs = dayMs

/** How long a series that is no longer pushed is remembered, in milliseconds; longer than the age of points. */
export const seriesIdleMaxMs = dayMs + hourMs

/** The latest ends of points with delta temporality that are remembered to recognize a point that is sent again. */
export const rememberedEndsMax = 32

/** How many events of a point count for one part of those of an SLO. */
export interface PushedEventsOfPart {
  readonly part: EventPart
  readonly events: number
  /**
   * Of an exponential histogram, as `countsAtMost`: the scale of `events`, and what they are at each coarser scale, one by one; none
   * if no scale changes them.
   */
  readonly coarser?: { readonly scale: number; readonly values: ReadonlyArray<number> }
}

/** What a point counts for the parts of the events of an SLO: for all of them, or not at all. Times are in Unix milliseconds with fractions. */
export interface PushedPoint {
  /** At least one and at most two, each part once: those whose metric and attributes the point matches. */
  readonly parts: ReadonlyArray<PushedEventsOfPart>
  /** As in `MetricPoint`: at most 32 characters. */
  readonly series: string
  /** `delta`: events since the previous point; `cumulative`: since `startAt`. */
  readonly temporality: "delta" | "cumulative"
  /** As in `MetricPoint`. */
  readonly layout?: string
  /** The start of what the point counts; absent if unknown. */
  readonly startAt?: number
  /** The end of what the point counts. */
  readonly at: number
}

const seriesState = object({
  /** The end of the latest point, in Unix milliseconds. */
  at: number({}),
  /** Of cumulative points: when the latest began, and its value. */
  startAt: exactOptional(number({})),
  value: exactOptional(number({})),
  layout: exactOptional(anyString),
  /** Of an exponential histogram, as in `PushedEventsOfPart`. */
  scale: exactOptional(number({})),
  coarser: exactOptional(list(number({}), { max: 40 })),
  /** Of delta points: the latest ends, ascending. */
  ends: exactOptional(list(number({}), { max: rememberedEndsMax })),
})

/** What must be remembered of a series to count its next point. */
export type SeriesState = TypeOf<typeof seriesState>

/** The stored form of the state of a series. Contains no secret. */
export const storedSeriesState = stored(seriesState, [])

/** Events pushed for one minute by part; 0 for a part that the indicator does not have. */
export type PartSums = Readonly<Record<EventPart, number>>

export interface AddedPoints {
  /** The series that have changed, by `seriesKey`. */
  readonly states: ReadonlyMap<string, SeriesState>
  /** What is added to each minute, by its start in Unix milliseconds. */
  readonly minutes: ReadonlyMap<number, PartSums>
  /** Points of series for which there was no room. */
  readonly withoutRoom: number
}

/** The keys of the states of a point: one for each part. */
export const seriesKeys = ({ parts, series }: Pick<PushedPoint, "parts" | "series">): ReadonlyArray<string> =>
  parts.map(({ part }) => seriesKey(part, series))

const seriesKey = (part: EventPart, series: string): string => `${part}:${series}`

/**
 * Counts points that follow those of `states`. The events of a point are those since the point before: the value of a delta
 * point, and by how much a cumulative one has grown, or its value if it began anew (OpenTelemetry metrics data model, resets and
 * gaps). They are spread evenly over the time in between. A point that was counted before adds nothing. What is true of a point for one
 * of its parts is true for all: good and all events are of the same values.
 *
 * The first cumulative point of a series counts what it has gained since its start if that is not before `since`, when the
 * indicator was defined; otherwise the next one is the first that counts. One with other buckets than before is the first of a series,
 * and counts from its start only if that is after the previous start. Times are in Unix milliseconds.
 */
export const addPoints = (
  points: ReadonlyArray<PushedPoint>,
  states: ReadonlyMap<string, SeriesState>,
  { since, now, room }: { readonly since: number; readonly now: number; readonly room: number },
): AddedPoints => {
  const changed = new Map<string, SeriesState>()
  const minutes = new Map<number, { good: number; bad: number; total: number }>()
  let withoutRoom = 0
  let begun = 0
  for (const point of points.toSorted((a, b) => a.at - b.at)) {
    const parts = point.parts.map((counted) => {
      const key = seriesKey(counted.part, point.series)
      return { ...counted, key, before: changed.get(key) ?? states.get(key) }
    })
    const unknown = parts.filter(({ before }) => before === undefined).length
    if (unknown > 0 && begun + unknown > room) {
      withoutRoom++
      continue
    }
    const next =
      point.temporality === "delta"
        ? afterDelta(point, parts)
        : afterCumulative(point, parts, Math.max(since, now - pushedAgeMaxMs))
    if (next === undefined) continue
    begun += unknown
    for (const [index, { key }] of parts.entries()) {
      const state = next.states[index]
      if (state !== undefined) changed.set(key, state)
    }
    if (next.added === undefined) continue
    const from = Math.max(next.added.from, now - pushedAgeMaxMs)
    for (const { at, share } of spread(from, point.at)) {
      const sums = minutes.get(at) ?? { good: 0, bad: 0, total: 0 }
      for (const [index, { part }] of parts.entries()) sums[part] += (next.added.events[index] ?? 0) * share
      minutes.set(at, sums)
    }
  }
  return { states: changed, minutes, withoutRoom }
}

/** A part of a point, with the state after the point before. */
interface PartOfPoint extends PushedEventsOfPart {
  readonly before: SeriesState | undefined
}

/** What follows a point; the states and events are those of its parts, in order. */
interface AfterPoint {
  readonly states: ReadonlyArray<SeriesState>
  readonly added?: { readonly events: ReadonlyArray<number>; readonly from: number }
}

const afterDelta = (
  { at, startAt }: PushedPoint,
  parts: ReadonlyArray<PartOfPoint>,
): AfterPoint | undefined => {
  const isKnown = parts.some(({ before }) => {
    const ends = before?.ends ?? []
    const isForgotten = ends.length === rememberedEndsMax && at < (ends[0] ?? at)
    return ends.includes(at) || isForgotten
  })
  if (isKnown) return undefined
  const states = parts.map(({ before }) => {
    const ends = [...(before?.ends ?? []), at].toSorted((a, b) => a - b).slice(-rememberedEndsMax)
    return { at: ends.at(-1) ?? at, ends }
  })
  return { states, added: { events: parts.map(({ events }) => events), from: startAt ?? at } }
}

const afterCumulative = (
  { at, startAt, layout }: PushedPoint,
  parts: ReadonlyArray<PartOfPoint>,
  since: number,
): AfterPoint | undefined => {
  if (parts.some(({ before }) => before !== undefined && at <= before.at)) return undefined
  const states = parts.map(({ events, coarser }) => ({
    at,
    ...(startAt !== undefined && { startAt }),
    value: events,
    ...(layout !== undefined && { layout }),
    ...(coarser !== undefined && { scale: coarser.scale, coarser: coarser.values }),
  }))
  const all = parts.map(({ events }) => events)
  const gains = parts.map(gainOf)
  const [{ before } = { before: undefined }] = parts
  const beganAt =
    startAt !== undefined && startAt > (before?.startAt ?? startAt) && startAt < at ? startAt : undefined
  if (before === undefined || gains.includes("unknown")) {
    const isNew = startAt !== undefined && startAt >= since && startAt < at
    return { states, ...(isNew && { added: { events: all, from: startAt } }) }
  }
  const isOther = layout !== undefined && before.layout !== undefined && layout !== before.layout
  const known = isOther ? ["incomparable" as const] : gains
  if (beganAt !== undefined || (known.includes("less") && !known.includes("incomparable"))) {
    const from = startAt === undefined || startAt >= at ? before.at : startAt
    return { states, added: { events: all, from: Math.max(from, before.at) } }
  }
  if (known.includes("incomparable")) return { states }
  return { states, added: { events: gains.map(Number), from: before.at } }
}

/** By how much a part has grown since the point before, at the coarser scale of both; or why that is not to be said. */
const gainOf = ({ before, events, coarser }: PartOfPoint): number | "unknown" | "less" | "incomparable" => {
  if (before?.value === undefined) return "unknown"
  if (coarser === undefined || before.scale === undefined) {
    return events < before.value ? "less" : events - before.value
  }
  const scale = Math.min(coarser.scale, before.scale)
  const now = [events, ...coarser.values][coarser.scale - scale]
  const then = [before.value, ...(before.coarser ?? [])][before.scale - scale]
  if (now === undefined || then === undefined) return "incomparable"
  // They are parts of buckets, which are rounded.
  return now < then - then * 1e-9 ? "less" : Math.max(0, now - then)
}

/** The minutes of a time, which may be an instant, with the share of it that each has. */
const spread = (from: number, to: number): ReadonlyArray<{ readonly at: number; readonly share: number }> => {
  const last = minuteOf(to - 1)
  if (from >= to || minuteOf(from) === last) return [{ at: last, share: 1 }]
  const parts: Array<{ readonly at: number; readonly share: number }> = []
  for (let at = minuteOf(from); at <= last; at += minuteMs) {
    const overlap = Math.min(at + minuteMs, to) - Math.max(at, from)
    parts.push({ at, share: overlap / (to - from) })
  }
  return parts
}

/**
 * The count of a minute of what was pushed for it. Until both parts have come, those of a minute may contradict each other: then
 * there are as many events in all as `total` says.
 */
export const countOfParts = (
  { good: hasGood, bad: hasBad }: OtlpIndicator,
  at: number,
  { good, bad, total }: PartSums,
): MinuteCount => {
  if (hasGood === undefined) return { at, good: Math.max(0, total - bad), total }
  if (hasBad === undefined) return { at, good: Math.min(good, total), total }
  return { at, good, total: good + bad }
}
