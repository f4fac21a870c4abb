import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { CountRead, CountSumsRead, CountSum } from "../counts/CountStore.ts"
import {
  bothAdjusted,
  keptMinutes,
  type MinuteRanges,
  noAdjustedMinutes,
  readAdjusted,
} from "./AdjustedMinutes.ts"
import type { GoodTotal } from "./ErrorBudget.ts"
import { type PastChanges, previousCounts, previouslyAdjusted } from "./PastChanges.ts"
import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange, RangeList } from "../codec/MinuteRange.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Component } from "../slo/CompositeObjective.ts"
import { countsMissingMinutes, isCompositeObjective, type Slo } from "../slo/Slo.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import { isCalendarWindow, windowDays } from "../slo/WindowLength.ts"

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
   * default the length of the range) as total. Weighted minutes for a composite objective.
   */
  readonly goodTotal: (track: string, range: MinuteRange, lengthMs?: number) => GoodTotal | undefined
  /**
   * The part of the `lengthMs` from the start of a range that counts, in milliseconds: with Timeslices and for the legacy
   * composite without the minutes that are excluded, otherwise all of it.
   */
  readonly countedMs: (track: string, range: MinuteRange, lengthMs: number) => number
  /** The events over one of the ranges of the plan; of composites those of all components. */
  readonly events: (track: string, range: MinuteRange) => GoodTotal
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
 * With `without`, counts and adjustments are those before these changes.
 *
 * For components, the part of a range with late minutes is read too: from the creation of both SLOs to `maxDelay`
 * before the end of the current minute.
 */
export const planCounts = (
  organization: OrganizationId,
  stored: StoredDefinition<Slo>,
  list: RangeList,
  now: number,
  componentOf: (slo: ProjectKey) => StoredDefinition<Slo> | undefined,
  adjustments: ReadonlyArray<BudgetAdjustment> = [],
  without?: PastChanges,
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
  const composites = slo.spec.objectives.filter(isCompositeObjective).map((objective) => {
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
      }
    })
    return { objective, slos, tracks: tracksBySlo(components) }
  })
  const planned = [
    readAdjusted({ organization, slo: { project, name }, ranges }, ownAdjusted, slo, asOf, previousOf()),
    ...composites.flatMap(({ slos, tracks }) =>
      slos.map(({ key, slo, adjusted, late }) =>
        readAdjusted(
          {
            organization,
            slo: key,
            ranges: [...ranges, ...late],
            tracks: tracks.get(projectKeyText(key)) ?? new Set(),
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
      const found = read.map((each, index) => planned[index]?.join(each) ?? each)
      const ownSum = sumsByTrack(found[0])
      const own = ownCounts(
        slo,
        (track, range) => ownSum(indexOf(range), track),
        found[0],
        ownAdjusted.excluded,
      )
      let next = 1
      const byObjective = new Map(
        composites.map(({ objective, slos }) => {
          const foundByKey = new Map(
            slos.map(({ key, adjusted: { excluded }, isTimeslices, late }) => {
              const ofSlo = found[next++]
              const sumOf = sumsByTrack(ofSlo)
              return [
                projectKeyText(key),
                { excluded, isTimeslices, late, sumOf, latestAt: ofSlo?.latestAt },
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
        ownSum: (track, range) => ownSum(indexOf(range), track),
        latestAt: (track) => countsOf(track).latestAt(track),
        isMoving:
          found.some(
            ({ sums, latestAt }) =>
              sums.some((each) => each.length > 0) || [...latestAt.values()].some((at) => at >= asOf),
          ) ||
          planned.some(({ isAdjusted }) => isAdjusted) ||
          adjustments.some(({ spec }) => spec.set !== undefined) ||
          composites.some(({ objective }) => countsMissingMinutes(objective)),
      }
    },
  }
}

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

const lateRange = (range: MinuteRange, createdAt: number, lateTo: number): MinuteRange => {
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
): TrackCounts => {
  const countsEvents = (track: string): boolean =>
    track !== overallTrack && slo.spec.budgetingMethod === "Occurrences"
  // An SLO with a legacy composite has plain objectives only.
  const objectivesIn = (track: string): ReadonlyArray<string> =>
    track === overallTrack ? objectivesOf(slo).map(({ name }) => name) : [track]
  const countedMs: TrackCounts["countedMs"] = (track, { from }, lengthMs) =>
    countsEvents(track) ? lengthMs : keptMinutes({ from, to: from + lengthMs }, excluded) * minuteMs
  return {
    goodTotal: (track, range, lengthMs) => {
      const sum = ownSum(track, range)
      if (sum === undefined || sum.minutes === 0) return undefined
      if (countsEvents(track)) return sum
      const total = countedMs(track, range, lengthMs) / minuteMs
      return { good: total - (sum.minutes - sum.goodMinutes), total }
    },
    countedMs,
    events: (track, range) => addUp(objectivesIn(track).map((name) => ownSum(name, range))),
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
    if (whenDelayed === "Ignore" || found === undefined || range === undefined)
      return { good, total: minutes }
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
    latestAt: () => latestOf(parts.map(({ found, objective }) => found?.latestAt?.get(objective))),
  }
}

const noMinutes = { minutes: 0, goodShares: 0, goodMinutes: 0 }
