/** The minutes of SLOs that budget adjustments exclude or set. Source: spec/budget-adjustments. */
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { CountRead, CountSum, CountSumsRead } from "../counts/CountStore.ts"
import {
  addSums,
  carriedMinutes,
  carriedStateMaxMs,
  emptyHour,
  type MinuteCount,
  type MinuteStates,
  type MinuteSums,
  overallHour,
  overallParts,
  partOfTrack,
  sumHour,
  sumMinutes,
  withCounts,
} from "../counts/HourOfCounts.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { overallTrack, sliceRulesOf } from "../slo/SliceRules.ts"
import type { Slo } from "../slo/Slo.ts"
import { plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import { rollingWindowMaxMs } from "../slo/TimeWindow.ts"

/** Ranges in the order of time that neither overlap nor touch. */
export type MinuteRanges = ReadonlyArray<MinuteRange>

/** Minutes whose counts are set to these, for each objective. */
interface SetMinutes extends MinuteRange {
  readonly good: number
  readonly total: number
}

/** No minute is both excluded and set, and none is set twice. */
export interface AdjustedMinutes {
  readonly excluded: MinuteRanges
  readonly set: ReadonlyArray<SetMinutes>
}

export const noAdjustedMinutes: AdjustedMinutes = { excluded: [], set: [] }

/**
 * The minutes of an SLO in a range that adjustments change. Excluding wins over setting, and of two that set a minute the first
 * by project and name.
 */
export const adjustedMinutes = (
  adjustments: ReadonlyArray<BudgetAdjustment>,
  slo: Slo,
  range: MinuteRange,
): AdjustedMinutes => {
  const some = adjustments.filter((each) => adjustsSlo(each, slo.metadata))
  if (some.length === 0) return noAdjustedMinutes
  const excluded = mergeRanges(
    some
      .filter(({ spec }) => spec.set === undefined)
      .flatMap((each) => adjustmentRanges(each, range, slo.metadata)),
  )
  const set = some
    .filter(({ spec }) => spec.set !== undefined)
    .toSorted(byKey)
    .flatMap((each, order) =>
      mergeRanges(adjustmentRanges(each, range, slo.metadata)).map(({ from, to }): OrderedMinutes => ({
        from,
        to,
        good: 0,
        total: 0,
        ...each.spec.set,
        order,
      })),
    )
  return { excluded, set: firstOfEach(set).flatMap((each) => outside(each, excluded)) }
}

interface OrderedMinutes extends SetMinutes {
  readonly order: number
}

/** Of ranges that overlap, in each minute the one that is first in order: in one sweep over their edges. */
const firstOfEach = (ranges: ReadonlyArray<OrderedMinutes>): ReadonlyArray<SetMinutes> => {
  const edges = [...new Set(ranges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const waiting = ranges.toSorted((a, b) => a.from - b.from)
  const found: Array<OrderedMinutes> = []
  let next = 0
  let active: Array<OrderedMinutes> = []
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1]
    if (to === undefined) break
    active = active.filter((each) => each.to > from)
    for (let begun = waiting[next]; begun !== undefined && begun.from <= from; begun = waiting[++next]) {
      active.push(begun)
    }
    const [one, ...others] = active
    if (one === undefined) continue
    const first = others.reduce((first, each) => (each.order < first.order ? each : first), one)
    const last = found.at(-1)
    if (last !== undefined && last.to === from && last.order === first.order) {
      found[found.length - 1] = { ...last, to }
    } else found.push({ ...first, from, to })
  }
  return found
}

/** The parts of set minutes outside other ranges. */
const outside = (minutes: SetMinutes, others: MinuteRanges): ReadonlyArray<SetMinutes> =>
  keptRanges(minutes, others).map(({ from, to }) => ({ ...minutes, from, to }))

/** The minutes of a range that an adjustment adjusts, for an SLO; without one, for any. */
export const adjustmentRanges = (
  adjustment: BudgetAdjustment,
  range: MinuteRange,
  slo?: ProjectKey,
): MinuteRanges => adjustmentPeriods(adjustment, range, slo).map((each) => cut(each, range))

/** The periods of an adjustment that overlap a range, as a whole, by their start; for an SLO, or without one for any. */
export const adjustmentPeriods = (
  adjustment: BudgetAdjustment,
  range: MinuteRange,
  slo?: ProjectKey,
): MinuteRanges => {
  const periods = periodsOfRule(adjustment, range)
  const { changedEvents = [] } = adjustment
  if (changedEvents.length === 0) return periods
  const changed = changedEvents.filter(
    (each) => slo === undefined || projectKeyText(each.slo) === projectKeyText(slo),
  )
  const replaced = slo === undefined ? new Set<number>() : new Set(changed.map(({ from }) => from))
  const updated = changed
    .flatMap(({ update }) => (update === undefined ? [] : [wholeMinutes(update)]))
    .filter(({ from, to }) => from < range.to && range.from < to)
  return [...periods.filter(({ from }) => !replaced.has(from)), ...updated].toSorted(
    (a, b) => a.from - b.from,
  )
}

/** The minutes that a period touches. */
export const wholeMinutes = ({ from, to }: MinuteRange): MinuteRange => ({
  from: minuteOf(from),
  to: Math.ceil(to / minuteMs) * minuteMs,
})

/** The periods that the rule of an adjustment says, without changed events. */
export const periodsOfRule = (
  { spec: { period, recurrence } }: BudgetAdjustment,
  range: MinuteRange,
): MinuteRanges => {
  if (recurrence !== undefined) return recurrence.ranges(range)
  if (period === undefined) return []
  const start = period.startTime.ms
  const end = period.endTime?.ms ?? start + (period.duration?.ms ?? 0)
  const whole = wholeMinutes({ from: start, to: end })
  return whole.from < range.to && range.from < whole.to ? [whole] : []
}

/** Whether an adjustment adjusts a minute until `now` (Unix milliseconds) within the longest time window. */
export const adjustsPast = (adjustment: BudgetAdjustment, now: number): boolean => {
  const to = minuteOf(now) + minuteMs
  // Most have one soon before, and finding the occurrences of a year takes a while.
  return [dayMs, 32 * dayMs, rollingWindowMaxMs].some(
    (lookbackMs) => adjustmentRanges(adjustment, { from: to - lookbackMs, to }).length > 0,
  )
}

const cut = (a: MinuteRange, b: MinuteRange): MinuteRange => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
})

const byKey = ({ metadata: a }: BudgetAdjustment, { metadata: b }: BudgetAdjustment): number =>
  a.project === b.project ? (a.name < b.name ? -1 : 1) : a.project < b.project ? -1 : 1

/** Adjustments of a component and of the composite that it is part of: those of the composite win. */
export const bothAdjusted = (composite: AdjustedMinutes, component: AdjustedMinutes): AdjustedMinutes => {
  if (composite.excluded.length === 0) return component
  const excluded = mergeRanges([...composite.excluded, ...component.excluded])
  return {
    excluded,
    set: component.set.flatMap((each) => outside(each, composite.excluded)),
  }
}

/** The minutes of any of the ranges. */
export const mergeRanges = (ranges: ReadonlyArray<MinuteRange>): MinuteRanges => {
  const merged: Array<MinuteRange> = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from >= to) continue
    const last = merged.at(-1)
    if (last === undefined || from > last.to) merged.push({ from, to })
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) }
  }
  return merged
}

/** Those of ranges in order that have a minute in common with a range. */
export const overlapping = <R extends MinuteRange>(
  ranges: ReadonlyArray<R>,
  { from, to }: MinuteRange,
): ReadonlyArray<R> => {
  const first = placeOf(ranges, (each) => each.to > from)
  return ranges.slice(
    first,
    Math.max(
      first,
      placeOf(ranges, (each) => each.from >= to),
    ),
  )
}

/** The place of the first range that meets a condition which all behind it meet too. */
const placeOf = <R extends MinuteRange>(ranges: ReadonlyArray<R>, isMet: (range: R) => boolean): number => {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range !== undefined && isMet(range)) high = middle
    else low = middle + 1
  }
  return low
}

/** The parts of a range outside other ranges. */
export const keptRanges = ({ from, to }: MinuteRange, others: MinuteRanges): MinuteRanges => {
  const kept: Array<MinuteRange> = []
  let start = from
  for (const each of overlapping(others, { from, to })) {
    if (each.from > start) kept.push({ from: start, to: each.from })
    start = each.to
  }
  if (start < to) kept.push({ from: start, to })
  return kept
}

/** How many minutes ranges have together. */
export const minutesOf = (ranges: MinuteRanges): number =>
  ranges.reduce((sum, { from, to }) => sum + (to - from) / minuteMs, 0)

/** How many minutes of a range are outside the excluded ranges. */
export const keptMinutes = (range: MinuteRange, excluded: MinuteRanges): number =>
  minutesOf(keptRanges(range, excluded))

/** The counts of an SLO before some of its minutes changed. */
export interface PreviousCounts {
  /** The minutes of any track that have changed. */
  readonly ranges: ReadonlyArray<MinuteRange>
  /** Those of one track. */
  readonly changed: (track: string) => MinuteRanges
  /** What was counted before in minutes that have changed, by track. */
  readonly before: ReadonlyMap<string, ReadonlyArray<MinuteCount>>
}

/**
 * Reads only what is not adjusted of each range, and adds to it what is set: what is read then is as if the ranges had been read
 * whole from adjusted counts. Of `slo`, only minutes before `asOf` (Unix milliseconds) are set. With `previous`, as if its minutes
 * had not changed.
 */
export const readAdjusted = (
  read: CountRead,
  { excluded, set }: AdjustedMinutes,
  slo: Slo | undefined,
  asOf: number,
  previous?: PreviousCounts,
): {
  readonly isAdjusted: boolean
  readonly read: CountRead
  readonly join: (found: CountSumsRead) => CountSumsRead
} => {
  const isAdjusted = excluded.length > 0 || set.length > 0
  if (!isAdjusted && previous === undefined) return { isAdjusted, read, join: (found) => found }
  const replaced = mergeRanges([...excluded, ...set])
  const edges = [...new Set(previous?.ranges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const kept = read.ranges.map((range) => keptRanges(range, replaced).flatMap((each) => splitAt(each, edges)))
  const sumsByCount = new Map<string, ReadonlyArray<CountSum>>()
  const sumsOf = (count: SetMinutes): ReadonlyArray<CountSum> => {
    if (slo === undefined) return []
    const key = `${count.good} ${count.total}`
    const sums = sumsByCount.get(key) ?? sumsOfMinute(slo, count)
    sumsByCount.set(key, sums)
    return sums
  }
  const rules = slo === undefined || previous === undefined ? [] : sliceRulesOf(slo)
  const restored = [...(previous?.before ?? [])].map(([objective, counts]) => ({
    objective,
    part: partOfTrack(rules, objective),
    counts: counts.filter(({ at }) => overlapping(replaced, { from: at, to: at + minuteMs }).length === 0),
  }))
  const isUnchanged = (part: MinuteRange, { objective }: CountSum): boolean =>
    previous === undefined || overlapping(previous.changed(objective), part).length === 0
  return {
    isAdjusted,
    read: { ...read, ranges: kept.flat() },
    join: ({ sums, latestAt }) => {
      let next = 0
      return {
        latestAt,
        sums: read.ranges.map((range, index) => {
          const found = (kept[index] ?? []).map((part) =>
            (sums[next++] ?? []).filter((sum) => isUnchanged(part, sum)),
          )
          const past = { from: range.from, to: Math.min(range.to, asOf) }
          const added = overlapping(set, past).map((each) => {
            const { from, to } = cut(each, past)
            return sumsOf(each).map((sum) => times(sum, (to - from) / minuteMs))
          })
          const before = restored.flatMap(({ objective, part, counts }) => {
            const within = counts.filter(({ at }) => at >= range.from && at < range.to)
            // Other minutes are between them, which matters for states.
            const parts = part?.hasStates === true ? within.map((count) => [count]) : [within]
            return parts.flatMap((some) => {
              const sum = sumMinutes(some, part)
              return sum === undefined ? [] : [{ objective, ...sum }]
            })
          })
          return addUpTracks([...found, ...added, before])
        }),
      }
    },
  }
}

/**
 * Reads like `readAdjusted`, and the minutes without events that follow a bad one, by track: `carried`. A state is carried
 * neither across adjusted minutes nor beyond `knownTo` (Unix milliseconds). A track without a state in a range is left out.
 */
export const readCarried = (
  read: CountRead,
  adjusted: AdjustedMinutes,
  slo: Slo,
  asOf: number,
  knownTo: number,
  previous?: PreviousCounts,
) => {
  const { ranges } = read
  const replaced = mergeRanges([...adjusted.excluded, ...adjusted.set])
  const partsOf = ranges.map((range) => keptRanges(range, replaced))
  const parts = partsOf.flat()
  const before = parts.map(({ from }): MinuteRange => {
    const last = keptRanges({ from: from - carriedStateMaxMs, to: from }, replaced).at(-1)
    return last?.to === from ? last : { from, to: from }
  })
  const {
    isAdjusted,
    read: planned,
    join,
  } = readAdjusted(
    { ...read, ranges: [...ranges, ...parts, ...before], hasStates: true },
    adjusted,
    slo,
    asOf,
    previous,
  )
  return {
    isAdjusted,
    read: planned,
    join: (found: CountSumsRead) => {
      const { sums, latestAt } = join(found)
      const statesAt = (index: number) =>
        new Map((sums[index] ?? []).map(({ objective, states }) => [objective, states]))
      let next = 0
      const carried = partsOf.map((ofRange) => {
        const byTrack = new Map<string, number>()
        for (const part of ofRange) {
          const index = ranges.length + next++
          const [own, earlier] = [statesAt(index), statesAt(index + parts.length)]
          for (const track of new Set([...own.keys(), ...earlier.keys()])) {
            const bad = carriedBad(part, own.get(track), earlier.get(track), knownTo)
            if (bad !== undefined) byTrack.set(track, (byTrack.get(track) ?? 0) + bad)
          }
        }
        return byTrack
      })
      return { sums: sums.slice(0, ranges.length), latestAt, carried }
    },
  }
}

/** The minutes of a range without events that follow a bad one; `undefined` if no minute has a state. */
const carriedBad = (
  { from, to }: MinuteRange,
  own: MinuteStates | undefined,
  before: MinuteStates | undefined,
  knownTo: number,
): number | undefined => {
  const end = Math.max(from, Math.min(to, knownTo))
  let bad = own?.carriedBad ?? 0
  if (before?.events !== undefined && !before.events.isLastGood) {
    const { lastAt } = before.events
    bad += carriedMinutes(lastAt, own?.events?.firstAt ?? end) - carriedMinutes(lastAt, from)
  }
  if (own?.events !== undefined && !own.events.isLastGood) bad += carriedMinutes(own.events.lastAt, end)
  return own?.events === undefined && before?.events === undefined ? undefined : bad
}

/** The parts of a range between edges, which are in order. */
const splitAt = (range: MinuteRange, edges: ReadonlyArray<number>): ReadonlyArray<MinuteRange> => {
  const parts: Array<MinuteRange> = []
  let { from } = range
  for (const edge of edges) {
    if (edge <= from) continue
    if (edge >= range.to) break
    parts.push({ from, to: edge })
    from = edge
  }
  return [...parts, { from, to: range.to }]
}

const addUpTracks = (parts: ReadonlyArray<ReadonlyArray<CountSum>>): ReadonlyArray<CountSum> => {
  const byTrack = new Map<string, CountSum>()
  // In the order of time, as states are added up in.
  const inTime = parts
    .flat()
    .toSorted((a, b) => (a.states?.events?.firstAt ?? 0) - (b.states?.events?.firstAt ?? 0))
  for (const { objective, ...sums } of inTime) {
    byTrack.set(objective, { objective, ...addSums(byTrack.get(objective), sums) })
  }
  return [...byTrack.values()]
}

/** The sums of each track of an SLO over one minute in which each objective has the same counts. */
const sumsOfMinute = (slo: Slo, count: { readonly good: number; readonly total: number }) => {
  const rules = sliceRulesOf(slo)
  const hour = withCounts(emptyHour, [{ at: 0, ...count }])
  const objectives = plainObjectivesOf(slo).map(({ name }) => name)
  const hours = new Map(objectives.map((name) => [name, hour]))
  const parts = overallParts(rules)
  if (parts !== undefined) hours.set(overallTrack, overallHour(parts, hours))
  return [...hours].flatMap(([objective, each]): ReadonlyArray<CountSum> => {
    const sums = sumHour(each, partOfTrack(rules, objective), { from: 0, to: minuteMs })
    return sums === undefined ? [] : [{ objective, ...sums }]
  })
}

const times = (sum: CountSum, minutes: number): CountSum => {
  const { objective, ...sums } = sum
  const multiplied: MinuteSums = {
    good: sums.good * minutes,
    total: sums.total * minutes,
    minutes: sums.minutes * minutes,
    goodShares: sums.goodShares * minutes,
    goodMinutes: sums.goodMinutes * minutes,
    // Which minutes they are of is lost: no state is carried to or from them.
    ...(sums.states !== undefined && {
      states: { counted: sums.states.counted * minutes, carriedBad: 0 },
    }),
  }
  return { objective, ...multiplied }
}
