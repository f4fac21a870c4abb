import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { number } from "../codec/Leaves.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteCount } from "../counts/HourOfCounts.ts"
import type { EventPart, OtlpIndicator } from "../slo/OtlpIndicator.ts"

/** Oldest data point that is counted, in milliseconds. */
export const pushedAgeMaxMs = dayMs

/** How long a series that is no longer pushed is remembered, in milliseconds; longer than the age of points. */
export const seriesIdleMaxMs = dayMs + hourMs

/** The latest ends of points with delta temporality that are remembered to recognize a point that is sent again. */
export const rememberedEndsMax = 32

/** What a series counts for one part of the events of an SLO. Times are in Unix milliseconds with fractions. */
export interface PushedPoint {
  readonly part: EventPart
  readonly series: string
  readonly temporality: "delta" | "cumulative"
  readonly startAt?: number
  readonly at: number
  readonly events: number
}

const seriesState = object({
  /** The end of the latest point, in Unix milliseconds. */
  at: number({}),
  /** Of cumulative points: when the latest began, and its value. */
  startAt: exactOptional(number({})),
  value: exactOptional(number({})),
  /** Of delta points: the latest ends, ascending. */
  ends: exactOptional(list(number({}), { max: rememberedEndsMax })),
})

/** What must be remembered of a series to count its next point. */
export type SeriesState = TypeOf<typeof seriesState>

export const storedSeriesState = stored(seriesState, [])

export type PartSums = Readonly<Record<EventPart, number>>

export interface AddedPoints {
  /** The series that have changed, by `seriesKey`. */
  readonly states: ReadonlyMap<string, SeriesState>
  /** What is added to each minute, by its start in Unix milliseconds. */
  readonly minutes: ReadonlyMap<number, PartSums>
  /** Points of series for which there was no room. */
  readonly withoutRoom: number
}

export const seriesKey = ({ part, series }: Pick<PushedPoint, "part" | "series">): string =>
  `${part}:${series}`

/**
 * Counts points that follow those of `states`. The events of a point are those since the point before: the value of a delta
 * point, and by how much a cumulative one has grown, or its value if it began anew (OpenTelemetry metrics data model, resets and
 * gaps). They are spread evenly over the time in between. A point that was counted before adds nothing.
 *
 * The first cumulative point of a series counts what it has gained since its start if that is not before `since`, when the
 * indicator was defined; otherwise the next one is the first that counts. Times are in Unix milliseconds.
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
    const key = seriesKey(point)
    const before = changed.get(key) ?? states.get(key)
    if (before === undefined && begun >= room) {
      withoutRoom++
      continue
    }
    const next =
      point.temporality === "delta"
        ? afterDelta(point, before)
        : afterCumulative(point, before, Math.max(since, now - pushedAgeMaxMs))
    if (next === undefined) continue
    if (before === undefined) begun++
    changed.set(key, next.state)
    if (next.added === undefined) continue
    const from = Math.max(next.added.from, now - pushedAgeMaxMs)
    for (const { at, share } of spread(from, point.at)) {
      const sums = minutes.get(at) ?? { good: 0, bad: 0, total: 0 }
      sums[point.part] += next.added.events * share
      minutes.set(at, sums)
    }
  }
  return { states: changed, minutes, withoutRoom }
}

interface AfterPoint {
  readonly state: SeriesState
  readonly added?: { readonly events: number; readonly from: number }
}

const afterDelta = (
  { at, startAt, events }: PushedPoint,
  before: SeriesState | undefined,
): AfterPoint | undefined => {
  const ends = before?.ends ?? []
  const isForgotten = ends.length === rememberedEndsMax && at < (ends[0] ?? at)
  if (ends.includes(at) || isForgotten) return undefined
  const kept = [...ends, at].toSorted((a, b) => a - b).slice(-rememberedEndsMax)
  return { state: { at: kept.at(-1) ?? at, ends: kept }, added: { events, from: startAt ?? at } }
}

const afterCumulative = (
  { at, startAt, events }: PushedPoint,
  before: SeriesState | undefined,
  since: number,
): AfterPoint | undefined => {
  if (before !== undefined && at <= before.at) return undefined
  const state = { at, ...(startAt !== undefined && { startAt }), value: events }
  if (before?.value === undefined) {
    const isNew = startAt !== undefined && startAt >= since && startAt < at
    return { state, ...(isNew && { added: { events, from: startAt } }) }
  }
  const hasBegunAnew =
    events < before.value || (startAt !== undefined && startAt > (before.startAt ?? startAt) && startAt < at)
  return {
    state,
    added: hasBegunAnew
      ? { events, from: Math.max(startAt === undefined || startAt >= at ? before.at : startAt, before.at) }
      : { events: events - before.value, from: before.at },
  }
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
