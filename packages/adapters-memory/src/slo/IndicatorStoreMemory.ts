import { mergeSettled } from "@tocsin/domain/adapter"
import {
  affectedSlosMax,
  type ClaimedIndicator,
  dataSourceServer,
  type FailedIndicator,
  IndicatorStore,
  type SourceReading,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type IndicatorPoll, indicatorTablesOf, isSameIndicator } from "./IndicatorTables.ts"

const make: Effect.Effect<IndicatorStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const { find, ofServer, pollsOf, put, dueAtOf, dueByOrganization } = indicatorTablesOf(database)

    return IndicatorStore.of({
      claim: ({ now, leaseMs, inFlight, batchesMax, batchesPerOrganizationMax, pollsPerBatchMax }) =>
        Effect.sync(() =>
          [...dueByOrganization]
            .flatMap(([organization, dueByServer]) => {
              const busy = inFlight.get(organization) ?? new Set()
              return [...dueByServer]
                .flatMap(([server, due]) => {
                  const dueAt = due.nextDueAt ?? Infinity
                  return busy.has(server) || dueAt > now ? [] : [{ organization, server, due, dueAt }]
                })
                .toSorted((a, b) => a.dueAt - b.dueAt)
                .map((batch, index) => ({ ...batch, turn: busy.size + index }))
                .filter(({ turn }) => turn < batchesPerOrganizationMax)
            })
            .toSorted((a, b) => a.turn - b.turn || a.dueAt - b.dueAt)
            .slice(0, batchesMax)
            .map(({ organization, server, due }) => {
              const polls = due.due(now, pollsPerBatchMax)
              for (const poll of polls) due.put(poll, now + leaseMs)
              return { organization, server, polls: polls.map(toClaimed), leasedTo: now + leaseMs }
            }),
        ),
      makeDue: (now, waitMs) =>
        Effect.sync(() => {
          for (const dueByServer of dueByOrganization.values())
            for (const due of dueByServer.values()) due.makeDue(now, waitMs)
        }),
      settle: (organization, slo, claimed, settled) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll === undefined || !isSameIndicator(poll.state.indicator, claimed.indicator)) return false
          const merged = mergeSettled(poll.state, claimed, settled)
          if (merged === undefined) return false
          const { dueAt, ...state } = merged
          poll.state = { indicator: poll.state.indicator, ...state }
          put(poll, dueAt)
          return true
        }),
      release: ({ organization, polls, leasedTo }, dueAt) =>
        Effect.sync(() => {
          for (const { slo } of polls) {
            const poll = find(organization, slo.definition.metadata)
            if (poll !== undefined && dueAtOf(poll) === leasedTo) put(poll, dueAt)
          }
        }),
      find: (organization, slo) => Effect.sync(() => Option.fromNullishOr(find(organization, slo)?.state)),
      historyBacklog: Effect.sync(() => {
        let count = 0
        for (const dueByServer of dueByOrganization.values())
          for (const due of dueByServer.values())
            for (const { state } of due.items()) if (state.readTo === 0 || state.recent !== undefined) count++
        return count
      }),
      readings: (organization, sources) =>
        Effect.sync(() =>
          sources.map((source) => readingOf(ofServer(organization, dataSourceServer(source)))),
        ),
      failed: (organization, limit) =>
        Effect.sync(() =>
          pollsOf(organization)
            .flatMap(
              ({ slo, server, state: { problem, unavailableSince } }): ReadonlyArray<FailedIndicator> => {
                const { project, name } = slo.definition.metadata
                return problem === undefined
                  ? []
                  : [
                      {
                        slo: { project, name },
                        server,
                        problem,
                        isUnavailable: unavailableSince !== undefined,
                      },
                    ]
              },
            )
            .slice(0, limit),
        ),
    })
  },
)

export const layer: Layer.Layer<IndicatorStore, never, MemoryDatabase> = Layer.effect(IndicatorStore, make)

const toClaimed = ({ organization, slo, state }: IndicatorPoll): ClaimedIndicator => ({
  organization,
  slo,
  state,
})

const readingOf = (polls: ReadonlyArray<IndicatorPoll>): SourceReading => {
  const states = polls.map(({ state }) => state)
  const succeeded = states.flatMap(({ succeededAt }) => (succeededAt === undefined ? [] : [succeededAt]))
  const succeededAt = succeeded.length === 0 ? undefined : Math.max(...succeeded)
  const affected = polls.filter(({ state }) => state.unavailableSince !== undefined)
  const since = affected.flatMap(({ state }) => state.unavailableSince ?? [])
  const later = since.filter((at) => succeededAt === undefined || at > succeededAt)
  const [latest] = affected.toSorted(
    (a, b) => (b.state.unavailableSince ?? 0) - (a.state.unavailableSince ?? 0),
  )
  const problem = latest?.state.problem
  return {
    slos: polls.length,
    queried: states.filter(({ succeededAt, problem }) => succeededAt !== undefined || problem !== undefined)
      .length,
    affected: affected.length,
    affectedSlos: affected.slice(0, affectedSlosMax).map(
      ({
        slo: {
          definition: { metadata },
        },
      }) => ({
        project: metadata.project,
        name: metadata.name,
      }),
    ),
    ...(succeededAt !== undefined && { succeededAt }),
    ...(problem !== undefined && { problem }),
    ...(affected.length > 0 && { unavailableSince: Math.min(...(later.length > 0 ? later : since)) }),
  }
}
