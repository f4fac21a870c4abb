import { minuteMs, minuteOf } from "@tocsin/domain/internal/codec/MinuteInstant"
import { DefinitionStore, type StoredDefinition } from "@tocsin/domain/internal/definition/DefinitionStore"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/internal/metadata/ObjectKey"
import { pageSizeMax } from "@tocsin/domain/internal/pagination/Page"
import { adjustsSlo, type BudgetAdjustment } from "@tocsin/domain/internal/slo/BudgetAdjustment"
import { isCompositeObjective, type Slo } from "@tocsin/domain/internal/slo/Slo"
import { readStatusSeries, type WantedMinutes } from "@tocsin/domain/internal/status/StatusSeries"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Selection } from "../promql/Evaluate.ts"
import type { Selector } from "../promql/Query.ts"
import { QueryFailed } from "../promql/QueryErrors.ts"
import { compareLabels, type SampledSeries } from "../promql/Series.ts"
import { type AlertSeries, selectAlertSeries, selectSloSeries } from "./SelectSeries.ts"
import type { MetricSource, SloSeriesKey } from "./SloMetrics.ts"

/** Most minutes of all SLOs whose status or counts are computed for one query. */
export const computedMinutesMax = 300_000

/** Most samples that are in memory for one query. */
export const samplesMax = 4_000_000

/** The samples of the selections of a query, and how many minutes of SLOs are to be computed for them. */
export interface PlannedSamples {
  readonly minutes: number
  readonly read: ReturnType<typeof readPlanned>
}

/**
 * Plans reading the samples of the selections of a query: there is one for each minute, at its start, up to now. Fails with
 * `QueryFailed` if there would be too many.
 */
export const planSamples = Effect.fnUntraced(function* (
  organization: OrganizationId,
  selections: ReadonlyArray<Selection>,
) {
  const now = yield* Clock.currentTimeMillis
  const matchers = selections.map(({ selector }) => selector.matchers)
  const sloSeries = yield* selectSloSeries(organization, matchers)
  const alertSeries = yield* selectAlertSeries(organization, matchers, hullOf(selections))
  const planned = selections.map((selection, index): PlannedSelection => {
    const series = sloSeries[index] ?? []
    return {
      selection,
      series,
      alerts: alertSeries[index] ?? [],
      // Counts are current as long as the lookback says, everything else for its minute.
      minutes: minutesOf(selection, now, selection.isLatest),
      countMinutes: minutesOf(selection, now, false),
    }
  })
  let [computed, samples] = [0, 0]
  for (const { series, minutes, countMinutes } of planned) {
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
  }
  if (computed > computedMinutesMax || samples > samplesMax) {
    return yield* new QueryFailed({
      detail: `query processing would load too many samples: ${computed} minutes of SLOs, of at most ${computedMinutesMax}, and ${samples} samples, of at most ${samplesMax}; select fewer series, a shorter range or a longer step`,
    })
  }
  const plan: PlannedSamples = { minutes: computed, read: readPlanned(organization, planned, now) }
  return plan
})

interface PlannedSelection {
  readonly selection: Selection
  readonly series: ReadonlyArray<SloSeriesKey>
  readonly alerts: ReadonlyArray<AlertSeries>
  /** The starts of the minutes whose samples are needed, ascending. */
  readonly minutes: ReadonlyArray<number>
  readonly countMinutes: ReadonlyArray<number>
}

const isOfCounts = (source: MetricSource): boolean => source === "counts" || source === "receivedCounts"

const hullOf = (selections: ReadonlyArray<Selection>) => {
  let [from, to] = [Infinity, -Infinity]
  for (const { ends, lengthMs } of selections) {
    from = Math.min(from, (ends[0] ?? Infinity) - lengthMs)
    to = Math.max(to, ends.at(-1) ?? -Infinity)
  }
  return { from, to }
}

/** The minutes that start within the ranges of a selection and not after now; only the latest of each with `isLatest`. */
const minutesOf = ({ ends, lengthMs }: Selection, now: number, isLatest: boolean): ReadonlyArray<number> => {
  const minutes: Array<number> = []
  let after = -Infinity
  for (const end of ends) {
    const last = Math.min(minuteOf(end), minuteOf(now))
    const start = minuteOf(end - lengthMs) + minuteMs
    const first = isLatest ? Math.max(last, start) : start
    for (let minute = Math.max(first, after + minuteMs); minute <= last; minute += minuteMs) {
      if (minutes.length >= computedMinutesMax) return minutes
      minutes.push(minute)
    }
    after = Math.max(after, last)
  }
  return minutes
}

/** The series of one SLO that are wanted, by what they are computed from. */
interface WantedSlo {
  readonly keys: ReadonlyMap<MetricSource, ReadonlySet<SloSeriesKey>>
  readonly minutes: ReadonlyMap<MetricSource, ReadonlyArray<number>>
}

/** Puts together what several selections want of an SLO, so that it is read once. */
const wantedSlos = (
  planned: ReadonlyArray<PlannedSelection>,
): ReadonlyMap<StoredDefinition<Slo>, WantedSlo> => {
  const wanted = new Map<
    StoredDefinition<Slo>,
    Map<MetricSource, { readonly keys: Set<SloSeriesKey>; readonly selections: Set<number> }>
  >()
  for (const [index, { series }] of planned.entries()) {
    for (const key of series) {
      const ofSlo = wanted.get(key.slo) ?? new Map()
      wanted.set(key.slo, ofSlo)
      const ofSource = ofSlo.get(key.metric.source) ?? { keys: new Set(), selections: new Set() }
      ofSlo.set(key.metric.source, ofSource)
      ofSource.keys.add(key)
      ofSource.selections.add(index)
    }
  }
  const unions = new Map<string, ReadonlyArray<number>>()
  const unionOf = (source: MetricSource, selections: ReadonlySet<number>): ReadonlyArray<number> => {
    const ofCounts = isOfCounts(source)
    const key = `${ofCounts} ${[...selections].join(" ")}`
    const known = unions.get(key)
    if (known !== undefined) return known
    const lists = [...selections].map((index) => {
      const selection = planned[index]
      return (ofCounts ? selection?.countMinutes : selection?.minutes) ?? []
    })
    const [first = [], ...others] = lists
    const union = others.length === 0 ? first : [...new Set(lists.flat())].toSorted((a, b) => a - b)
    unions.set(key, union)
    return union
  }
  return new Map(
    Array.from(wanted, ([slo, sources]) => [
      slo,
      {
        keys: new Map(Array.from(sources, ([source, { keys }]) => [source, keys])),
        minutes: new Map(
          Array.from(sources, ([source, { selections }]) => [source, unionOf(source, selections)]),
        ),
      },
    ]),
  )
}

const readSloSamples = Effect.fnUntraced(function* (
  organization: OrganizationId,
  planned: ReadonlyArray<PlannedSelection>,
  now: number,
) {
  const wanted = wantedSlos(planned)
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

const readPlanned = Effect.fnUntraced(function* (
  organization: OrganizationId,
  planned: ReadonlyArray<PlannedSelection>,
  now: number,
) {
  const sloSamples = yield* readSloSamples(organization, planned, now)
  const samples = new Map<Selector, ReadonlyArray<SampledSeries>>()
  for (const { selection, series, alerts, minutes } of planned) {
    const latestAt = minuteOf(now)
    const ofAlerts = alerts.map(({ labels, alerts }): SampledSeries => {
      const open = minutes.filter((minute) =>
        alerts.some(
          ({ triggeredAt, resolvedAt = Infinity }) => minute >= minuteOf(triggeredAt) && minute < resolvedAt,
        ),
      )
      return { labels, times: open, values: open.map(() => 1), validMs: minuteMs, latestAt }
    })
    const all = [...series.flatMap((key) => sloSamples.get(key) ?? []), ...ofAlerts]
    samples.set(
      selection.selector,
      all.filter(({ times }) => times.length > 0).toSorted((a, b) => compareLabels(a.labels, b.labels)),
    )
  }
  return samples
})
