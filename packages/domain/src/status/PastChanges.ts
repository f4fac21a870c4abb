/** Which past minutes have changed, and what they were before: history that is changed notifies nobody. Source: spec/alerting §12. */
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { emptyHour, type HourOfCounts, type MinuteCount } from "../counts/HourOfCounts.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { isCompositeObjective } from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import {
  type AdjustedMinutes,
  adjustedMinutes,
  adjustsPast,
  keptRanges,
  mergeRanges,
  type MinuteRanges,
  type PreviousCounts,
} from "./AdjustedMinutes.ts"
import type { PastChanges } from "./StoredPastChanges.ts"

/**
 * Oldest latest minute of which an alert triggers, in milliseconds. Later counts change statuses, but notify nobody: a
 * history that is read, imported or caught up on is evaluated from the present on.
 */
export const alertedDelayMaxMs = 3_600_000

/** Maximum number of minutes of an SLO whose previous counts are retained. */
const previousCountsMax = 1_440

/** Maximum number of ranges of changed minutes of an SLO that are recorded separately. */
const changedRangesMax = 200

/** Maximum number of budget adjustments of an SLO whose previous definitions are retained. */
const previousAdjustmentsMax = 20

type ChangedTrack = PastChanges["counts"][number]

/** A minute that has changed, with its counts before: not a number if there were none. */
export interface ChangedMinute extends MinuteCount {
  /** The name of the objective, or `overallTrack` for the legacy composite. */
  readonly track: string
}

/** The end of the minutes that can be in the past of an SLO, or of a composite over it, at `now` (Unix milliseconds). */
export const pastMayEndAt = (latestAt: number, now: number): number =>
  Math.max(latestAt, now) - alertedDelayMaxMs

/** Adds the minutes before `before` of which two hours differ; the first is as it was. */
export const addChangedMinutes = (
  changed: Array<ChangedMinute>,
  track: string,
  hourAt: number,
  was: HourOfCounts | undefined,
  is: HourOfCounts | undefined,
  before: number,
): void => {
  const end = Math.min(60, Math.ceil((before - hourAt) / minuteMs))
  for (let minute = 0; minute < end; minute++) {
    const good = (was ?? emptyHour).good[minute] ?? Number.NaN
    const total = (was ?? emptyHour).total[minute] ?? Number.NaN
    const after = is ?? emptyHour
    if (Object.is(good, after.good[minute]) && Object.is(total, after.total[minute])) continue
    changed.push({ track, at: hourAt + minute * minuteMs, good, total })
  }
}

/**
 * The minutes that are more than an hour older than the latest minute that had a count of their track, or of any for the legacy
 * composite, before the recording. Without one, none is, and neither is a minute of `unmeasured` that had no count.
 */
export const pastMinutesOf = (
  changed: ReadonlyArray<ChangedMinute>,
  latestAt: ReadonlyMap<string, number>,
  unmeasured: MinuteRange = { from: 0, to: 0 },
): ReadonlyArray<ChangedMinute> => {
  if (changed.length === 0) return changed
  const latestOfAll = latestOf(latestAt)
  return changed.filter(({ track, at, total }) => {
    if (Number.isNaN(total) && at >= unmeasured.from && at < unmeasured.to) return false
    const latest = track === overallTrack ? latestOfAll : (latestAt.get(track) ?? -Infinity)
    return at < latest - alertedDelayMaxMs
  })
}

/** The minutes that are more than an hour old at `now` (Unix milliseconds), which are in the past for composites over the SLO. */
export const pastMinutesAt = (
  changed: ReadonlyArray<ChangedMinute>,
  now: number,
): ReadonlyArray<ChangedMinute> => changed.filter(({ at }) => at < now - alertedDelayMaxMs)

/** The latest of all tracks. */
export const latestOf = (latestAt: ReadonlyMap<string, number>): number => {
  let latest = -Infinity
  for (const at of latestAt.values()) latest = Math.max(latest, at)
  return latest
}

/**
 * Changes with those of more minutes, of the SLO itself or of a component, at `now` (Unix milliseconds). A minute that changes several
 * times keeps the counts before the first one.
 *
 * The size is bounded. Of more than `previousCountsMax` minutes, no counts are retained. Of more than `changedRangesMax` ranges, those
 * of all tracks become one.
 */
export const withChangedMinutes = (
  changes: PastChanges | undefined,
  minutes: ReadonlyArray<ChangedMinute>,
  now: number,
  component?: ProjectKey,
): PastChanges | undefined => {
  if (minutes.length === 0) return changes
  const key = component && projectKeyText(component)
  const counts = new Map(changes?.counts.map((each) => [trackKey(each), each]))
  const all = counts.get(trackKey({ component: key }))
  if (all !== undefined) counts.set(trackKey(all), { ...all, changedAt: now })
  for (const [track, ofTrack] of groupBy(minutes, (minute) => minute.track)) {
    const before = counts.get(trackKey({ component: key, track }))
    const known = mergeRanges([...(before?.ranges ?? []), ...(all?.ranges ?? [])])
    const added = ofTrack.filter(({ at }) => keptRanges(minuteAt(at), known).length > 0)
    if (added.length === 0) {
      if (before !== undefined) counts.set(trackKey(before), { ...before, changedAt: now })
      continue
    }
    const ranges = mergeRanges([...(before?.ranges ?? []), ...added.map(({ at }) => minuteAt(at))])
    const counted = added.filter(({ total }) => total > 0)
    counts.set(trackKey({ component: key, track }), {
      ...(key !== undefined && { component: key }),
      track,
      changedAt: now,
      ranges,
      before: [...(before?.before ?? []), ...counted.map(({ at, good, total }) => ({ at, good, total }))],
    })
  }
  return { ...changes, counts: bounded([...counts.values()]) }
}

const minuteAt = (at: number): MinuteRange => ({ from: at, to: at + minuteMs })

interface TrackKey {
  readonly component?: string | undefined
  readonly track?: string | undefined
}

const trackKey = ({ component, track }: TrackKey): string => JSON.stringify([component, track])

const bounded = (counts: ReadonlyArray<ChangedTrack>): ReadonlyArray<ChangedTrack> => {
  const sizeOf = (size: (each: ChangedTrack) => number): number =>
    counts.reduce((sum, each) => sum + size(each), 0)
  const isKnown = sizeOf(({ before }) => before.length) <= previousCountsMax
  const known = isKnown ? counts : counts.map((each) => ({ ...each, before: [] }))
  if (sizeOf(({ ranges }) => ranges.length) <= changedRangesMax) return known
  return [...groupBy(known, ({ component }) => component)].map(([component, ofComponent]): ChangedTrack => {
    const hull = hullOf(ofComponent.flatMap(({ ranges }) => ranges))
    const ranges = hull === undefined ? [] : [hull]
    const changedAt = Math.max(...ofComponent.map((each) => each.changedAt))
    return { ...(component !== undefined && { component }), changedAt, ranges, before: [] }
  })
}

/** A budget adjustment before and after a change; `undefined`: it did not exist, or was deleted. */
export interface AdjustmentChange {
  /** Absent if the change created it. */
  readonly before: BudgetAdjustment | undefined
  /** Absent if the change deleted it. */
  readonly after: BudgetAdjustment | undefined
}

/** Those of the changes that change minutes of the past, at `now` (Unix milliseconds). */
export const pastAdjustmentChanges = (
  changed: ReadonlyArray<AdjustmentChange>,
  now: number,
): ReadonlyArray<AdjustmentChange> =>
  changed.filter(
    ({ before, after }) =>
      minutesText(before) !== minutesText(after) &&
      [before, after].some((each) => each !== undefined && adjustsPast(each, now)),
  )

/** Which minutes an adjustment adjusts, and how. */
const minutesText = (adjustment: BudgetAdjustment | undefined): string => {
  if (adjustment === undefined) return ""
  const { slos, sloLabels, period, recurrence, set } = adjustment.spec
  const times = [period?.startTime.ms, period?.endTime?.ms, period?.duration?.ms, recurrence]
  return JSON.stringify([slos, sloLabels?.text, set, adjustment.changedEvents, times])
}

/**
 * Changes with those of budget adjustments at `now`. One that changes several times keeps the definition before the first one; of
 * many, the first `previousAdjustmentsMax` are retained.
 */
export const withChangedAdjustments = (
  changes: PastChanges | undefined,
  changed: ReadonlyArray<AdjustmentChange>,
  now: number,
): PastChanges | undefined => {
  if (changed.length === 0) return changes
  const before = [...(changes?.adjustments?.before ?? [])]
  for (const { before: definition, after } of changed) {
    const metadata = (definition ?? after)?.metadata
    if (metadata === undefined) continue
    const { project, name } = metadata
    if (before.length >= previousAdjustmentsMax) break
    if (before.some((each) => each.project === project && each.name === name)) continue
    before.push({ project, name, ...(definition !== undefined && { definition }) })
  }
  return {
    counts: [],
    ...changes,
    adjustments: { changedAt: now, to: minuteOf(now) + minuteMs, before },
  }
}

/** Whether the past of an objective, or of the legacy composite by `overallTrack`, has changed within an hour before `now`. */
export const hasChangedRecently = (
  { counts, adjustments }: PastChanges,
  slo: Slo,
  objective: string,
  now: number,
): boolean =>
  isRecent(adjustments, now) || counts.some((each) => isRecent(each, now) && concerns(each, slo, objective))

/**
 * The changes of minutes from an instant on that are recent at `now`, or concern one of the objectives; `undefined` without any. Times
 * are in Unix milliseconds.
 */
export const neededChanges = (
  { counts, adjustments }: PastChanges,
  slo: Slo,
  objectives: ReadonlyArray<string>,
  { from, now }: { readonly from: number; readonly now: number },
): PastChanges | undefined => {
  const some = counts.flatMap((each): ReadonlyArray<ChangedTrack> => {
    if (!isRecent(each, now) && !objectives.some((name) => concerns(each, slo, name))) return []
    const ranges = each.ranges.filter(({ to }) => to > from)
    const before = each.before.filter(({ at }) => at >= from)
    return ranges.length === 0 ? [] : [{ ...each, ranges, before }]
  })
  const isNeeded = objectives.length > 0 || isRecent(adjustments, now)
  const adjusted = adjustments !== undefined && isNeeded && adjustments.to > from ? adjustments : undefined
  if (some.length === 0 && adjusted === undefined) return undefined
  return { counts: some, ...(adjusted !== undefined && { adjustments: adjusted }) }
}

const isRecent = (changed: { readonly changedAt: number } | undefined, now: number): boolean =>
  changed !== undefined && now - changed.changedAt <= alertedDelayMaxMs

/** Whether counts are those of an objective, or of one of its components. */
const concerns = ({ component, track }: ChangedTrack, slo: Slo, objective: string): boolean => {
  if (component === undefined) {
    return objective === overallTrack || track === undefined || track === objective
  }
  const found = slo.spec.objectives.find(({ name }) => name === objective)
  return (
    found !== undefined &&
    isCompositeObjective(found) &&
    found.composite.components.some(
      (each) => projectKeyText(each.slo) === component && (track === undefined || track === each.objective),
    )
  )
}

/** Of the SLO itself, or of a component; `undefined` where none has changed. */
export const previousCounts = (
  { counts }: PastChanges,
  component?: ProjectKey,
): PreviousCounts | undefined => {
  const key = component && projectKeyText(component)
  const found = counts.filter((each) => each.component === key)
  if (found.length === 0) return undefined
  const changed = new Map<string, MinuteRanges>()
  const rangesOf = (track: string): MinuteRanges =>
    mergeRanges(
      found.flatMap((each) => (each.track === undefined || each.track === track ? each.ranges : [])),
    )
  return {
    ranges: found.flatMap(({ ranges }) => ranges),
    changed: (track) => {
      const known = changed.get(track) ?? rangesOf(track)
      changed.set(track, known)
      return known
    },
    before: new Map(
      found.flatMap(({ track, before }) =>
        track === undefined || before.length === 0 ? [] : [[track, before] as const],
      ),
    ),
  }
}

/** The minutes of an SLO in a range that adjustments change, as if the adjustments had not changed. */
export const previouslyAdjusted = (
  changed: PastChanges["adjustments"],
  adjustments: ReadonlyArray<BudgetAdjustment>,
  slo: Slo,
  { from, to }: MinuteRange,
): AdjustedMinutes => {
  if (changed === undefined) return adjustedMinutes(adjustments, slo, { from, to })
  const isChanged = ({ metadata }: BudgetAdjustment): boolean =>
    changed.before.some(({ project, name }) => project === metadata.project && name === metadata.name)
  const previous = [
    ...adjustments.filter((each) => !isChanged(each)),
    ...changed.before.flatMap(({ definition }) => definition ?? []),
  ]
  const edge = Math.min(Math.max(from, changed.to), to)
  const past = adjustedMinutes(previous, slo, { from, to: edge })
  const later = adjustedMinutes(adjustments, slo, { from: edge, to })
  return {
    excluded: mergeRanges([...past.excluded, ...later.excluded]),
    set: [...past.set, ...later.set],
  }
}

/** When the past of an SLO last changed, from the first minute with other counts to the last, and the names of adjustments. */
export const changesSummary = ({
  counts,
  adjustments,
}: PastChanges): {
  readonly changedAt: number
  readonly counts?: MinuteRange
  readonly adjustments: ReadonlyArray<string>
} => {
  const hull = hullOf(counts.flatMap(({ ranges }) => ranges))
  return {
    changedAt: Math.max(adjustments?.changedAt ?? -Infinity, ...counts.map(({ changedAt }) => changedAt)),
    ...(hull !== undefined && { counts: hull }),
    adjustments: adjustments?.before.map(({ name }) => name) ?? [],
  }
}

const hullOf = (ranges: ReadonlyArray<MinuteRange>): MinuteRange | undefined =>
  ranges.length === 0
    ? undefined
    : ranges.reduce((a, b) => ({ from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }))
