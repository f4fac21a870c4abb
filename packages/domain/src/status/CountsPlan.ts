import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { CountRead, CountSum, CountSumsRead } from "../counts/CountStore.ts"
import {
  bothAdjusted,
  keptMinutes,
  type MinuteRanges,
  noAdjustedMinutes,
  readAdjusted,
  readCarried,
} from "./AdjustedMinutes.ts"
import { type GoodTotal, objectiveStatus } from "./ErrorBudget.ts"
import type { PastChanges } from "./StoredPastChanges.ts"
import { previousCounts, previouslyAdjusted } from "./PastChanges.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange, RangeList } from "../codec/MinuteRange.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { objectivesOf, plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Component } from "../slo/CompositeObjective.ts"
import {
  carriesState,
  countsAbsent,
  countsMissingMinutes,
  isCompositeObjective,
  treatsZeroAsNoData,
} from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import { isCalendarWindow, windowDays } from "../slo/WindowLength.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"
import { burnRateRange, type WindowAt } from "../slo/WindowAt.ts"

/** The counts to read for an SLO, and how good and total follow from them. */
export interface CountsPlan {
  readonly reads: ReadonlyArray<CountRead>
  /** Interprets the results of `reads`, in order. */
  readonly interpret: (found: ReadonlyArray<CountSumsRead>) => CountsReading
}

export interface CountsReading {
  /**
   * Good and total over one of the ranges of the plan; `undefined` without events.
   *
   * Events with Occurrences. Minutes with Timeslices and for the legacy composite, with all minutes of `lengthMs` (by
   * default the length of the range) as total, or those with events (`emptyTimeSlices`). Weighted minutes for a composite objective.
   * With minutes without data that count (`absent`).
   */
  readonly goodTotal: (track: string, range: MinuteRange, lengthMs?: number) => GoodTotal | undefined
  /**
   * The part of the `lengthMs` from the start of a range that counts, in milliseconds: with Timeslices and for the legacy
   * composite without the minutes that are excluded, otherwise all of it.
   */
  readonly countedMs: (track: string, range: MinuteRange, lengthMs: number) => number
  /** The events over one of the ranges of the plan; of composites those of all components. */
  readonly events: (track: string, range: MinuteRange) => GoodTotal
  /** Whether there are counts in one of the ranges of the plan, even of minutes without events; of composites those of any component. */
  readonly hasCounts: (track: string, range: MinuteRange) => boolean
  /** The sums of one of the SLO's own tracks over one of the ranges of the plan; `undefined` without counts. */
  readonly ownSum: (track: string, range: MinuteRange) => CountSum | undefined
  /** The start of the latest minute that has a count, of a composite that of any component or objective. */
  readonly latestAt: (track: string) => number | undefined
  /** Whether time alone can change what is counted: there are counts in a range or ahead, or minutes that get late. */
  readonly isMoving: boolean
}

/**
 * Plans the counts to read for an SLO over the ranges of a list at `now` (Unix milliseconds); `componentOf` returns the SLOs
 * of the components.
 *
 * `adjustments` are at least those of the SLO and of the components. What excludes minutes of an SLO with composite objectives
 * excludes them for all its components; what adjusts a component does so wherever it is one.
 *
 * With `without`, counts and adjustments are those before these changes. With `only`, the counts of other tracks may not be read.
 *
 * For components, the part of a range with late minutes is read too: from the creation of both SLOs to `maxDelay`
 * before the end of the current minute. Where minutes without data count, those of a range are read from the creation of the SLO to
 * `absentAfterMs` before the end of the current minute, and to `readTo` (Unix milliseconds), up to which its data source was read.
 */
export const planCounts = (
  organization: OrganizationId,
  stored: StoredDefinition<Slo>,
  list: RangeList,
  now: number,
  componentOf: (slo: ProjectKey) => StoredDefinition<Slo> | undefined,
  adjustments: ReadonlyArray<BudgetAdjustment> = [],
  readTo = Infinity,
  without?: PastChanges,
  only?: string,
): CountsPlan => {
  const { ranges } = list
  const indexOf = (range: MinuteRange): number => list.indexOf(range)
  const slo = stored.definition
  const { project, name } = slo.metadata
  const asOf = minuteOf(now) + minuteMs
  const hull = hullOf(ranges, slo)
  const adjustedOf = (slo: Slo | undefined) =>
    slo === undefined || (adjustments.length === 0 && without?.adjustments === undefined)
      ? noAdjustedMinutes
      : previouslyAdjusted(without?.adjustments, adjustments, slo, hull)
  const previousOf = (component?: ProjectKey) => without && previousCounts(without, component)
  const ownAdjusted = adjustedOf(slo)
  const composites = compositesOf(slo, only).map((objective) => {
    const { maxDelay, components } = objective.composite
    const lateTo = asOf - maxDelay.ms
    const slos = distinctSlos(components).map((key) => {
      const component = componentOf(key)
      const createdAt = Math.max(stored.createdAt, component?.createdAt ?? 0)
      return {
        key,
        slo: component?.definition,
        adjusted: bothAdjusted(ownAdjusted, adjustedOf(component?.definition)),
        isTimeslices: component?.definition.spec.budgetingMethod === "Timeslices",
        late: ranges.map((range) => lateRange(range, createdAt, lateTo)),
        absent: component && absentPlan(component, ranges, asOf),
      }
    })
    return { objective, slos, tracks: tracksBySlo(components) }
  })
  const absent = absentPlan(stored, ranges, asOf, readTo)
  const ownRead: CountRead = {
    organization,
    slo: { project, name },
    ranges: absent === undefined ? ranges : [...ranges, ...absent.ranges],
    ...(absent !== undefined && { hasStates: true }),
    // The legacy composite is computed from all.
    ...(only !== undefined && only !== overallTrack && { tracks: new Set([only]) }),
  }
  const own = carriesState(slo)
    ? readCarried(ownRead, ownAdjusted, slo, asOf, Math.min(asOf, readTo + minuteMs), previousOf())
    : readAdjusted(ownRead, ownAdjusted, slo, asOf, previousOf())
  const planned = [
    own,
    ...composites.flatMap(({ slos, tracks }) =>
      slos.map(({ key, slo, adjusted, late, absent }) =>
        readAdjusted(
          {
            organization,
            slo: key,
            ranges: [...ranges, ...late, ...(absent?.ranges ?? [])],
            tracks: tracks.get(projectKeyText(key)) ?? new Set(),
            ...(absent !== undefined && { hasStates: true }),
          },
          adjusted,
          slo,
          asOf,
          previousOf(key),
        ),
      ),
    ),
  ]
  return {
    reads: planned.map(({ read }) => read),
    interpret: (read) => {
      const found = read.map((each, index): ReadSums => planned[index]?.join(each) ?? each)
      const ownSum = sumsByTrack(found[0])
      const own = ownCounts(
        slo,
        (track, range) => ownSum(indexOf(range), track),
        found[0],
        ownAdjusted.excluded,
        {
          minutes: (track, range) =>
            absent?.minutes(track, indexOf(range), ownSum, ranges.length, ownAdjusted.excluded),
          carried: (track, range) => found[0]?.carried?.[indexOf(range)]?.get(track),
        },
      )
      let next = 1
      const byObjective = new Map(
        composites.map(({ objective, slos }) => {
          const foundByKey = new Map(
            slos.map(({ key, adjusted: { excluded }, isTimeslices, late, absent }) => {
              const ofSlo = found[next++]
              const sumOf = sumsByTrack(ofSlo)
              return [
                projectKeyText(key),
                { excluded, isTimeslices, late, absent, sumOf, latestAt: ofSlo?.latestAt },
              ] as const
            }),
          )
          return [
            objective.name,
            compositeCounts(objective.composite.components, indexOf, foundByKey),
          ] as const
        }),
      )
      const countsOf = (track: string): TrackCounts => byObjective.get(track) ?? own
      return {
        goodTotal: (track, range, lengthMs = range.to - range.from) =>
          countsOf(track).goodTotal(track, range, lengthMs),
        countedMs: (track, range, lengthMs) => countsOf(track).countedMs(track, range, lengthMs),
        events: (track, range) => countsOf(track).events(track, range),
        hasCounts: (track, range) => countsOf(track).hasCounts(track, range),
        ownSum: (track, range) => ownSum(indexOf(range), track),
        latestAt: (track) => countsOf(track).latestAt(track),
        isMoving:
          found.some(
            ({ sums, latestAt }) =>
              sums.some((each) => each.length > 0) || [...latestAt.values()].some((at) => at >= asOf),
          ) ||
          planned.some(({ isAdjusted }) => isAdjusted) ||
          adjustments.some(({ spec }) => spec.set !== undefined) ||
          absent !== undefined ||
          composites.some(
            ({ objective, slos }) =>
              countsMissingMinutes(objective) || slos.some(({ absent }) => absent !== undefined),
          ),
      }
    },
  }
}

/** What is read of an SLO, with the bad minutes without events of each range and track, where states are carried. */
interface ReadSums extends CountSumsRead {
  readonly carried?: ReadonlyArray<ReadonlyMap<string, number>>
}

/**
 * Time after the end of a minute for which its counts may arrive before the minute counts as one without data (`absent`), in
 * milliseconds.
 */
export const absentAfterMs = 5 * minuteMs

/** What minutes without data count as. */
interface AbsentMinutes {
  readonly minutes: number
  readonly areGood: boolean
}

interface AbsentPlan {
  /** Of each range, the part whose minutes have no data if they have no counts. */
  readonly ranges: ReadonlyArray<MinuteRange>
  /** The minutes without data of the range at a place, where they count; the sums of `ranges` are at places from `first`. */
  readonly minutes: (
    track: string,
    index: number,
    sumOf: (index: number, track: string) => CountSum | undefined,
    first: number,
    excluded: MinuteRanges,
  ) => AbsentMinutes | undefined
}

/** Plans the minutes without data of an SLO, if they count for any of its objectives. */
const absentPlan = (
  { definition: slo, createdAt }: StoredDefinition<Slo>,
  ranges: ReadonlyArray<MinuteRange>,
  asOf: number,
  readTo = Infinity,
): AbsentPlan | undefined => {
  const counting = new Map(
    plainObjectivesOf(slo)
      .filter(countsAbsent)
      .map(({ name, absent }) => [name, absent === "good"]),
  )
  if (counting.size === 0) return undefined
  const to = absentTo(asOf, readTo)
  const isZeroAbsent = treatsZeroAsNoData(slo)
  const known = ranges.map((range) => lateRange(range, createdAt, to))
  return {
    ranges: known,
    minutes: (track, index, sumOf, first, excluded) => {
      const areGood = counting.get(track)
      const range = known[index]
      if (areGood === undefined || range === undefined) return undefined
      const withoutCounts = keptMinutes(range, excluded) - (sumOf(first + index, track)?.states?.counted ?? 0)
      const sum = isZeroAbsent ? sumOf(index, track) : undefined
      const withoutEvents = (sum?.states?.counted ?? 0) - (sum?.minutes ?? 0)
      return { minutes: withoutCounts + withoutEvents, areGood }
    },
  }
}

/** The composite objectives that are read for one track, or for all. */
const compositesOf = ({ spec }: Slo, only: string | undefined) =>
  spec.objectives.filter(isCompositeObjective).filter(({ name }) => only === undefined || only === name)

/** From the earliest start of the ranges to the latest end, or that of a calendar window. */
const hullOf = (ranges: ReadonlyArray<MinuteRange>, { spec }: Slo): MinuteRange => {
  let from = Infinity
  let to = 0
  for (const range of ranges) {
    from = Math.min(from, range.from)
    to = Math.max(to, range.to)
  }
  const { timeWindow } = spec
  // A calendar window can be two days longer than the average of its unit.
  return { from, to: isCalendarWindow(timeWindow) ? to + (windowDays(timeWindow) + 2) * dayMs : to }
}

/** Up to which minute those without counts have no data, if the data source of the SLO was read to `readTo`. */
export const absentTo = (asOf: number, readTo = Infinity): number =>
  Math.min(asOf - absentAfterMs, minuteOf(Math.min(readTo, asOf)))

/** The part of a range whose minutes are late, or absent, if they have no counts: from the creation of an SLO to `lateTo`. */
export const lateRange = (range: MinuteRange, createdAt: number, lateTo: number): MinuteRange => {
  // The minute in which an SLO was created is not counted.
  const from = Math.max(range.from, minuteOf(createdAt + minuteMs - 1))
  return { from, to: Math.max(from, Math.min(range.to, lateTo)) }
}

const distinctSlos = (components: ReadonlyArray<Component>): ReadonlyArray<ProjectKey> => [
  ...new Map(components.map(({ slo }) => [projectKeyText(slo), slo])).values(),
]

const tracksBySlo = (components: ReadonlyArray<Component>): ReadonlyMap<string, ReadonlySet<string>> => {
  const tracks = new Map<string, Set<string>>()
  for (const { slo, objective } of components) {
    const ofSlo = tracks.get(projectKeyText(slo)) ?? new Set()
    tracks.set(projectKeyText(slo), ofSlo.add(objective))
  }
  return tracks
}

interface TrackCounts {
  readonly goodTotal: (track: string, range: MinuteRange, lengthMs: number) => GoodTotal | undefined
  readonly countedMs: CountsReading["countedMs"]
  readonly events: (track: string, range: MinuteRange) => GoodTotal
  readonly hasCounts: CountsReading["hasCounts"]
  readonly latestAt: (track: string) => number | undefined
}

/** The place of a range among those that were read; -1 for one that was not. */
type IndexOf = (range: MinuteRange) => number

/** Finds the sums of a track over the range at a place. Of many tracks, all are put in order when one is first asked for. */
const sumsByTrack = (
  found: CountSumsRead | undefined,
): ((index: number, track: string) => CountSum | undefined) => {
  const byTrack: Array<ReadonlyMap<string, CountSum>> = []
  return (index, track) => {
    const sums = found?.sums[index] ?? []
    return sums.length <= comparedTracksMax
      ? sums.find(({ objective }) => objective === track)
      : (byTrack[index] ??= new Map(sums.map((sum) => [sum.objective, sum]))).get(track)
  }
}

const comparedTracksMax = 4

const ownCounts = (
  slo: Slo,
  ownSum: CountsReading["ownSum"],
  found: CountSumsRead | undefined,
  excluded: MinuteRanges,
  empty: {
    readonly minutes: (track: string, range: MinuteRange) => AbsentMinutes | undefined
    readonly carried: (track: string, range: MinuteRange) => number | undefined
  },
): TrackCounts => {
  const areEmptyIgnored = slo.spec.emptyTimeSlices === "ignored"
  const countsEvents = (track: string): boolean =>
    track !== overallTrack && slo.spec.budgetingMethod === "Occurrences"
  // An SLO with a legacy composite has plain objectives only.
  const objectivesIn = (track: string): ReadonlyArray<string> =>
    track === overallTrack ? objectivesOf(slo).map(({ name }) => name) : [track]
  const countedMs: TrackCounts["countedMs"] = (track, { from }, lengthMs) =>
    countsEvents(track) || areEmptyIgnored
      ? lengthMs
      : keptMinutes({ from, to: from + lengthMs }, excluded) * minuteMs
  return {
    goodTotal: (track, range, lengthMs) => {
      const sum = ownSum(track, range) ?? noMinutes
      const { minutes: absent, areGood } = empty.minutes(track, range) ?? noAbsentMinutes
      const carried = empty.carried(track, range)
      if (sum.minutes + absent === 0 && carried === undefined) return undefined
      if (countsEvents(track)) {
        if (absent === 0) return sum
        // As many events as those with events have on average, so that it weighs as much as one of them.
        const events = absent * (sum.minutes === 0 ? 1 : sum.total / sum.minutes)
        return { good: areGood ? sum.good + events : sum.good, total: sum.total + events }
      }
      const bad = sum.minutes - sum.goodMinutes + (areGood ? 0 : absent) + (carried ?? 0)
      const total = areEmptyIgnored ? sum.minutes + absent : countedMs(track, range, lengthMs) / minuteMs
      return { good: total - bad, total }
    },
    countedMs,
    events: (track, range) => addUp(objectivesIn(track).map((name) => ownSum(name, range))),
    hasCounts: (track, range) => objectivesIn(track).some((name) => ownSum(name, range) !== undefined),
    latestAt: (track) => latestOf(objectivesIn(track).map((name) => found?.latestAt.get(name))),
  }
}

const latestOf = (instants: ReadonlyArray<number | undefined>): number | undefined => {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

const addUp = (sums: ReadonlyArray<GoodTotal | undefined>): GoodTotal => {
  let good = 0
  let total = 0
  for (const sum of sums) {
    good += sum?.good ?? 0
    total += sum?.total ?? 0
  }
  return { good, total }
}

interface ComponentSums {
  readonly excluded: MinuteRanges
  readonly isTimeslices: boolean
  /** Of each range, the part whose minutes are late where they have no events. */
  readonly late: ReadonlyArray<MinuteRange>
  readonly absent: AbsentPlan | undefined
  readonly sumOf: ReturnType<typeof sumsByTrack>
  readonly latestAt: CountSumsRead["latestAt"] | undefined
}

/** The track of a composite objective: the weighted minutes of its components. */
const compositeCounts = (
  components: ReadonlyArray<Component>,
  indexOf: IndexOf,
  foundBySlo: ReadonlyMap<string, ComponentSums>,
): TrackCounts => {
  const parts = components.map((component) => ({
    ...component,
    found: foundBySlo.get(projectKeyText(component.slo)),
  }))
  const minutesOf = ({ found, objective, whenDelayed }: (typeof parts)[number], index: number): GoodTotal => {
    const { minutes, goodShares, goodMinutes } = found?.sumOf(index, objective) ?? noMinutes
    const good = found?.isTimeslices === true ? goodMinutes : goodShares
    const range = found?.late[index]
    if (found === undefined || range === undefined) return { good, total: minutes }
    if (whenDelayed === "Ignore") {
      const first = 2 * found.late.length
      const absent =
        found.absent?.minutes(objective, index, found.sumOf, first, found.excluded) ?? noAbsentMinutes
      return { good: absent.areGood ? good + absent.minutes : good, total: minutes + absent.minutes }
    }
    const withEvents = found.sumOf(found.late.length + index, objective)?.minutes ?? 0
    const missing = keptMinutes(range, found.excluded) - withEvents
    return { good: whenDelayed === "CountAsGood" ? good + missing : good, total: minutes + missing }
  }
  return {
    goodTotal: (_track, range) => {
      const index = indexOf(range)
      let good = 0
      let total = 0
      for (const part of parts) {
        const minutes = minutesOf(part, index)
        good += part.weight * minutes.good
        total += part.weight * minutes.total
      }
      // Sums of shares carry the noise of binary fractions: no more is good than there is.
      return total > 0 ? { good: Math.min(good, total), total } : undefined
    },
    countedMs: (_track, _range, lengthMs) => lengthMs,
    events: (_track, range) =>
      addUp(parts.map(({ found, objective }) => found?.sumOf(indexOf(range), objective))),
    hasCounts: (_track, range) =>
      parts.some(({ found, objective }) => found?.sumOf(indexOf(range), objective) !== undefined),
    latestAt: () => latestOf(parts.map(({ found, objective }) => found?.latestAt?.get(objective))),
  }
}

const noMinutes = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }

const noAbsentMinutes: AbsentMinutes = { minutes: 0, areGood: true }

/**
 * Computes the metrics of the objectives by name, and of the legacy composite by `overallTrack`.
 *
 * The counts must have been read over the window's range and its `burnRateRange`.
 */
export const sloStatus = (
  slo: Slo,
  at: WindowAt,
  counts: CountsReading,
): ReadonlyMap<string, ObjectiveStatus> => {
  const recent = burnRateRange(at)
  return new Map(
    Array.from(targetsOf(slo), ([track, target]) => [
      track,
      objectiveStatus(
        target,
        counts.countedMs(track, at.range, at.lengthMs),
        counts.goodTotal(track, at.range, at.lengthMs),
        counts.goodTotal(track, recent),
      ),
    ]),
  )
}
