import { withChangedMinutes } from "@tocsin/domain"
import { emptyHour, groupBy, withCounts } from "@tocsin/domain/adapter"
import { hourOf } from "@tocsin/domain/codec"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type ClaimedReplay,
  replacedRange,
  type Replay,
  ReplayIsRunning,
  ReplayStore,
  resumableReasons,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type IndicatorPoll, indicatorTablesOf, type ReplayEntry } from "./IndicatorTables.ts"
import { sloTablesOf } from "./SloTables.ts"

const make: Effect.Effect<ReplayStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const { find, pollsOf, dueReplays } = indicatorTablesOf(database)
    const tables = sloTablesOf(database)

    const put = (poll: IndicatorPoll, entry: ReplayEntry, dueAt: number): Replay => {
      poll.replay = entry
      if (entry.replay.state === "running") dueReplays.put(poll, dueAt)
      else dueReplays.remove(poll)
      return entry.replay
    }

    /** The running replay of a claim, unless it was advanced, canceled or replaced since. */
    const claimedEntry = ({ organization, slo, replay, run }: ClaimedReplay) => {
      const poll = find(organization, slo.definition.metadata)
      const entry = poll?.replay
      if (poll === undefined || entry?.run !== run || entry.replay.state !== "running") return undefined
      return entry.replay.readTo === replay.readTo ? { poll, entry } : undefined
    }

    return ReplayStore.of({
      start: (organization, slo, range, now) =>
        Effect.suspend(() => {
          const poll = find(organization, slo)
          if (poll === undefined) return Effect.succeedNone
          if (poll.replay?.replay.state === "running") {
            return Effect.fail(new ReplayIsRunning(slo))
          }
          const replay: Replay = {
            range,
            state: "running",
            readTo: range.from,
            failures: 0,
            startedAt: now,
            readAt: now,
          }
          const run = (poll.replay?.run ?? 0) + 1
          return Effect.succeedSome(put(poll, { replay, run, hours: new Map() }, now))
        }),
      find: (organization, slo) =>
        Effect.sync(() => Option.fromNullishOr(find(organization, slo)?.replay?.replay)),
      list: (organization, { after, limit }) =>
        Effect.sync(() => {
          const replays = pollsOf(organization).flatMap(({ slo: { definition }, replay }) => {
            const { project, name } = definition.metadata
            const slo = { project, name }
            const isBehind = after === undefined || isBefore(after, slo)
            return replay === undefined || !isBehind ? [] : [{ slo, replay: replay.replay }]
          })
          return { items: replays.slice(0, limit), hasMore: replays.length > limit }
        }),
      cancel: (organization, slo, now) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll?.replay === undefined) return Option.none()
          const { replay } = poll.replay
          if (replay.state !== "running") return Option.some(replay)
          const canceled = { ...replay, state: "canceled", reason: "requested", endedAt: now } as const
          return Option.some(put(poll, { ...poll.replay, replay: canceled }, now))
        }),
      resume: (organization, slo, now) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll?.replay === undefined) return Option.none()
          const { reason, endedAt: _endedAt, problem: _problem, ...replay } = poll.replay.replay
          if (!resumableReasons.some((each) => each === reason)) return Option.some(poll.replay.replay)
          const resumed = { ...replay, state: "running", failures: 0, readAt: now } as const
          return Option.some(put(poll, { ...poll.replay, replay: resumed }, now))
        }),
      claim: ({ now, leaseMs, inFlight, replaysMax }) =>
        Effect.sync(() => {
          const busy = new Set(inFlight)
          const claimed: Array<ClaimedReplay> = []
          for (const poll of dueReplays.due(now, dueReplays.size)) {
            const { organization, slo, state, replay: entry } = poll
            if (claimed.length === replaysMax || entry === undefined || busy.has(organization)) continue
            busy.add(organization)
            dueReplays.put(poll, now + leaseMs)
            claimed.push({ organization, slo, indicator: state, replay: entry.replay, run: entry.run })
          }
          return claimed
        }),
      makeDue: (now, waitMs) => Effect.sync(() => dueReplays.makeDue(now, waitMs)),
      settle: (claimed, { counts, dueAt, ...settled }) =>
        Effect.sync(() => {
          const current = claimedEntry(claimed)
          if (current === undefined) return false
          const { poll, entry } = current
          const { range, startedAt } = entry.replay
          for (const [objective, ofObjective] of groupBy(counts, (count) => count.objective)) {
            const hours = entry.hours.get(objective) ?? new Map()
            entry.hours.set(objective, hours)
            for (const [start, ofHour] of groupBy(ofObjective, ({ at }) => hourOf(at))) {
              hours.set(start, withCounts(hours.get(start) ?? emptyHour, ofHour))
            }
          }
          put(poll, { ...entry, replay: { ...settled, range, startedAt } }, dueAt)
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
          const changed = state.counts.replace(objectives, replacedRange(entry.replay), entry.hours)
          state.pastChanges = withChangedMinutes(state.pastChanges, changed, now)
          tables.countsHaveChanged(state, now)
          for (const composite of tables.referrers(organization, { kind: "SLO", ...key })) {
            composite.pastChanges = withChangedMinutes(composite.pastChanges, changed, now, key)
            tables.countsHaveChanged(composite, now)
          }
          const replay = { ...entry.replay, state: "complete", endedAt: now } as const
          put(poll, { replay, run: entry.run, hours: new Map() }, now)
          return true
        }),
    })
  },
)

const isBefore = (a: ProjectKey, b: ProjectKey): boolean =>
  a.project === b.project ? a.name < b.name : a.project < b.project

export const layer: Layer.Layer<ReplayStore, never, MemoryDatabase> = Layer.effect(ReplayStore, make)
