import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import {
  type IndicatorState,
  serverOf,
  type ClaimedIndicator,
  IndicatorStore,
} from "@tocsin/domain/data-source/IndicatorStore"
import type { Indicator } from "@tocsin/domain/slo/Indicator"
import type { Slo } from "@tocsin/domain/slo/Slo"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DueQueue } from "@tocsin/domain/collections/DueQueue"
import { type DefinitionWritten, MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { SortedTable } from "../collections/SortedTable.ts"

export const make: Effect.Effect<IndicatorStore["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const organizations = new Map<OrganizationId, SortedTable<Poll>>()
    const dueByOrganization = new Map<OrganizationId, Map<string, DueQueue<Poll>>>()

    const put = (poll: Poll, dueAt: number): void => {
      const dueByServer = dueByOrganization.get(poll.organization) ?? new Map<string, DueQueue<Poll>>()
      dueByOrganization.set(poll.organization, dueByServer)
      const due = dueByServer.get(poll.server) ?? new DueQueue<Poll>()
      dueByServer.set(poll.server, due)
      due.put(poll, dueAt)
    }

    const remove = (poll: Poll): void => {
      const dueByServer = dueByOrganization.get(poll.organization)
      const due = dueByServer?.get(poll.server)
      due?.remove(poll)
      if (due?.nextDueAt === undefined) dueByServer?.delete(poll.server)
      if (dueByServer?.size === 0) dueByOrganization.delete(poll.organization)
    }

    const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
      if (key.kind !== "SLO") return
      const polls = organizations.get(organization) ?? new SortedTable<Poll>()
      const poll = polls.get(key)
      // Its kind is that of the key.
      const slo = after as StoredDefinition<Slo> | undefined
      const indicator = slo?.definition.spec.indicator
      if (poll !== undefined && slo !== undefined && indicator !== undefined) {
        poll.slo = slo
        if (isSame(poll.state.indicator, indicator)) return
      }
      if (poll !== undefined) {
        remove(poll)
        polls.delete(key)
      }
      if (slo === undefined || indicator === undefined) return
      const state = { indicator, readTo: 0, failures: 0 }
      const begun: Poll = { organization, server: serverOf(indicator), slo, state }
      polls.set(key, begun)
      organizations.set(organization, polls)
      put(begun, now)
    }

    database.onDefinitionWritten(follow)

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
          const poll = organizations.get(organization)?.get(slo)
          if (poll === undefined || poll.state.readTo !== claimed.readTo) return false
          if (!isSame(poll.state.indicator, claimed.indicator)) return false
          poll.state = { indicator: poll.state.indicator, ...settled }
          put(poll, dueAt)
          return true
        }),
      find: (organization, slo) =>
        Effect.sync(() => Option.fromNullishOr(organizations.get(organization)?.get(slo)?.state)),
    })
  },
)

export const layer: Layer.Layer<IndicatorStore, never, MemoryDatabase> = Layer.effect(IndicatorStore, make)

interface Poll {
  readonly organization: OrganizationId
  readonly server: string
  slo: StoredDefinition<Slo>
  state: IndicatorState
}

const toClaimed = ({ organization, slo, state }: Poll): ClaimedIndicator => ({ organization, slo, state })

const isSame = (a: Indicator, b: Indicator): boolean => JSON.stringify(a) === JSON.stringify(b)
