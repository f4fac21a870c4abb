import {
  addPoints,
  countOfParts,
  type OtlpIndicator,
  type PartSums,
  plainObjectivesOf,
  pushedAgeMaxMs,
  seriesIdleMaxMs,
  type SeriesState,
} from "@tocsin/domain/adapter"
import { minuteOf } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type Count,
  type PointsOfSlo,
  PushedMetricStore,
  pushedSeriesMax,
  type StoredDefinition,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type DefinitionWritten, MemoryDatabase, type SloMoved } from "../definition/MemoryDatabase.ts"
import { makeRecord } from "./CountStoreMemory.ts"
import { sloTablesOf } from "./SloTables.ts"

/** Pushed metrics in memory, lost when the process ends. */
const make: Effect.Effect<PushedMetricStore["Service"], never, MemoryDatabase> = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const tables = sloTablesOf(database)
  const record = yield* makeRecord(tables)
  const organizations = new Map<OrganizationId, Map<string, Entry>>()

  const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
    if (key.kind !== "SLO") return
    const slo = { project: key.project, name: key.name }
    const entries = organizations.get(organization) ?? new Map<string, Entry>()
    // Its kind is that of the key.
    const indicator = (after as StoredDefinition<Slo> | undefined)?.definition.spec.indicator?.otlp
    if (indicator === undefined) {
      entries.delete(projectKeyText(slo))
      return
    }
    organizations.set(organization, entries)
    if (JSON.stringify(entries.get(projectKeyText(slo))?.indicator) === JSON.stringify(indicator)) return
    const empty = { receivedAt: undefined, series: new Map(), minutes: new Map() }
    entries.set(projectKeyText(slo), { slo, indicator, since: now, ...empty })
  }

  const move = ({ organization, from, to }: SloMoved): void => {
    const entries = organizations.get(organization)
    const entry = entries?.get(projectKeyText(from))
    if (entry === undefined) return
    entries?.delete(projectKeyText(from))
    entries?.set(projectKeyText(to), { ...entry, slo: to })
  }
  database.takePart({ name: "pushed indicators", written: follow, moved: move })

  const push = (organization: OrganizationId, { slo, indicator, points }: PointsOfSlo, now: number) => {
    const entry = organizations.get(organization)?.get(projectKeyText(slo))
    if (entry === undefined || JSON.stringify(entry.indicator) !== JSON.stringify(indicator)) {
      return { counts: [], withoutRoom: 0 }
    }
    for (const [key, { at }] of entry.series) if (at < now - seriesIdleMaxMs) entry.series.delete(key)
    for (const at of entry.minutes.keys()) {
      if (at < minuteOf(now - pushedAgeMaxMs)) entry.minutes.delete(at)
    }
    const room = pushedSeriesMax - entry.series.size
    const added = addPoints(points, entry.series, { since: entry.since, now, room })
    for (const [key, state] of added.states) entry.series.set(key, state)
    entry.receivedAt = now
    const objectives = plainObjectivesOf(tables.find(organization, slo)?.stored.definition as Slo)
    const counts = [...added.minutes].flatMap(([at, sums]): ReadonlyArray<Count> => {
      const before = entry.minutes.get(at) ?? { good: 0, bad: 0, total: 0 }
      const after = {
        good: before.good + sums.good,
        bad: before.bad + sums.bad,
        total: before.total + sums.total,
      }
      entry.minutes.set(at, after)
      const count = countOfParts(indicator, at, after)
      return objectives.map(({ name }) => ({ objective: name, ...count }))
    })
    return { counts, withoutRoom: added.withoutRoom }
  }

  return PushedMetricStore.of({
    indicators: (organization, metrics) =>
      Effect.sync(() =>
        [...(organizations.get(organization)?.values() ?? [])].flatMap(({ slo, indicator }) =>
          Object.values(indicator).some(({ metric }) => metrics.has(metric)) ? [{ slo, indicator }] : [],
        ),
      ),
    record: (organization, pushed, now) =>
      Effect.sync(() => {
        const results = pushed.map((each) => ({ slo: each.slo, ...push(organization, each, now) }))
        record(
          organization,
          results.filter(({ counts }) => counts.length > 0),
          now,
        )
        return results.reduce((sum, { withoutRoom }) => sum + withoutRoom, 0)
      }),
    find: (organization, slo) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(organizations.get(organization)?.get(projectKeyText(slo))),
          ({ receivedAt }) => (receivedAt === undefined ? {} : { receivedAt }),
        ),
      ),
  })
})

export const layer: Layer.Layer<PushedMetricStore, never, MemoryDatabase> = Layer.effect(
  PushedMetricStore,
  make,
)

interface Entry {
  readonly slo: ProjectKey
  readonly indicator: OtlpIndicator
  /** When the indicator was defined, in Unix milliseconds. */
  readonly since: number
  receivedAt: number | undefined
  readonly series: Map<string, SeriesState>
  readonly minutes: Map<number, PartSums>
}
