import type { Condition } from "../alert-policy/AlertPolicy.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { groupsOf } from "../alert-policy/ConditionGroups.ts"
import { conditionRanges } from "./MeasureCondition.ts"
import { type OrganizationId, organizationKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { absentAfterMs, type CountsReading, planCounts } from "./CountsPlan.ts"
import { type CountRead, type CountSum, type CountSumsRead, CountStore } from "../counts/CountStore.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { type MinuteRange, RangeList } from "../codec/MinuteRange.ts"
import { makeSumsOfParts, partsOfRanges } from "../counts/OverlappingRanges.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { targetsOf } from "../slo/SliceRules.ts"
import {
  carriesState,
  countsAbsent,
  countsMissingMinutes,
  isCompositeObjective,
  treatsZeroAsNoData,
} from "../slo/Objectives.ts"
import type { Slo } from "../slo/Slo.ts"
import type { PastChanges } from "./StoredPastChanges.ts"
import { type DueSlo, latestReadTo } from "./SloStore.ts"
import { makeCalendarRanges, burnRateRange, type WindowAt, windowAt } from "../slo/WindowAt.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { inParts, type Parts } from "../work/Parts.ts"

/** What has been read to compute the status of an SLO and to evaluate its alert policies. */
export interface SloReading {
  /** The SLO, its policies and adjustments. */
  readonly due: DueSlo
  /** The instant, in Unix milliseconds. */
  readonly now: number
  /** Its time window at that instant. */
  readonly at: WindowAt
  /** The counts over the window and its burn rate range. */
  readonly counts: CountsReading
  /** Whether time alone changes the status or what conditions measure. */
  readonly isMoving: boolean
  /** Where the conditions of a track's alerts are measured. */
  readonly measured: (track: string) => MeasuredAt
  /**
   * By objective, the start of its latest minute that is not missing, in Unix milliseconds: with a count or, with
   * `treatZeroAsNoData`, with events. Only as far back as it matters for `alertAfter`.
   */
  readonly latestDataAt: (objective: string) => number | undefined
  /** The same as if the minutes of `DueSlo.pastChanges` had not changed; absent without any. */
  readonly measuredBefore?: (track: string) => MeasuredAt
}

/** The end of what conditions measure: the current minute or, where counts are missing, an earlier one. */
export interface MeasuredAt {
  readonly at: WindowAt
  /** Over the ranges of the conditions. */
  readonly counts: CountsReading
  /** The time without counts since then, as far as the data source has been read, in milliseconds. */
  readonly gapMs: number
}

/** What `readSlosNow` has read of an SLO, and what is still to be read of it. */
export interface SloReadNow {
  /** How many sums are still to be read. */
  readonly sumsLeft: number
  readonly now: number
  readonly wanted: SloWanted
  readonly counts: CountsReading
  /** By track, where the ranges end that conditions measure. */
  readonly endOf: ReadonlyMap<string, number>
  /** Those of them before the current minute, and the ranges that end there. */
  readonly lateEnds: ReadonlySet<number>
  readonly lateRanges: ReadonlyArray<MinuteRange>
}

interface SloWanted extends CountsWanted {
  readonly due: DueSlo
  readonly at: WindowAt
  readonly endingAt: (end: number) => WindowAt
  readonly rangesOf: (end: number) => ReadonlyArray<MinuteRange>
}

/** Reads the counts that the statuses and the alert policies of some SLOs need, now. */
export const readSlos = (dues: ReadonlyArray<DueSlo>) => Effect.flatMap(readSlosNow(dues), readSlosBefore)

// A generator function that is created for each call keeps what it captures alive until the next full garbage collection.
/**
 * Reads the counts of SLOs over the ranges that end now; `readSlosBefore` reads the others: those where counts are missing, and those
 * of changes of the past, which may be as many for each objective.
 */
export const readSlosNow: (
  dues: ReadonlyArray<DueSlo>,
) => Effect.Effect<ReadonlyArray<SloReadNow>, StoreIsUnavailable, CountStore | DefinitionStore> =
  Effect.fnUntraced(function* (dues) {
    const now = yield* Clock.currentTimeMillis
    const calendarRanges = makeCalendarRanges()
    const wanted = dues.map((due): SloWanted => {
      const { timeWindow } = due.slo.definition.spec
      const at = windowAt(timeWindow, now, calendarRanges)
      // Of a calendar window in which no counts have arrived, nothing is measured yet.
      const endingAt = (end: number): WindowAt =>
        at.endsAt !== undefined && end <= at.range.from
          ? { ...at, range: { from: end, to: end } }
          : windowAt(timeWindow, end - 1, calendarRanges)
      const conditionsOf = (lengthMs: number): ReadonlyArray<Condition> =>
        due.policies.flatMap(({ definition }) => groupsOf(definition.spec, lengthMs).flat())
      const conditions = conditionsOf(at.lengthMs)
      const rangesOf = (end: number) => {
        const ending = end === at.range.to ? at : endingAt(end)
        const ofLength = ending.lengthMs === at.lengthMs ? conditions : conditionsOf(ending.lengthMs)
        return conditionRanges(ofLength, ending)
      }
      const ranges = [at.range, burnRateRange(at), ...rangesOf(at.range.to)]
      const { organization, slo, adjustments, readTo } = due
      return { due, at, organization, slo, adjustments, ranges, readTo, endingAt, rangesOf }
    })
    const read = yield* readCounts(wanted, now)
    return wanted.flatMap((each, index): ReadonlyArray<SloReadNow> => {
      const counts = read[index]
      if (counts === undefined) return []
      const endOf = new Map<string, number>()
      const lateEnds = new Set<number>()
      for (const track of each.due.policies.length === 0 ? [] : targetsOf(each.slo.definition).keys()) {
        const end = measuredEnd(each, counts, track)
        endOf.set(track, end)
        if (end !== each.at.range.to) lateEnds.add(end)
      }
      const lateRanges = Array.from(lateEnds, each.rangesOf).flat()
      const isChanged = endOf.size > 0 && each.due.pastChanges !== undefined
      const rangesLeft = lateRanges.length + (isChanged ? each.ranges.length + lateRanges.length : 0)
      const sumsLeft = rangesLeft * tracksReadOf(each.slo.definition)
      return [{ sumsLeft, now, wanted: each, counts, endOf, lateEnds, lateRanges }]
    })
  })

/** How many tracks are read of an SLO and of its components. */
export const tracksReadOf = (slo: Slo): number =>
  slo.spec.objectives.reduce(
    (sum, objective) => sum + (isCompositeObjective(objective) ? objective.composite.components.length : 0),
    targetsOf(slo).size,
  )

/** Reads what is left of SLOs that were read at the same time. */
export const readSlosBefore: (
  readings: ReadonlyArray<SloReadNow>,
) => Effect.Effect<ReadonlyArray<SloReading>, StoreIsUnavailable, CountStore | DefinitionStore> =
  Effect.fnUntraced(function* (readings) {
    const now = readings[0]?.now ?? 0
    const dues = readings.map(({ wanted }) => wanted.due)
    const late = readings.filter(({ lateRanges }) => lateRanges.length > 0)
    const readLate =
      late.length === 0
        ? []
        : yield* readCounts(
            late.map(({ wanted, lateRanges }) => ({ ...wanted, ranges: lateRanges })),
            now,
          )
    const lateCounts = new Map(late.map((each, index) => [each, readLate[index]]))
    const latestEvents = yield* readLatestEvents(dues, now)
    const changed = readings.filter(
      ({ endOf, wanted }) => endOf.size > 0 && wanted.due.pastChanges !== undefined,
    )
    const readBefore =
      changed.length === 0
        ? []
        : yield* readCounts(
            changed.map(({ wanted, lateRanges }) => ({
              ...wanted,
              ranges: [...wanted.ranges, ...lateRanges],
              without: wanted.due.pastChanges,
            })),
            now,
          )
    const countsBefore = new Map(changed.map((each, index) => [each, readBefore[index]]))
    return readings.map((each): SloReading => {
      const { wanted, counts, endOf, lateEnds } = each
      const { due, at, endingAt, rangesOf } = wanted
      const { to } = at.range
      const gapMsAt = (end: number): number =>
        Math.min(Math.max((latestReadTo(due) ?? to) + minuteMs, end), to) - end
      // A range that ends with the latest counts has data for a while after the one that ends now has none.
      const hasDataAt = (end: number): boolean =>
        rangesOf(end).some((range) => gapMsAt(end) < range.to - range.from)
      const measuredBy =
        (countsAt: (end: number) => CountsReading | undefined) =>
        (track: string): MeasuredAt => {
          const end = endOf.get(track) ?? to
          const measuredAt = end === to ? at : endingAt(end)
          const gapMs = countsEmptyMinutes(due.slo.definition, track) ? 0 : gapMsAt(end)
          return { at: measuredAt, counts: countsAt(end) ?? counts, gapMs }
        }
      const before = countsBefore.get(each)
      return {
        due,
        now,
        at,
        counts,
        latestDataAt: (objective) => {
          const events = latestEvents.get(due)
          return events === undefined ? counts.latestAt(objective) : events.get(objective)
        },
        isMoving: counts.isMoving || [...lateEnds].some(hasDataAt),
        measured: measuredBy((end) => (end === to ? counts : lateCounts.get(each))),
        ...(before !== undefined && { measuredBefore: measuredBy(() => before) }),
      }
    })
  })

/** Of SLOs for which a minute without events is missing: their latest minutes with events within `alertAfter`, by objective. */
const readLatestEvents = (dues: ReadonlyArray<DueSlo>, now: number) => {
  const watched = dues.flatMap((due) => {
    const { definition } = due.slo
    const noData = definition.spec.anomalyConfig?.noData
    if (noData === undefined || !treatsZeroAsNoData(definition) || due.ignoresMissingData === true) return []
    const from = minuteOf(now - noData.alertAfter.ms) - minuteMs
    const range = { from, to: minuteOf(now) + countsAheadMaxMs }
    return [{ due, range }]
  })
  const none = new Map<DueSlo, ReadonlyMap<string, number>>()
  if (watched.length === 0) return Effect.succeed(none)
  return Effect.gen(function* () {
    const found = yield* (yield* CountStore).sums(
      watched.map(({ due, range }) => ({
        organization: due.organization,
        slo: due.slo.definition.metadata,
        ranges: [range],
        hasStates: true,
      })),
    )
    return new Map(
      watched.map(({ due }, index) => {
        const sums = found[index]?.sums[0] ?? []
        const latest = sums.flatMap(({ objective, states }) =>
          states?.events === undefined ? [] : [[objective, states.events.lastAt] as const],
        )
        return [due, new Map(latest)] as const
      }),
    )
  })
}

/** Counts are at most this far ahead (spec/counts §1). */
const countsAheadMaxMs = 6 * minuteMs

/**
 * Where the ranges end that conditions measure: with the minute after the latest one that has counts, which is at most the
 * current minute. So missing counts alone raise no burn rate.
 *
 * With the current minute if there are no counts, or if late minutes of components count. With the latest minute that is known
 * where minutes without data or events count themselves.
 */
const measuredEnd = (
  {
    slo,
    at,
    readTo = Infinity,
  }: {
    readonly slo: StoredDefinition<Slo>
    readonly at: WindowAt
    readonly readTo?: number | undefined
  },
  counts: CountsReading,
  track: string,
): number => {
  const { to } = at.range
  const objective = slo.definition.spec.objectives.find(({ name }) => name === track)
  if (objective !== undefined && countsMissingMinutes(objective)) return to
  const end = (counts.latestAt(track) ?? -Infinity) + 2 * minuteMs
  if (carriesState(slo.definition)) {
    return end === -Infinity ? to : Math.min(to, Math.max(end, minuteOf(Math.min(readTo, to)) + minuteMs))
  }
  if (objective !== undefined && !isCompositeObjective(objective) && countsAbsent(objective)) {
    return Math.min(to, Math.max(end, minuteOf(Math.min(readTo, to - absentAfterMs))))
  }
  return end === -Infinity || end > to ? to : end
}

/** Whether minutes without data or events count for a track, so that it has data without counts. */
export const countsEmptyMinutes = (slo: Slo, track: string): boolean => {
  const objective = slo.spec.objectives.find(({ name }) => name === track)
  return (
    carriesState(slo) ||
    (objective !== undefined && !isCompositeObjective(objective) && countsAbsent(objective))
  )
}

export interface CountsWanted {
  readonly organization: OrganizationId
  readonly slo: StoredDefinition<Slo>
  /** What is planned for ranges is planned once for all SLOs that have the same ones: the same array, or the same few. */
  readonly ranges: ReadonlyArray<MinuteRange>
  /** At least those of the SLO and of its components. */
  readonly adjustments: ReadonlyArray<BudgetAdjustment>
  /** How far its data source has been read, in Unix milliseconds; absent without one. */
  readonly readTo?: number | undefined
  /** Changes before which counts and adjustments are read; absent: none. */
  readonly without?: PastChanges | undefined
  /** The only track that is read; absent: all. */
  readonly track?: string | undefined
}

/** Reads the counts of SLOs at `now` (Unix milliseconds) in one query; returns them in the order of the SLOs. */
export const readCounts: (
  wanted: ReadonlyArray<CountsWanted>,
  now: number,
) => Effect.Effect<ReadonlyArray<CountsReading>, StoreIsUnavailable, CountStore | DefinitionStore> =
  Effect.fnUntraced(function* (wanted, now) {
    const components = yield* readComponents(wanted)
    const listOf = makeRangeLists()
    const plans = wanted.map(({ organization, slo, ranges, adjustments, readTo, without, track }) =>
      planCounts(
        organization,
        slo,
        listOf(ranges),
        now,
        (key) => components.get(organizationKeyText(organization, key)),
        adjustments,
        readTo,
        without,
        track,
      ),
    )
    const found = yield* readSums(plans.flatMap(({ reads }) => reads))
    let next = 0
    return plans.map(({ reads, interpret }) => interpret(found.slice(next, (next += reads.length))))
  })

/** Makes one list of the same ranges: of many, if they are the same array. */
const makeRangeLists = () => {
  const byRanges = new Map<ReadonlyArray<MinuteRange>, RangeList>()
  const byText = new Map<string, RangeList>()
  return (ranges: ReadonlyArray<MinuteRange>): RangeList => {
    const known = byRanges.get(ranges)
    if (known !== undefined) return known
    const text = ranges.length > fewRanges ? undefined : ranges.map(({ from, to }) => `${from} ${to}`).join()
    const list = (text === undefined ? undefined : byText.get(text)) ?? new RangeList(ranges)
    byRanges.set(ranges, list)
    if (text !== undefined) byText.set(text, list)
    return list
  }
}

/**
 * Reads sums; of an SLO of which many ranges are wanted, which then overlap as the windows of a series do, every time is
 * read once.
 */
const readSums = (reads: ReadonlyArray<CountRead>) =>
  reads.every(({ ranges }) => ranges.length <= fewRanges)
    ? Effect.flatMap(CountStore, (store) => store.sums(reads))
    : readManySums(reads)

const readManySums = Effect.fnUntraced(function* (reads: ReadonlyArray<CountRead>) {
  const store = yield* CountStore
  const few = reads.filter(({ ranges }) => ranges.length <= fewRanges)
  const wantedBySlo = new Map<string, CountRead>()
  for (const read of reads) {
    if (read.ranges.length <= fewRanges) continue
    const before = wantedBySlo.get(sloText(read))
    const ranges = before === undefined ? read.ranges : [...before.ranges, ...read.ranges]
    const hasStates = read.hasStates === true || before?.hasStates === true
    wantedBySlo.set(sloText(read), { ...read, ranges, hasStates })
  }
  const partsByRanges = new Map<ReadonlyArray<MinuteRange>, ReadonlyArray<MinuteRange>>()
  const parts = [...wantedBySlo.values()].map((read) => {
    const ranges = partsByRanges.get(read.ranges) ?? partsOfRanges(read.ranges)
    partsByRanges.set(read.ranges, ranges)
    return { ...read, ranges }
  })
  yield* Effect.yieldNow
  const found = yield* store.sums([...few, ...parts])
  const foundOfFew = new Map(few.map((read, index) => [read, found[index]]))
  return yield* inParts(function* (): Parts<ReadonlyArray<CountSumsRead>> {
    const foundBySlo = new Map<
      string,
      Pick<CountSumsRead, "latestAt"> & { readonly sumsOf: ReturnType<typeof makeSumsOfParts> }
    >()
    for (const [index, read] of parts.entries()) {
      const { sums, latestAt } = found[few.length + index] ?? noSums
      foundBySlo.set(sloText(read), { latestAt, sumsOf: makeSumsOfParts(read.ranges, sums) })
      yield
    }
    const all: Array<CountSumsRead> = []
    let added = 0
    for (const read of reads) {
      const many = foundBySlo.get(sloText(read))
      if (read.ranges.length <= fewRanges || many === undefined) {
        all.push(foundOfFew.get(read) ?? noSums)
        continue
      }
      const sums: Array<ReadonlyArray<CountSum>> = []
      for (const range of read.ranges) {
        if (++added % rangesPerPart === 0) yield
        sums.push(many.sumsOf(range, read.tracks))
      }
      all.push({ latestAt: many.latestAt, sums })
    }
    return all
  })
})

/** Ranges whose sums are added up in one part: each is of some dozens. */
const rangesPerPart = 200

/** As many are read as they are: a status has a few, and the store adds them up best. */
const fewRanges = 16

const noSums: CountSumsRead = { sums: [], latestAt: new Map() }

const sloText = ({ organization, slo }: CountRead): string => organizationKeyText(organization, slo)

/** Reads the SLOs that are components of composite objectives, by `organizationKeyText`; those that do not exist are left out. */
export const readComponents = (wanted: ReadonlyArray<Pick<CountsWanted, "organization" | "slo">>) => {
  const keys = wanted.flatMap(({ organization, slo }) =>
    slo.definition.spec.objectives
      .filter(isCompositeObjective)
      .flatMap(({ composite }) =>
        composite.components.map((component) => ({ organization, key: component.slo })),
      ),
  )
  const components = new Map<string, StoredDefinition<Slo>>()
  if (keys.length === 0) return Effect.succeed(components)
  return Effect.gen(function* () {
    const definitions = yield* DefinitionStore
    for (const organization of new Set(keys.map((each) => each.organization))) {
      const ofOrganization = keys.filter((each) => each.organization === organization)
      const found = yield* definitions.findAll(
        organization,
        "SLO",
        ofOrganization.map(({ key }) => key),
      )
      for (const stored of found) {
        components.set(organizationKeyText(organization, stored.definition.metadata), stored)
      }
    }
    return components
  })
}
