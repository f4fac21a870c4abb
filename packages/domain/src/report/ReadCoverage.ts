import * as Effect from "effect/Effect"
import { tidy } from "../codec/Decimal.ts"
import { dayMs, hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountStore, type CountSum, type HoursRead, type TrackHour } from "../counts/CountStore.ts"
import { organizationKeyText, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import {
  adjustedMinutes,
  type AdjustedMinutes,
  bothAdjusted,
  keptMinutes,
  keptRanges,
  mergeRanges,
  type MinuteRanges,
} from "../status/AdjustedMinutes.ts"
import { readComponents } from "../status/ReadSlos.ts"
import type { DueSlo } from "../status/SloStore.ts"
import { inParts, type Parts } from "../work/Parts.ts"

/** Hours of all tracks together that are read at once. */
const hoursAtOnce = 2_000

/** Days or hours that are gone through in one part. */
const hoursPerPart = 50

/**
 * Reads by track which share of the minutes of a period has counts, 0 to 1, even counts without events. Excluded minutes are left out,
 * and minutes that an adjustment sets have counts. A composite objective has the lowest share of its components, and the legacy composite
 * that of the objectives.
 */
export const readCoverage = Effect.fnUntraced(function* (
  { organization, slo, adjustments }: Pick<DueSlo, "organization" | "slo" | "adjustments">,
  period: MinuteRange,
) {
  const { definition } = slo
  const { project, name } = definition.metadata
  const own = adjustedMinutes(adjustments, definition, period)
  const plain = plainObjectivesOf(definition).map((objective) => objective.name)
  const shares = new Map<string, number>(
    yield* countedShares(
      { organization, slo: { project, name }, range: period, tracks: new Set(plain) },
      own,
    ),
  )
  const composites = definition.spec.objectives.filter(isCompositeObjective)
  const components = composites.flatMap(({ composite }) => composite.components)
  const ofComponents = new Map<string, number>()
  const tracksBySlo = new Map<string, { readonly key: ProjectKey; readonly tracks: Set<string> }>()
  for (const { slo: key, objective } of components) {
    const text = projectKeyText(key)
    const known = tracksBySlo.get(text) ?? { key, tracks: new Set<string>() }
    known.tracks.add(objective)
    tracksBySlo.set(text, known)
  }
  const definitions = yield* readComponents([{ organization, slo }])
  for (const [text, { key, tracks }] of tracksBySlo) {
    const component = definitions.get(organizationKeyText(organization, key))
    if (component === undefined) continue
    const adjusted = bothAdjusted(own, adjustedMinutes(adjustments, component.definition, period))
    for (const [track, share] of yield* countedShares(
      { organization, slo: key, range: period, tracks },
      adjusted,
    ))
      ofComponents.set(`${text} ${track}`, share)
  }
  for (const { name: track, composite } of composites) {
    const ofTrack = composite.components.map(
      ({ slo: key, objective }) => ofComponents.get(`${projectKeyText(key)} ${objective}`) ?? 0,
    )
    shares.set(track, Math.min(...ofTrack))
  }
  if (definition.spec.composite !== undefined) shares.set(overallTrack, Math.min(1, ...shares.values()))
  return shares
})

/** By track: the share of the minutes that are not excluded that has counts or is set. */
const countedShares = Effect.fnUntraced(function* (read: HoursRead, { excluded, set }: AdjustedMinutes) {
  const store = yield* CountStore
  const { range: period, tracks } = read
  const wanted = keptMinutes(period, excluded)
  const counted = new Map(Array.from(tracks, (track) => [track, set.reduce(addMinutes, 0)]))
  const changed = mergeRanges([...excluded, ...set])
  const stepMs = Math.max(1, Math.floor(hoursAtOnce / Math.max(tracks.size, 1))) * hourMs
  for (let from = period.from; tracks.size > 0 && from < period.to; from += stepMs) {
    const { organization, slo } = read
    // Most days are whole, so that few hours are read, and of them few minutes.
    let rest: MinuteRanges = [{ from, to: Math.min(from + stepMs, period.to) }]
    for (const partMs of [dayMs, hourMs]) {
      const ranges = rest.flatMap((range) => partsOf(range, partMs))
      if (ranges.length === 0) break
      const [summed] = yield* store.sums([{ organization, slo, ranges, tracks }])
      rest = mergeRanges(yield* inParts(() => addWhole(counted, ranges, summed?.sums ?? [], changed)))
    }
    for (const range of rest) {
      const found = yield* store.hours({ ...read, range })
      yield* inParts(() => addCounted(counted, found, range, changed))
    }
  }
  return Array.from(
    counted,
    ([track, minutes]) => [track, wanted === 0 ? 0 : tidy(minutes / wanted)] as const,
  )
})

/** The days or hours of a range; those at its ends as far as they belong to it. */
const partsOf = ({ from, to }: MinuteRange, partMs: number): ReadonlyArray<MinuteRange> => {
  const parts: Array<MinuteRange> = []
  for (let start = from; start < to;) {
    const end = Math.min(to, Math.floor(start / partMs + 1) * partMs)
    parts.push({ from: start, to: end })
    start = end
  }
  return parts
}

/**
 * Counts the ranges in which every minute of all tracks has events, which sums say, and returns the others: a minute can have counts
 * without events, or an adjustment.
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
    const minutes = addMinutes(0, range)
    const found = (sums[index] ?? []).filter(({ objective }) => counted.has(objective))
    const isWhole =
      found.length === counted.size &&
      found.every((sum) => sum.minutes === minutes) &&
      changed.every(({ from, to }) => to <= range.from || from >= range.to)
    if (!isWhole) rest.push(range)
    else for (const { objective } of found) counted.set(objective, (counted.get(objective) ?? 0) + minutes)
  }
  return rest
}

const addMinutes = (sum: number, { from, to }: MinuteRange): number => sum + (to - from) / minuteMs

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
