import { withChangedMinutes } from "@tocsin/domain"
import { emptyHour, groupBy, withCounts } from "@tocsin/domain/adapter"
import { hourOf } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import {
  type ClaimedBackfill,
  replacedRange,
  type Backfill,
  BackfillIsRunning,
  BackfillStore,
  resumableReasons,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type IndicatorPoll, indicatorTablesOf, type BackfillEntry } from "./IndicatorTables.ts"
import { sloTablesOf } from "./SloTables.ts"

const make: Effect.Effect<BackfillStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const { find, pollsOf, dueBackfills } = indicatorTablesOf(database)
    const tables = sloTablesOf(database)

    const put = (poll: IndicatorPoll, entry: BackfillEntry, dueAt: number): Backfill => {
      poll.backfill = entry
      if (entry.backfill.state === "running") dueBackfills.put(poll, dueAt)
      else dueBackfills.remove(poll)
      return entry.backfill
    }

    /** The running backfill of a claim, unless it was advanced, canceled or replaced since. */
    const claimedEntry = ({ organization, slo, backfill, run }: ClaimedBackfill) => {
      const poll = find(organization, slo.definition.metadata)
      const entry = poll?.backfill
      if (poll === undefined || entry?.run !== run || entry.backfill.state !== "running") return undefined
      return entry.backfill.readTo === backfill.readTo ? { poll, entry } : undefined
    }

    return BackfillStore.of({
      start: (organization, slo, range, now) =>
        Effect.suspend(() => {
          const poll = find(organization, slo)
          if (poll === undefined) return Effect.succeedNone
          if (poll.backfill?.backfill.state === "running") {
            return Effect.fail(new BackfillIsRunning(slo))
          }
          const backfill: Backfill = {
            range,
            state: "running",
            readTo: range.from,
            failures: 0,
            startedAt: now,
            readAt: now,
          }
          const run = (poll.backfill?.run ?? 0) + 1
          return Effect.succeedSome(put(poll, { backfill, run, hours: new Map() }, now))
        }),
      find: (organization, slo) =>
        Effect.sync(() => Option.fromNullishOr(find(organization, slo)?.backfill?.backfill)),
      list: (organization, { after, limit }) =>
        Effect.sync(() => {
          const backfills = pollsOf(organization).flatMap(({ slo: { definition }, backfill }) => {
            const { project, name } = definition.metadata
            const slo = { project, name }
            const isBehind = after === undefined || isBefore(after, slo)
            return backfill === undefined || !isBehind ? [] : [{ slo, backfill: backfill.backfill }]
          })
          return { items: backfills.slice(0, limit), hasMore: backfills.length > limit }
        }),
      cancel: (organization, slo, now) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll?.backfill === undefined) return Option.none()
          const { backfill } = poll.backfill
          if (backfill.state !== "running") return Option.some(backfill)
          const canceled = { ...backfill, state: "canceled", reason: "requested", endedAt: now } as const
          return Option.some(put(poll, { ...poll.backfill, backfill: canceled }, now))
        }),
      resume: (organization, slo, now) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll?.backfill === undefined) return Option.none()
          const { reason, endedAt: _endedAt, problem: _problem, ...backfill } = poll.backfill.backfill
          if (!resumableReasons.some((each) => each === reason)) return Option.some(poll.backfill.backfill)
          const resumed = { ...backfill, state: "running", failures: 0, readAt: now } as const
          return Option.some(put(poll, { ...poll.backfill, backfill: resumed }, now))
        }),
      claim: ({ now, leaseMs, inFlight, organizationsMax, backfillsPerOrganizationMax }) =>
        Effect.sync(() => {
          const claimed = new Map<
            OrganizationId,
            { readonly server: string; readonly backfills: Array<ClaimedBackfill> }
          >()
          for (const poll of dueBackfills.due(now, dueBackfills.size)) {
            const { organization, slo, state, backfill: entry } = poll
            if (entry === undefined || inFlight.has(organization)) continue
            if (claimed.size === organizationsMax && !claimed.has(organization)) continue
            const batch = claimed.get(organization) ?? { server: poll.server, backfills: [] }
            if (batch.server !== poll.server || batch.backfills.length === backfillsPerOrganizationMax)
              continue
            claimed.set(organization, batch)
            const leasedTo = now + leaseMs
            dueBackfills.put(poll, leasedTo)
            const { backfill, run } = entry
            batch.backfills.push({ organization, slo, indicator: state, backfill, run, leasedTo })
          }
          return [...claimed.values()].flatMap(({ backfills }) => backfills)
        }),
      release: (organization, claimed, dueAt) =>
        Effect.sync(() => {
          for (const { slo, leasedTo } of claimed) {
            const poll = find(organization, slo.definition.metadata)
            if (poll !== undefined && dueBackfills.dueAt(poll) === leasedTo) dueBackfills.put(poll, dueAt)
          }
        }),
      makeDue: (now, waitMs) => Effect.sync(() => dueBackfills.makeDue(now, waitMs)),
      settle: (claimed, { counts, dueAt, ...settled }) =>
        Effect.sync(() => {
          const current = claimedEntry(claimed)
          if (current === undefined) return false
          const { poll, entry } = current
          const { range, startedAt, readTo } = entry.backfill
          // A failure must not end the lease of another claim; what was read is the same, whoever has read it.
          if (settled.readTo <= readTo && dueBackfills.dueAt(poll) !== claimed.leasedTo) return false
          for (const [objective, ofObjective] of groupBy(counts, (count) => count.objective)) {
            const hours = entry.hours.get(objective) ?? new Map()
            entry.hours.set(objective, hours)
            for (const [start, ofHour] of groupBy(ofObjective, ({ at }) => hourOf(at))) {
              hours.set(start, withCounts(hours.get(start) ?? emptyHour, ofHour))
            }
          }
          put(poll, { ...entry, backfill: { ...settled, range, startedAt } }, dueAt)
          return true
        }),
      complete: (claimed, objectives, now) =>
        Effect.sync(() => {
          const current = claimedEntry(claimed)
          const { organization, slo } = claimed
          const key = slo.definition.metadata
          const state = tables.find(organization, key)
          if (current === undefined || state === undefined) return false
          const { poll, entry } = current
          const changed = state.counts.replace(objectives, replacedRange(entry.backfill), entry.hours)
          state.pastChanges = withChangedMinutes(state.pastChanges, changed, now)
          tables.countsHaveChanged(state, now)
          for (const composite of tables.referrers(organization, { kind: "SLO", ...key })) {
            composite.pastChanges = withChangedMinutes(composite.pastChanges, changed, now, key)
            tables.countsHaveChanged(composite, now)
          }
          const backfill = { ...entry.backfill, state: "complete", endedAt: now } as const
          put(poll, { backfill, run: entry.run, hours: new Map() }, now)
          return true
        }),
    })
  },
)

const isBefore = (a: ProjectKey, b: ProjectKey): boolean =>
  a.project === b.project ? a.name < b.name : a.project < b.project

export const layer: Layer.Layer<BackfillStore, never, MemoryDatabase> = Layer.effect(BackfillStore, make)
