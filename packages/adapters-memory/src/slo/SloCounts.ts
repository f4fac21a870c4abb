import { addChangedMinutes, type ChangedMinute, pastMayEndAt, pastMinutesOf } from "@tocsin/domain"
import {
  addSums,
  changesHour,
  emptyHour,
  groupBy,
  type HourOfCounts,
  isWithinHour,
  type MinuteSums,
  overallHour,
  overallParts,
  overallTrack,
  partOfTrack,
  type RangeParts,
  rangeParts,
  type SliceRule,
  sumHour,
  withCounts,
} from "@tocsin/domain/adapter"
import { dayMs, dayOf, hourMs, hourOf, type MinuteRange } from "@tocsin/domain/codec"
import {
  type CountSum,
  latestMinute,
  type Recording,
  replacedHour,
  replacedHours,
  type TrackHour,
} from "@tocsin/domain/ports"

/**
 * The counts of one SLO by minute, and their sums by hour and by day.
 *
 * A change recomputes the sums that include it, so that replacing counts leaves no rounding error.
 */
export class SloCounts {
  readonly latestAt = new Map<string, number>()
  readonly #tracks = new Map<string, Track>()
  #rules: ReadonlyArray<SliceRule>
  #keptFrom = 0
  #latestOfAll = -Infinity

  constructor(rules: ReadonlyArray<SliceRule>) {
    this.#rules = rules
  }

  /** Applies new slice rules to all minutes. */
  setRules(rules: ReadonlyArray<SliceRule>): void {
    if (JSON.stringify(rules) === JSON.stringify(this.#rules)) return
    this.#rules = rules
    this.#tracks.delete(overallTrack)
    const starts = new Set<number>()
    for (const [objective, track] of this.#tracks) {
      for (const [start, { counts }] of track.hours) {
        starts.add(start)
        this.#setHour(objective, start, counts)
      }
    }
    this.#updateDerived(starts)
  }

  /** Returns what has changed at `now` (Unix milliseconds); minutes that have not changed are left as they are. */
  record({ counts, unmeasured }: Recording, now: number): RecordedChanges {
    const before = pastMayEndAt(this.#latestOfAll, now)
    const latestAt = counts.some(({ at }) => at < before) ? new Map(this.latestAt) : undefined
    const starts = new Set<number>()
    const old: Array<ChangedMinute> = []
    for (const [objective, ofObjective] of groupBy(counts, ({ objective }) => objective)) {
      for (const [start, ofHour] of groupBy(ofObjective, ({ at }) => hourOf(at))) {
        const hour = this.#tracks.get(objective)?.hours.get(start)?.counts ?? emptyHour
        if (!changesHour(hour, ofHour)) continue
        const after = withCounts(hour, ofHour)
        addChangedMinutes(old, objective, start, hour, after, before)
        this.#setHour(objective, start, after)
        starts.add(start)
      }
      this.#setLatest(objective, Math.max(...ofObjective.map(({ at }) => at)))
    }
    if (starts.size > 0) this.#updateDerived(starts, old, before)
    const past = latestAt === undefined ? [] : pastMinutesOf(old, latestAt, unmeasured)
    return { hasChanged: starts.size > 0, past, old }
  }

  /**
   * Replaces the minutes of a range by those that a backfill has read: by objective and hour, as `BackfillStore.complete`. Returns which
   * minutes have changed.
   */
  replace(
    objectives: ReadonlyArray<string>,
    range: MinuteRange,
    hours: ReadonlyMap<string, ReadonlyMap<number, HourOfCounts>>,
  ): ReadonlyArray<ChangedMinute> {
    const starts = replacedHours(range)
    const changed: Array<ChangedMinute> = []
    for (const objective of objectives) {
      for (const start of starts) {
        const read = hours.get(objective)?.get(start)
        const before = this.#tracks.get(objective)?.hours.get(start)?.counts
        const after = replacedHour(start, range, before, read)
        addChangedMinutes(changed, objective, start, before, after, Infinity)
        this.#setHour(objective, start, after)
        const latest = latestMinute(start, after)
        if (latest !== undefined) this.#setLatest(objective, latest)
      }
    }
    this.#updateDerived(new Set(starts), changed, Infinity)
    return changed
  }

  sums(range: MinuteRange): ReadonlyArray<CountSum> {
    return isWithinHour(range) ? this.#sumsOfMinutes(range) : this.#sumsOfParts(rangeParts(range))
  }

  /** Of less than an hour: a series reads many of them. */
  #sumsOfMinutes(range: MinuteRange): ReadonlyArray<CountSum> {
    const found: Array<CountSum> = []
    const start = hourOf(range.from)
    for (const [objective, track] of this.#tracks) {
      const hour = track.hours.get(start)
      const sums = hour && sumHour(hour.counts, partOfTrack(this.#rules, objective), range)
      if (sums !== undefined) found.push({ objective, ...sums })
    }
    return found
  }

  #sumsOfParts({ days, hours, minutes }: RangeParts): ReadonlyArray<CountSum> {
    // In the order of time, as states are added up in.
    const parts = [
      ...days.map((range) => ({ range, stepMs: dayMs })),
      ...hours.map((range) => ({ range, stepMs: hourMs })),
      ...minutes.map((range) => ({ range, stepMs: 0 })),
    ].toSorted((a, b) => a.range.from - b.range.from)
    return [...this.#tracks].flatMap(([objective, track]) => {
      let sums: MinuteSums | undefined
      const add = (part: MinuteSums | undefined): void => {
        if (part !== undefined) sums = addSums(sums, part)
      }
      const part = partOfTrack(this.#rules, objective)
      for (const { range, stepMs } of parts) {
        const hour = stepMs === 0 ? track.hours.get(hourOf(range.from)) : undefined
        if (hour !== undefined) add(sumHour(hour.counts, part, range))
        const end = stepMs === 0 ? range.from : range.to
        for (let at = range.from; at < end; at += stepMs) {
          add(stepMs === dayMs ? track.days.get(at) : track.hours.get(at)?.sums)
        }
      }
      return sums === undefined ? [] : [{ objective, ...sums }]
    })
  }

  hours({ from, to }: MinuteRange, tracks: ReadonlySet<string>): ReadonlyArray<TrackHour> {
    const found: Array<TrackHour> = []
    for (const track of tracks) {
      const { hours } = this.#tracks.get(track) ?? { hours: new Map<number, never>() }
      for (let at = hourOf(from); at < to; at += hourMs) {
        const hour = hours.get(at)
        if (hour !== undefined) found.push({ track, at, counts: hour.counts })
      }
    }
    return found
  }

  /** Drops the days that end at or before this instant, in Unix milliseconds. */
  dropBefore(instant: number): void {
    if (dayOf(instant) <= this.#keptFrom) return
    this.#keptFrom = dayOf(instant)
    for (const [objective, { days, hours }] of this.#tracks) {
      for (const start of days.keys()) if (start < this.#keptFrom) days.delete(start)
      for (const start of hours.keys()) if (start < this.#keptFrom) hours.delete(start)
      if (hours.size === 0) this.#tracks.delete(objective)
    }
  }

  #setLatest(objective: string, at: number): void {
    this.latestAt.set(objective, Math.max(at, this.latestAt.get(objective) ?? at))
    this.#latestOfAll = Math.max(at, this.#latestOfAll)
  }

  #setHour(objective: string, start: number, counts: HourOfCounts): void {
    const track = this.#tracks.get(objective) ?? { hours: new Map(), days: new Map() }
    this.#tracks.set(objective, track)
    const hour = { from: start, to: start + hourMs }
    const sums = sumHour(counts, partOfTrack(this.#rules, objective), hour)
    if (sums === undefined) track.hours.delete(start)
    else track.hours.set(start, { counts, sums })
  }

  /** Updates the legacy composite and the days after hours have changed. */
  #updateDerived(starts: ReadonlySet<number>, changed: Array<ChangedMinute> = [], before = 0): void {
    const parts = overallParts(this.#rules)
    for (const start of parts === undefined ? [] : starts) {
      const hours = [...this.#tracks].flatMap(([objective, track]) => {
        const hour = track.hours.get(start)
        return hour === undefined ? [] : [[objective, hour.counts] as const]
      })
      const hour = this.#tracks.get(overallTrack)?.hours.get(start)?.counts
      const after = overallHour(parts ?? [], new Map(hours))
      addChangedMinutes(changed, overallTrack, start, hour, after, before)
      this.#setHour(overallTrack, start, after)
    }
    for (const day of new Set([...starts].map((start) => dayOf(start)))) {
      for (const track of this.#tracks.values()) {
        let sums: MinuteSums | undefined
        for (let at = day; at < day + dayMs; at += hourMs) {
          const hour = track.hours.get(at)
          if (hour !== undefined) sums = addSums(sums, hour.sums)
        }
        if (sums === undefined) track.days.delete(day)
        else track.days.set(day, sums)
      }
    }
  }
}

/** What a recording has changed. */
interface RecordedChanges {
  /** Whether any minute has changed. */
  readonly hasChanged: boolean
  /** The minutes in the past of their track. */
  readonly past: ReadonlyArray<ChangedMinute>
  /** Those before `pastMayEndAt`. */
  readonly old: ReadonlyArray<ChangedMinute>
}

interface Track {
  readonly hours: Map<number, { readonly counts: HourOfCounts; readonly sums: MinuteSums }>
  readonly days: Map<number, MinuteSums>
}
