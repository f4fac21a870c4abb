import * as Effect from "effect/Effect"
import { tidy } from "../codec/Decimal.ts"
import { dayMs, dayOf, hourMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { inBatches } from "../collections/InBatches.ts"
import { CountStore, type CountSum, type HoursRead, type TrackHour } from "../counts/CountStore.ts"
import { carriedStateMaxMs } from "../counts/HourOfCounts.ts"
import { isPresent, type PresentMinutes } from "../counts/PresentMinutes.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import { organizationKeyText, projectKeyText } from "../metadata/ObjectKey.ts"
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
  overlapping,
} from "../status/AdjustedMinutes.ts"
import { absentTo, lateRange } from "../status/CountsPlan.ts"
import { readComponents } from "../status/ReadSlos.ts"
import type { DueSlo } from "../status/SloStore.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import { Arrivals } from "./Arrivals.ts"

/** Sums, and hours, of all tracks together that are read at once. */
const sumsAtOnce = 10_000
const hoursAtOnce = 2_000

/** Days, or hours of a track, that are gone through in one part. */
const piecesPerPart = 200

/** An SLO whose coverage is read. */
type CoveredSlo = Pick<DueSlo, "organization" | "slo" | "adjustments" | "readTo">

/**
 * Reads by track which share of the minutes of a period is covered by counts, 0 to 1, of each SLO in their order. A minute is covered if it has
 * counts, even counts without events, or if it is one of those that an earlier count covers (`Arrivals`). Excluded minutes are left out,
 * and minutes that an adjustment sets have counts, as have minutes without counts of which the definition says what they count as
 * (`absent`, `lastState`, `whenDelayed`). A composite objective has the lowest share of its components, and the legacy composite
 * that of the objectives. `now` is in Unix milliseconds.
 *
 * A statement reads of as many SLOs as may be.
 */
export const readCoverage = Effect.fnUntraced(function* (
  slos: ReadonlyArray<CoveredSlo>,
  period: MinuteRange,
  now: number,
) {
  const definitions = yield* readComponents(slos)
  const plans = yield* inParts(() => planAll(slos, period, minuteOf(now) + minuteMs, definitions))
  const shares = yield* readShares(
    plans.flatMap(({ reads }) => reads),
    period,
  )
  return plans.map(({ join }) => join((read) => shares.get(read) ?? new Map<string, number>()))
})

function* planAll(
  slos: ReadonlyArray<CoveredSlo>,
  period: MinuteRange,
  asOf: number,
  definitions: ReadonlyMap<string, StoredDefinition<Slo>>,
): Parts<ReadonlyArray<CoveragePlan>> {
  const plans: Array<CoveragePlan> = []
  for (const slo of slos) {
    plans.push(planCoverage(slo, period, asOf, definitions))
    yield
  }
  return plans
}

/** What is read for the coverage of an SLO, and how its shares follow from those of what is read. */
interface CoveragePlan {
  readonly reads: ReadonlyArray<CoverageRead>
  readonly join: (
    sharesOf: (read: CoverageRead) => ReadonlyMap<string, number>,
  ) => ReadonlyMap<string, number>
}

/** Tracks of an SLO, or of a component, of which the same minutes are covered without counts. */
interface CoverageRead extends HoursRead {
  readonly tracks: Set<string>
  readonly adjusted: AdjustedMinutes
  /** The minutes that count although they have no counts. */
  readonly filled: MinuteRange | undefined
  /** Up to which time states are carried, in Unix milliseconds, if they are. */
  readonly knownTo?: number | undefined
}

const planCoverage = (
  { organization, slo, adjustments, readTo }: CoveredSlo,
  period: MinuteRange,
  asOf: number,
  definitions: ReadonlyMap<string, StoredDefinition<Slo>>,
): CoveragePlan => {
  const { definition, createdAt } = slo
  const { project, name } = definition.metadata
  const own = adjustedMinutes(adjustments, definition, period)
  const plain = plainObjectivesOf(definition)
  const knownTo = carriesState(definition) ? Math.min(asOf, (readTo ?? Infinity) + minuteMs) : undefined
  const ownReads = [false, true].map((isFilled): CoverageRead => {
    const tracks = plain.filter((each) => countsAbsent(each) === isFilled).map((each) => each.name)
    return {
      organization,
      slo: { project, name },
      range: period,
      tracks: new Set(tracks),
      adjusted: own,
      filled: isFilled ? lateRange(period, createdAt, absentTo(asOf, readTo)) : undefined,
      knownTo,
    }
  })
  // Components of one SLO are read together where the same minutes of them count without counts.
  const reads = new Map<string, CoverageRead>()
  const composites = definition.spec.objectives
    .filter(isCompositeObjective)
    .map(({ name: track, composite: { components, maxDelay } }) => ({
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
        const read = reads.get(id) ?? {
          organization,
          slo: key,
          range: period,
          tracks: new Set<string>(),
          adjusted: bothAdjusted(own, adjustedMinutes(adjustments, component.definition, period)),
          filled,
        }
        read.tracks.add(objective)
        reads.set(id, read)
        return [{ read, objective }]
      }),
    }))
  return {
    reads: [...ownReads, ...reads.values()],
    join: (sharesOf) => {
      const shares = new Map(ownReads.flatMap((read) => [...sharesOf(read)]))
      for (const { track, components } of composites) {
        const ofComponents = components.map(({ read, objective }) => sharesOf(read).get(objective) ?? 0)
        shares.set(track, ofComponents.length === 0 ? 0 : Math.min(...ofComponents))
      }
      if (definition.spec.composite !== undefined) shares.set(overallTrack, Math.min(1, ...shares.values()))
      return shares
    },
  }
}

/** By track: the share of the minutes that are not excluded that is covered, set or filled. */
const readShares = Effect.fnUntraced(function* (reads: ReadonlyArray<CoverageRead>, period: MinuteRange) {
  const planned = yield* inParts(() => planMinutes(reads, piecesOf(period, dayMs)))
  const open = planned.filter(({ read, minutes }) => read.tracks.size > 0 && minutes.count > 0)
  const arriving = open.filter(({ read }) => read.knownTo === undefined)
  yield* readArrivals(arriving.map(({ minutes }) => minutes))
  for (const { minutes, counted } of arriving)
    for (const [track, covered] of minutes.covered()) counted.set(track, (counted.get(track) ?? 0) + covered)
  for (const { read, minutes, counted } of open)
    if (read.knownTo !== undefined) yield* countCarried(read, counted, minutes.changed, read.knownTo)
  return new Map(
    planned.map(({ read, counted }) => {
      const wanted = keptMinutes(read.range, read.adjusted.excluded)
      const shares = Array.from(
        counted,
        ([track, minutes]) => [track, wanted === 0 ? 0 : tidy(minutes / wanted)] as const,
      )
      return [read, new Map(shares)] as const
    }),
  )
})

interface PlannedMinutes {
  readonly read: CoverageRead
  /** By track; those that are set or filled at first. */
  readonly counted: Map<string, number>
  readonly minutes: MeasuredMinutes
}

function* planMinutes(
  reads: ReadonlyArray<CoverageRead>,
  days: ReadonlyArray<MinuteRange>,
): Parts<ReadonlyArray<PlannedMinutes>> {
  const planned: Array<PlannedMinutes> = []
  for (const read of reads) {
    const { tracks, filled } = read
    const { excluded, set } = read.adjusted
    const given = mergeRanges([...set, ...(filled === undefined ? [] : keptRanges(filled, excluded))])
    const counted = new Map(Array.from(tracks, (track) => [track, minutesOf(given)]))
    const changed = mergeRanges([...excluded, ...given])
    planned.push({ read, counted, minutes: new MeasuredMinutes(read, changed, days) })
    yield
  }
  return planned
}

/** Reads when the counts of minutes arrived: sums of days first, as most days are whole or empty, and then the hours of the others. */
const readArrivals = Effect.fnUntraced(function* (all: ReadonlyArray<MeasuredMinutes>) {
  const store = yield* CountStore
  for (const some of inBatches(all, sumsAtOnce, ({ days, read }) => days.length * read.tracks.size)) {
    const found = yield* store.sums(some.map(({ read, days }) => ({ ...read, ranges: days })))
    const reads: Array<HoursRead & { readonly of: MeasuredMinutes }> = []
    for (const [index, each] of some.entries()) {
      const ranges = yield* inParts(() => each.addDays(found[index]?.sums ?? []))
      for (const range of ranges.flatMap((range) => piecesOf(range, hoursStepMs(each.read))))
        reads.push({ ...each.read, range, of: each })
    }
    const sizeOf = ({ range, of }: (typeof reads)[number]) => (minutesOf([range]) / 60) * of.read.tracks.size
    for (const batch of inBatches(reads, hoursAtOnce, sizeOf)) {
      const hours = yield* store.presence(batch)
      for (const [index, { of }] of batch.entries()) yield* inParts(() => of.addHours(hours[index] ?? []))
    }
  }
})

/** The minutes of a read that are measured, as no adjustment changes them, nor are they filled; and which of them are covered. */
class MeasuredMinutes {
  readonly read: CoverageRead
  readonly changed: MinuteRanges
  /** How many there are. */
  readonly count: number
  /** The days, of which those at the ends of the period and of others may be parts, that have some. */
  readonly days: ReadonlyArray<MinuteRange>
  readonly #kept: ReadonlyArray<MinuteRange & { readonly place: number }>
  readonly #arrivals: ReadonlyMap<string, Arrivals>
  /** Days whose minutes all have counts, and that were not passed on yet. */
  readonly #wholeDays: Array<MinuteRange> = []

  /** `days` are those of the period: the same array for all reads, as their sums are then planned once. */
  constructor(read: CoverageRead, changed: MinuteRanges, days: ReadonlyArray<MinuteRange>) {
    this.read = read
    this.changed = changed
    let count = 0
    this.#kept = keptRanges(read.range, changed).map((range) => {
      const place = count
      count += minutesOf([range])
      return { ...range, place }
    })
    this.count = count
    this.days = changed.length === 0 ? days : days.filter((day) => overlapping(this.#kept, day).length > 0)
    this.#arrivals = new Map(Array.from(read.tracks, (track) => [track, new Arrivals()]))
  }

  /** Takes the sums of `days`, and returns where hours have to be read: a minute can have counts without events. */
  *addDays(sums: ReadonlyArray<ReadonlyArray<CountSum>>): Parts<MinuteRanges> {
    const rest: Array<MinuteRange> = []
    for (const [index, day] of this.days.entries()) {
      if ((index + 1) % piecesPerPart === 0) yield
      const found = (sums[index] ?? []).filter(({ objective }) => this.#arrivals.has(objective))
      const minutes = minutesOf([day])
      const isWhole =
        found.length === this.#arrivals.size &&
        found.every((sum) => sum.minutes === minutes) &&
        keptMinutes(day, this.changed) === minutes
      if (isWhole) this.#wholeDays.push(day)
      else if (found.length > 0) rest.push(day)
    }
    return mergeRanges(rest)
  }

  /** Takes hours, which are later than those before. */
  *addHours(hours: ReadonlyArray<TrackHour<PresentMinutes>>): Parts<void> {
    for (const [index, { track, at, counts }] of hours.toSorted((a, b) => a.at - b.at).entries()) {
      if ((index + 1) % piecesPerPart === 0) yield
      this.#addWholeDays(at)
      const arrivals = this.#arrivals.get(track)
      for (const { from, to, place } of overlapping(this.#kept, { from: at, to: at + hourMs })) {
        const end = (Math.min(at + hourMs, to) - at) / minuteMs
        const placeOfHour = place + (at - from) / minuteMs
        let run = 0
        for (let minute = (Math.max(at, from) - at) / minuteMs; minute <= end; minute++) {
          if (minute < end && isPresent(counts, minute)) run++
          else if (run > 0) {
            arrivals?.add(dayOf(at), placeOfHour + minute - run, run)
            run = 0
          }
        }
      }
    }
  }

  /** How many minutes are covered, by track; nothing is added after that. */
  covered(): ReadonlyMap<string, number> {
    this.#addWholeDays(Infinity)
    return new Map(Array.from(this.#arrivals, ([track, arrivals]) => [track, arrivals.coveredOf(this.count)]))
  }

  #addWholeDays(before: number): void {
    for (let day = this.#wholeDays[0]; day !== undefined && day.from < before; day = this.#wholeDays[0]) {
      this.#wholeDays.shift()
      const { from, place } = overlapping(this.#kept, day)[0] ?? { from: 0, place: 0 }
      for (const arrivals of this.#arrivals.values())
        arrivals.add(dayOf(day.from), place + (day.from - from) / minuteMs, minutesOf([day]))
    }
  }
}

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
  for (const range of piecesOf({ from: from - carriedStateMaxMs, to }, hoursStepMs(read))) {
    const [found = []] = yield* store.hours([{ ...read, range }])
    yield* inParts(() => addCarried(counted, found, range, from, states, changed))
  }
  for (const [track, state] of states) addGap(counted, track, state, Math.min(to, knownTo), changed)
})

/** The time of which at most `hoursAtOnce` hours of all tracks are read, in milliseconds. */
const hoursStepMs = ({ tracks }: Pick<HoursRead, "tracks">): number =>
  Math.max(1, Math.floor(hoursAtOnce / tracks.size)) * hourMs

/** The pieces of a range between multiples of a length. */
const piecesOf = ({ from, to }: MinuteRange, lengthMs: number): ReadonlyArray<MinuteRange> => {
  const pieces: Array<MinuteRange> = []
  for (let start = from; start < to;) {
    const end = Math.min(to, Math.floor(start / lengthMs + 1) * lengthMs)
    pieces.push({ from: start, to: end })
    start = end
  }
  return pieces
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
    if ((index + 1) % piecesPerPart === 0) yield
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
