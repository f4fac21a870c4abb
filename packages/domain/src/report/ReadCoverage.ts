import * as Effect from "effect/Effect"
import { tidy } from "../codec/Decimal.ts"
import { dayMs, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountStore, type CountSum, type HoursRead, type TrackHour } from "../counts/CountStore.ts"
import { carriedStateMaxMs } from "../counts/HourOfCounts.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { organizationKeyText, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { carriesState, countsAbsent, isCompositeObjective } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import {
  adjustedMinutes,
  type AdjustedMinutes,
  bothAdjusted,
  keptMinutes,
  keptRanges,
  mergeRanges,
  type MinuteRanges,
  minutesOf,
} from "../status/AdjustedMinutes.ts"
import { absentTo, lateRange } from "../status/CountsPlan.ts"
import { readComponents } from "../status/ReadSlos.ts"
import type { DueSlo } from "../status/SloStore.ts"
import { inParts, type Parts } from "../work/Parts.ts"

/** Hours of all tracks together that are read at once. */
const hoursAtOnce = 2_000

/** Ranges of hours of which more are read at once, with the hours between them. */
const readOnceMin = 4

/** The time of which sums by the hour are read; of more, few hours are whole, and the hours themselves are read. */
const hourlySumsMaxMs = 4 * dayMs

/** Days or hours that are gone through in one part. */
const hoursPerPart = 50

/**
 * Reads by track which share of the minutes of a period has counts, 0 to 1, even counts without events. Excluded minutes are left out,
 * and minutes that an adjustment sets have counts, as have minutes without counts of which the definition says what they count as
 * (`absent`, `lastState`, `whenDelayed`). A composite objective has the lowest share of its components, and the legacy composite
 * that of the objectives. `now` is in Unix milliseconds.
 */
export const readCoverage = Effect.fnUntraced(function* (
  { organization, slo, adjustments, readTo }: Pick<DueSlo, "organization" | "slo" | "adjustments" | "readTo">,
  period: MinuteRange,
  now: number,
) {
  const { definition, createdAt } = slo
  const { project, name } = definition.metadata
  const asOf = minuteOf(now) + minuteMs
  const own = adjustedMinutes(adjustments, definition, period)
  const shares = new Map<string, number>()
  const plain = plainObjectivesOf(definition)
  const knownTo = carriesState(definition) ? Math.min(asOf, (readTo ?? Infinity) + minuteMs) : undefined
  for (const isFilled of [false, true]) {
    const tracks = new Set(plain.filter((each) => countsAbsent(each) === isFilled).map((each) => each.name))
    const filled = isFilled ? lateRange(period, createdAt, absentTo(asOf, readTo)) : undefined
    const read = { organization, slo: { project, name }, range: period, tracks }
    for (const [track, share] of yield* countedShares(read, own, filled, knownTo)) shares.set(track, share)
  }
  const composites = definition.spec.objectives.filter(isCompositeObjective)
  const definitions = yield* readComponents([{ organization, slo }])
  // Components of one SLO are read together where the same minutes of them count without counts.
  const reads = new Map<string, ComponentRead>()
  const readsOf = composites.map(({ name: track, composite: { components, maxDelay } }) => ({
    track,
    components: components.flatMap(({ slo: key, objective, whenDelayed }) => {
      const component = definitions.get(organizationKeyText(organization, key))
      if (component === undefined) return []
      const isAbsent = plainObjectivesOf(component.definition).some(
        (each) => each.name === objective && countsAbsent(each),
      )
      const filled =
        whenDelayed !== "Ignore"
          ? lateRange(period, Math.max(createdAt, component.createdAt), asOf - maxDelay.ms)
          : isAbsent
            ? lateRange(period, component.createdAt, absentTo(asOf))
            : undefined
      const id = `${projectKeyText(key)} ${filled?.from} ${filled?.to}`
      const read = reads.get(id) ?? { key, component, filled, tracks: new Set() }
      read.tracks.add(objective)
      reads.set(id, read)
      return [`${id} ${objective}`]
    }),
  }))
  const ofComponents = new Map<string, number>()
  for (const [id, { key, component, filled, tracks }] of reads) {
    const adjusted = bothAdjusted(own, adjustedMinutes(adjustments, component.definition, period))
    const read = { organization, slo: key, range: period, tracks }
    for (const [track, share] of yield* countedShares(read, adjusted, filled))
      ofComponents.set(`${id} ${track}`, share)
  }
  for (const { track, components } of readsOf)
    shares.set(track, Math.min(...components.map((id) => ofComponents.get(id) ?? 0)))
  if (definition.spec.composite !== undefined) shares.set(overallTrack, Math.min(1, ...shares.values()))
  return shares
})

interface ComponentRead {
  readonly key: ProjectKey
  readonly component: StoredDefinition<Slo>
  /** The minutes that count although they have no counts. */
  readonly filled: MinuteRange | undefined
  readonly tracks: Set<string>
}

/**
 * By track: the share of the minutes that are not excluded that has counts, is set or filled. States are carried up to `knownTo` (Unix
 * milliseconds), if it is given.
 */
const countedShares = Effect.fnUntraced(function* (
  read: HoursRead,
  { excluded, set }: AdjustedMinutes,
  filled?: MinuteRange,
  knownTo?: number,
) {
  const { range: period, tracks } = read
  const wanted = keptMinutes(period, excluded)
  const given = mergeRanges([...set, ...(filled === undefined ? [] : keptRanges(filled, excluded))])
  const changed = mergeRanges([...excluded, ...given])
  const counted = new Map(Array.from(tracks, (track) => [track, minutesOf(given)]))
  const isRead = tracks.size > 0 && keptMinutes(period, changed) > 0
  if (isRead)
    yield* knownTo === undefined
      ? countMinutes(read, counted, changed)
      : countCarried(read, counted, changed, knownTo)
  return Array.from(
    counted,
    ([track, minutes]) => [track, wanted === 0 ? 0 : tidy(minutes / wanted)] as const,
  )
})

/** Adds the minutes with counts. */
const countMinutes = Effect.fnUntraced(function* (
  read: HoursRead,
  counted: Map<string, number>,
  changed: MinuteRanges,
) {
  const store = yield* CountStore
  const { organization, slo, tracks } = read
  for (const part of partsOf(read)) {
    // Most days are whole, so that few hours are read, and of them few minutes.
    let rest: MinuteRanges = [part]
    for (const lengthMs of [dayMs, hourMs]) {
      if (lengthMs === hourMs && minutesOf(rest) * minuteMs > hourlySumsMaxMs) break
      const ranges = rest.flatMap((range) => piecesOf(range, lengthMs))
      if (ranges.length === 0) break
      const [summed] = yield* store.sums([{ organization, slo, ranges, tracks }])
      rest = mergeRanges(yield* inParts(() => addWhole(counted, ranges, summed?.sums ?? [], changed)))
    }
    // Of many, all are read at once, with what is between them: a part is bounded.
    const [first, last] = [rest[0], rest.at(-1)]
    const areMany = rest.length > readOnceMin && first !== undefined && last !== undefined
    for (const range of areMany ? [{ from: first.from, to: last.to }] : rest) {
      const found = yield* store.hours({ ...read, range })
      const skipped = areMany ? mergeRanges([...changed, ...keptRanges(range, rest)]) : changed
      yield* inParts(() => addCounted(counted, found, range, skipped))
    }
  }
})

/**
 * Adds the minutes with counts, and those to which the state of an earlier minute with events is carried: neither across changed
 * minutes nor beyond `knownTo`.
 */
const countCarried = Effect.fnUntraced(function* (
  read: HoursRead,
  counted: Map<string, number>,
  changed: MinuteRanges,
  knownTo: number,
) {
  const store = yield* CountStore
  const { from, to } = read.range
  const states = new Map(Array.from(read.tracks, (track) => [track, { at: from, carriedTo: from }]))
  for (const range of partsOf({ ...read, range: { from: from - carriedStateMaxMs, to } })) {
    const found = yield* store.hours({ ...read, range })
    yield* inParts(() => addCarried(counted, found, range, from, states, changed))
  }
  for (const [track, state] of states) addGap(counted, track, state, Math.min(to, knownTo), changed)
})

/** A period in parts, of which one has at most `hoursAtOnce` hours of all tracks. */
const partsOf = ({ range: { from, to }, tracks }: HoursRead): ReadonlyArray<MinuteRange> => {
  const stepMs = Math.max(1, Math.floor(hoursAtOnce / Math.max(tracks.size, 1))) * hourMs
  return Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, index) => ({
    from: from + index * stepMs,
    to: Math.min(from + (index + 1) * stepMs, to),
  }))
}

/** The days or hours of a range; those at its ends as far as they belong to it. */
const piecesOf = ({ from, to }: MinuteRange, lengthMs: number): ReadonlyArray<MinuteRange> => {
  const pieces: Array<MinuteRange> = []
  for (let start = from; start < to;) {
    const end = Math.min(to, Math.floor(start / lengthMs + 1) * lengthMs)
    pieces.push({ from: start, to: end })
    start = end
  }
  return pieces
}

/**
 * Counts the ranges in which every minute of all tracks has events, which sums say, and returns the others: a minute can have counts
 * without events, or an adjustment. Those that are changed as a whole are left out.
 */
function* addWhole(
  counted: Map<string, number>,
  ranges: ReadonlyArray<MinuteRange>,
  sums: ReadonlyArray<ReadonlyArray<CountSum>>,
  changed: MinuteRanges,
): Parts<ReadonlyArray<MinuteRange>> {
  const rest: Array<MinuteRange> = []
  for (const [index, range] of ranges.entries()) {
    if ((index + 1) % hoursPerPart === 0) yield
    const minutes = minutesOf([range])
    const found = (sums[index] ?? []).filter(({ objective }) => counted.has(objective))
    const isWhole =
      found.length === counted.size &&
      found.every((sum) => sum.minutes === minutes) &&
      changed.every(({ from, to }) => to <= range.from || from >= range.to)
    if (isWhole)
      for (const { objective } of found) counted.set(objective, (counted.get(objective) ?? 0) + minutes)
    else if (keptMinutes(range, changed) > 0) rest.push(range)
  }
  return rest
}

function* addCounted(
  counted: Map<string, number>,
  hours: ReadonlyArray<TrackHour>,
  range: MinuteRange,
  changed: MinuteRanges,
): Parts<void> {
  for (const [index, { track, at, counts }] of hours.entries()) {
    if ((index + 1) % hoursPerPart === 0) yield
    const hour = { from: Math.max(at, range.from), to: Math.min(at + hourMs, range.to) }
    let minutes = 0
    for (const { from, to } of hour.from < hour.to ? keptRanges(hour, changed) : [])
      for (let time = from; time < to; time += minuteMs)
        if (!Number.isNaN(counts.total[(time - at) / minuteMs] ?? Number.NaN)) minutes++
    counted.set(track, (counted.get(track) ?? 0) + minutes)
  }
}

/** How far the minutes of a track were gone through, and up to where the latest state is carried. */
interface CarriedState {
  at: number
  carriedTo: number
}

/** Goes through the hours of a part in order; the minutes before `countedFrom` only have states. */
function* addCarried(
  counted: Map<string, number>,
  hours: ReadonlyArray<TrackHour>,
  range: MinuteRange,
  countedFrom: number,
  states: ReadonlyMap<string, CarriedState>,
  changed: MinuteRanges,
): Parts<void> {
  for (const [index, { track, at, counts }] of hours.toSorted((a, b) => a.at - b.at).entries()) {
    if ((index + 1) % hoursPerPart === 0) yield
    const state = states.get(track)
    const hour = { from: Math.max(at, range.from), to: Math.min(at + hourMs, range.to) }
    if (state === undefined || hour.from >= hour.to) continue
    let minutes = 0
    for (const { from, to } of keptRanges(hour, changed))
      for (let time = from; time < to; time += minuteMs) {
        const total = counts.total[(time - at) / minuteMs] ?? Number.NaN
        if (Number.isNaN(total)) continue
        addGap(counted, track, state, time, changed)
        if (time >= countedFrom) minutes++
        if (total > 0) state.carriedTo = time + minuteMs + carriedStateMaxMs
        state.at = Math.max(state.at, time + minuteMs)
      }
    counted.set(track, (counted.get(track) ?? 0) + minutes)
  }
}

/** Adds the minutes to which a state is carried up to the next minute with counts; changed minutes end the state. */
const addGap = (
  counted: Map<string, number>,
  track: string,
  state: CarriedState,
  next: number,
  changed: MinuteRanges,
): void => {
  const { at, carriedTo } = state
  if (at >= next) return
  const [first] = keptRanges({ from: at, to: next }, changed)
  const to = first?.from === at ? Math.min(first.to, carriedTo) : at
  if (at < to) counted.set(track, (counted.get(track) ?? 0) + (to - at) / minuteMs)
  if (first?.from !== at || first.to < next) state.carriedTo = 0
}
