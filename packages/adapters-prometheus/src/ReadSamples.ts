import { readStatusSeries, type WantedMinutes } from "@tocsin/domain"
import type { Alert } from "@tocsin/domain/alerting"
import { minuteMs, minuteOf } from "@tocsin/domain/codec"
import { adjustsSlo, type BudgetAdjustment, isCompositeObjective, type Slo } from "@tocsin/domain/definitions"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { DefinitionStore, type StoredDefinition } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Selection } from "@tocsin/promql/evaluate"
import {
  type InParts,
  type Labels,
  labelsValues,
  type Parts,
  placeFrom,
  QueryFailed,
  type SampledSeries,
  type Selector,
  sortedByLabels,
  type Work,
} from "@tocsin/promql/series"
import { type AlertSeries, selectAlertSeries, selectSloSeries } from "./SelectSeries.ts"
import type { MetricSource, SloSeriesKey } from "./SloMetrics.ts"

/** Most minutes of all SLOs whose status or counts are computed for one query, and most that one selector needs. */
const computedMinutesMax = 300_000

/** Most samples that are in memory for one query. */
const samplesMax = 4_000_000

/**
 * Plans reading the samples of the selections of a query: there is one for each minute, at its start, up to now. Fails with
 * `QueryFailed` if there would be too many.
 */
export const planSamples = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  selections: ReadonlyArray<Selection>,
  inParts: InParts<E, R>,
) {
  const now = yield* Clock.currentTimeMillis
  const matchers = selections.map(({ selector }) => selector.matchers)
  const sloSeries = yield* selectSloSeries(organization, matchers, inParts)
  const alertSeries = yield* selectAlertSeries(organization, matchers, hullOf(selections), inParts)
  const selected = selections.map((selection, index) => ({
    selection,
    series: sloSeries[index] ?? [],
    alerts: alertSeries[index] ?? [],
  }))
  const { planned, computed } = yield* inParts((work) => plan(selected, now, work))
  return { minutes: computed, read: readPlanned(organization, planned, now, inParts) }
})

/** What a selection selects. */
interface SelectedSeries {
  readonly selection: Selection
  readonly series: ReadonlyArray<SloSeriesKey>
  readonly alerts: ReadonlyArray<AlertSeries>
}

interface PlannedSelection extends Omit<SelectedSeries, "alerts"> {
  readonly alerts: ReadonlyArray<PlannedAlerts>
  /** The starts of the minutes whose samples are needed, ascending. */
  readonly minutes: ReadonlyArray<number>
  readonly countMinutes: ReadonlyArray<number>
}

/** A series of alerts, and the minutes in which one of them is open. */
interface PlannedAlerts {
  readonly labels: Labels
  readonly open: ReadonlyArray<PlaceRange>
}

/** Some minutes, by their places. */
interface PlaceRange {
  readonly from: number
  readonly until: number
}

function* plan(
  selected: ReadonlyArray<SelectedSeries>,
  now: number,
  work: Work,
): Parts<{ readonly planned: ReadonlyArray<PlannedSelection>; readonly computed: number }> {
  const minutesOf = makeMinutesOf(now, work)
  const planned: Array<PlannedSelection> = []
  let [computed, samples] = [0, 0]
  for (const { selection, series, alerts } of selected) {
    // Counts are current as long as the lookback says, everything else for its minute.
    const hasCounts = series.some(({ metric }) => isOfCounts(metric.source))
    const hasOthers = alerts.length > 0 || series.some(({ metric }) => !isOfCounts(metric.source))
    const minutes = hasOthers ? yield* minutesOf(selection, selection.isLatest) : []
    const countMinutes = hasCounts ? yield* minutesOf(selection, false) : []
    const slos = new Map<StoredDefinition<Slo>, Set<MetricSource>>()
    for (const { slo, metric } of series) {
      samples += isOfCounts(metric.source) ? countMinutes.length : minutes.length
      slos.set(slo, (slos.get(slo) ?? new Set()).add(metric.source))
    }
    for (const sources of slos.values()) {
      if (sources.has("status")) computed += minutes.length
      if (sources.has("counts")) computed += countMinutes.length
      if (sources.has("receivedCounts")) computed += countMinutes.length
    }
    const plannedAlerts: Array<PlannedAlerts> = []
    for (const { labels, alerts: ofLabels } of alerts) {
      if (work.spend(alertValues * ofLabels.length)) yield
      const open = openRanges(ofLabels, minutes)
      for (const { from, until } of open) samples += until - from
      plannedAlerts.push({ labels, open })
    }
    if (computed > computedMinutesMax || samples > samplesMax) {
      throw new QueryFailed({
        detail: `query processing would load too many samples: at least ${computed} minutes of SLOs, of at most ${computedMinutesMax}, and ${samples} samples, of at most ${samplesMax}; select fewer series, a shorter range or a longer step`,
      })
    }
    planned.push({ selection, series, alerts: plannedAlerts, minutes, countMinutes })
  }
  return { planned, computed }
}

/** As many values are gone through in the time that finding the minutes of an alert takes. */
const alertValues = 20

const isOfCounts = (source: MetricSource): boolean => source === "counts" || source === "receivedCounts"

const hullOf = (selections: ReadonlyArray<Selection>) => {
  let [from, to] = [Infinity, -Infinity]
  for (const { ends, lengthMs } of selections) {
    from = Math.min(from, (ends[0] ?? Infinity) - lengthMs)
    to = Math.max(to, ends.at(-1) ?? -Infinity)
  }
  return { from, to }
}

/**
 * The minutes that start within the ranges of a selection, from 1970 up to now; only the latest of each with `isLatest`. Selections
 * at the same times have the same array.
 */
const makeMinutesOf = (now: number, work: Work) => {
  const known = new Map<Float64Array, Map<string, ReadonlyArray<number>>>()
  let listed = 0
  return function* ({ ends, lengthMs }: Selection, isLatest: boolean): Parts<ReadonlyArray<number>> {
    const ofEnds = known.get(ends) ?? new Map<string, ReadonlyArray<number>>()
    known.set(ends, ofEnds)
    const key = `${lengthMs} ${isLatest}`
    const before = ofEnds.get(key)
    if (before !== undefined) return before
    const minutes: Array<number> = []
    let after = -Infinity
    for (const end of ends) {
      if (work.spend(1)) yield
      const last = Math.min(minuteOf(end), minuteOf(now))
      const start = Math.max(0, minuteOf(end - lengthMs) + minuteMs)
      const first = isLatest ? Math.max(last, start) : start
      for (let minute = Math.max(first, after + minuteMs); minute <= last; minute += minuteMs) {
        if (minutes.length === computedMinutesMax) {
          throw new QueryFailed({
            detail: `query processing would load too many samples: a selector may need ${computedMinutesMax} minutes at most; select a shorter range or a longer step`,
          })
        }
        if (++listed > samplesMax) {
          throw new QueryFailed({
            detail: `query processing would load too many samples: the selectors may need ${samplesMax} minutes at most in all; select shorter ranges or longer steps`,
          })
        }
        if (work.spend(1)) yield
        minutes.push(minute)
      }
      after = Math.max(after, last)
    }
    ofEnds.set(key, minutes)
    return minutes
  }
}

/** The minutes in which one of some alerts is open, each once. */
const openRanges = (
  alerts: ReadonlyArray<Alert>,
  minutes: ReadonlyArray<number>,
): ReadonlyArray<PlaceRange> => {
  const open: Array<PlaceRange> = []
  let next = 0
  for (const { triggeredAt, resolvedAt = Infinity } of alerts.toSorted(
    (a, b) => a.triggeredAt - b.triggeredAt,
  )) {
    const from = Math.max(next, placeFrom(minutes, minuteOf(triggeredAt)))
    const until = placeFrom(minutes, resolvedAt)
    if (from >= until) continue
    open.push({ from, until })
    next = until
  }
  return open
}

/** The series of one SLO that are wanted, by what they are computed from. */
interface WantedSlo {
  readonly keys: ReadonlyMap<MetricSource, ReadonlySet<SloSeriesKey>>
  readonly minutes: ReadonlyMap<MetricSource, ReadonlyArray<number>>
}

/** Puts together what several selections want of an SLO, so that it is read once. */
function* wantedSlos(
  planned: ReadonlyArray<PlannedSelection>,
  work: Work,
): Parts<ReadonlyMap<StoredDefinition<Slo>, WantedSlo>> {
  const found = new Map<
    StoredDefinition<Slo>,
    Map<MetricSource, { readonly keys: Set<SloSeriesKey>; readonly selections: Set<number> }>
  >()
  for (const [index, { series }] of planned.entries()) {
    for (const key of series) {
      const ofSlo = found.get(key.slo) ?? new Map()
      found.set(key.slo, ofSlo)
      const ofSource = ofSlo.get(key.metric.source) ?? { keys: new Set(), selections: new Set() }
      ofSlo.set(key.metric.source, ofSource)
      ofSource.keys.add(key)
      ofSource.selections.add(index)
    }
  }
  const unions = new Map<string, ReadonlyArray<number>>()
  const wanted = new Map<StoredDefinition<Slo>, WantedSlo>()
  for (const [slo, sources] of found) {
    const keys = new Map<MetricSource, ReadonlySet<SloSeriesKey>>()
    const minutes = new Map<MetricSource, ReadonlyArray<number>>()
    for (const [source, ofSource] of sources) {
      const ofCounts = isOfCounts(source)
      const key = `${ofCounts} ${[...ofSource.selections].join(" ")}`
      let union = unions.get(key)
      if (union === undefined) {
        const selections = planned.filter((_, index) => ofSource.selections.has(index))
        const lists = selections.map((each) => (ofCounts ? each.countMinutes : each.minutes))
        union = yield* unionOf([...new Set(lists)], work)
        unions.set(key, union)
      }
      keys.set(source, ofSource.keys)
      minutes.set(source, union)
    }
    wanted.set(slo, { keys, minutes })
  }
  return wanted
}

/** All of some ascending numbers, ascending and each once. */
function* unionOf(lists: ReadonlyArray<ReadonlyArray<number>>, work: Work): Parts<ReadonlyArray<number>> {
  let unions = lists
  while (unions.length > 1) {
    const pairs: Array<ReadonlyArray<number>> = []
    for (let index = 0; index < unions.length; index += 2) {
      const [a = [], b = []] = unions.slice(index, index + 2)
      if (work.spend(a.length + b.length)) yield
      pairs.push(merged(a, b))
    }
    unions = pairs
  }
  return unions[0] ?? []
}

const merged = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): ReadonlyArray<number> => {
  const all: Array<number> = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const [left, right] = [a[i] ?? Infinity, b[j] ?? Infinity]
    all.push(Math.min(left, right))
    if (left <= right) i++
    if (right <= left) j++
  }
  return all
}

const readSloSamples = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  planned: ReadonlyArray<PlannedSelection>,
  now: number,
  inParts: InParts<E, R>,
) {
  const wanted = yield* inParts((work) => wantedSlos(planned, work))
  const samples = new Map<SloSeriesKey, SampledSeries>()
  const open = new Map<SloSeriesKey, { readonly times: Array<number>; readonly values: Array<number> }>()
  /** Adds the values of what was read last; the minutes of an objective come one after the other. */
  const adding = <Read>(
    source: MetricSource,
    valueOf: (key: SloSeriesKey, read: Read) => number | undefined,
  ) => {
    let of: readonly [slo: StoredDefinition<Slo>, objective: string] | undefined
    let series: ReadonlyArray<{ key: SloSeriesKey; times: Array<number>; values: Array<number> }> = []
    return (slo: StoredDefinition<Slo>, objective: string, minute: number, read: Read): void => {
      if (of?.[0] !== slo || of[1] !== objective) {
        of = [slo, objective]
        series = Array.from(wanted.get(slo)?.keys.get(source) ?? []).flatMap((key) => {
          if (key.objective.name !== objective) return []
          const samples = open.get(key) ?? { times: [], values: [] }
          open.set(key, samples)
          return [{ key, ...samples }]
        })
      }
      for (const { key, times, values } of series) {
        const value = valueOf(key, read)
        if (value === undefined) continue
        times.push(minute)
        values.push(value)
      }
    }
  }
  const latestAt = minuteOf(now)
  for (const { keys, minutes } of wanted.values()) {
    const times = minutes.get("definition") ?? []
    for (const key of keys.get("definition") ?? []) {
      if (key.constant === undefined) continue
      const values = new Float64Array(times.length).fill(key.constant)
      samples.set(key, { labels: key.labels, times, values, validMs: minuteMs, latestAt })
    }
  }
  const computed = [...wanted].filter(([, { minutes }]) => minutes.size > (minutes.has("definition") ? 1 : 0))
  if (computed.length > 0) {
    const adjustments = yield* readAdjustments(organization)
    const ofSlo = (slo: Slo): ReadonlyArray<BudgetAdjustment> =>
      slo.spec.objectives.some(isCompositeObjective)
        ? adjustments
        : adjustments.filter((each) => adjustsSlo(each, slo.metadata))
    const adjusted: Array<WantedMinutes> = []
    const received: Array<WantedMinutes> = []
    for (const [slo, { minutes, keys }] of computed) {
      const isBurnRate = ({ metric }: SloSeriesKey): boolean => metric.isBurnRate === true
      const objectives = new Set(
        [...keys.values()].flatMap((some) => Array.from(some, ({ objective }) => objective.name)),
      )
      const ofStatus = [...(keys.get("status") ?? [])]
      const parts = {
        window: ofStatus.some((key) => !isBurnRate(key)),
        burnRate: ofStatus.some(isBurnRate),
      }
      adjusted.push({
        slo,
        adjustments: ofSlo(slo.definition),
        objectives,
        statuses: minutes.get("status") ?? [],
        parts,
        counts: minutes.get("counts") ?? [],
      })
      const counts = minutes.get("receivedCounts") ?? []
      received.push({ slo, adjustments: [], objectives, statuses: [], parts, counts })
    }
    const visitorOf = (source: "counts" | "receivedCounts"): Parameters<typeof readStatusSeries>[2] => ({
      onStatus: adding("status", ({ metric }, status) => metric.valueOfStatus?.(status)),
      onCounts: adding(source, ({ metric }, sum) => metric.valueOfCounts?.(sum)),
    })
    yield* readStatusSeries(organization, adjusted, visitorOf("counts"))
    yield* readStatusSeries(organization, received, visitorOf("receivedCounts"))
  }
  for (const [key, { times, values }] of open) {
    const isStatus = key.metric.source === "status"
    const series = { labels: key.labels, times: Float64Array.from(times), values: Float64Array.from(values) }
    samples.set(key, isStatus ? { ...series, validMs: minuteMs, latestAt } : series)
  }
  return samples
})

const readAdjustments = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* DefinitionStore
  const adjustments: Array<BudgetAdjustment> = []
  let after: ProjectKey | undefined
  for (;;) {
    const page = { limit: pageSizeMax, ...(after !== undefined && { after }) }
    const { items, hasMore } = yield* store.list(organization, { kind: "BudgetAdjustment" }, page)
    adjustments.push(...items.map(({ definition }) => definition))
    const last = items.at(-1)?.definition.metadata
    if (!hasMore || last === undefined) return adjustments
    after = { project: last.project, name: last.name }
  }
})

const readPlanned = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  planned: ReadonlyArray<PlannedSelection>,
  now: number,
  inParts: InParts<E, R>,
) {
  const sloSamples = yield* readSloSamples(organization, planned, now, inParts)
  const samples = new Map<Selector, ReadonlyArray<SampledSeries>>()
  for (const { selection, series, alerts, minutes } of planned) {
    const present = yield* inParts(function* (work) {
      const all = series.flatMap((key) => sloSamples.get(key) ?? [])
      all.push(...(yield* alertSamples(alerts, minutes, minuteOf(now), work)))
      if (work.spend(labelsValues * all.length)) yield
      return sortedByLabels(
        all.filter(({ times }) => times.length > 0),
        ({ labels }) => labels,
      )
    })
    samples.set(selection.selector, present)
  }
  return samples
})

function* alertSamples(
  alerts: ReadonlyArray<PlannedAlerts>,
  minutes: ReadonlyArray<number>,
  latestAt: number,
  work: Work,
): Parts<ReadonlyArray<SampledSeries>> {
  const samples: Array<SampledSeries> = []
  for (const { labels, open } of alerts) {
    const times = open.flatMap(({ from, until }) => minutes.slice(from, until))
    if (work.spend(times.length)) yield
    samples.push({ labels, times, values: times.map(() => 1), validMs: minuteMs, latestAt })
  }
  return samples
}
