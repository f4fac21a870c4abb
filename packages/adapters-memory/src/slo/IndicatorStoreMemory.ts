import { type ClaimedIndicator, IndicatorStore } from "@tocsin/domain/data-source/IndicatorStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { type IndicatorPoll, indicatorTablesOf, isSameIndicator } from "./IndicatorTables.ts"

export const make: Effect.Effect<IndicatorStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const { find, put, dueByOrganization } = indicatorTablesOf(database)

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
              return { organization, server, polls: polls.map(toClaimed) }
            }),
        ),
      makeDue: (now, waitMs) =>
        Effect.sync(() => {
          for (const dueByServer of dueByOrganization.values())
            for (const due of dueByServer.values()) due.makeDue(now, waitMs)
        }),
      settle: (organization, slo, claimed, { dueAt, ...settled }) =>
        Effect.sync(() => {
          const poll = find(organization, slo)
          if (poll === undefined || poll.state.readTo !== claimed.readTo) return false
          if (!isSameIndicator(poll.state.indicator, claimed.indicator)) return false
          poll.state = { indicator: poll.state.indicator, ...settled }
          put(poll, dueAt)
          return true
        }),
      find: (organization, slo) => Effect.sync(() => Option.fromNullishOr(find(organization, slo)?.state)),
    })
  },
)

export const layer: Layer.Layer<IndicatorStore, never, MemoryDatabase> = Layer.effect(IndicatorStore, make)

const toClaimed = ({ organization, slo, state }: IndicatorPoll): ClaimedIndicator => ({
  organization,
  slo,
  state,
})
