import type { OrganizationId } from "@tocsin/domain/definition/Definition"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import { type IndicatorState, serverOf } from "@tocsin/domain/indicator/IndicatorState"
import { type ClaimedIndicator, IndicatorStore } from "@tocsin/domain/indicator/IndicatorStore"
import type { Indicator } from "@tocsin/domain/slo/Indicator"
import type { Slo } from "@tocsin/domain/slo/Slo"
import { Effect, Layer, Option } from "effect"
import { DueQueue } from "./DueQueue.ts"
import { type DefinitionWritten, MemoryDatabase } from "./MemoryDatabase.ts"
import { SortedTable } from "./SortedTable.ts"

/** Keeps how far the indicators of a memory database are read. */
export const make: Effect.Effect<IndicatorStore["Type"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const organizations = new Map<OrganizationId, SortedTable<Poll>>()
    const dueByServer = new Map<string, DueQueue<Poll>>()

    const put = (poll: Poll, dueAt: number): void => {
      const due = dueByServer.get(poll.server) ?? new DueQueue<Poll>()
      dueByServer.set(poll.server, due)
      due.put(poll, dueAt)
    }

    const remove = (poll: Poll): void => {
      const due = dueByServer.get(poll.server)
      due?.remove(poll)
      if (due?.nextDueAt === undefined) dueByServer.delete(poll.server)
    }

    const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
      if (key.kind !== "SLO") return
      const polls = organizations.get(organization) ?? new SortedTable<Poll>()
      const poll = polls.get(key)
      // The kind of the key says what the definition is.
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
      claim: ({ now, leaseMs, busyServers, serversMax, pollsPerServerMax }) =>
        Effect.sync(() => {
          const claimed = new Map<string, ReadonlyArray<ClaimedIndicator>>()
          const servers = [...dueByServer]
            .filter(([server, due]) => !busyServers.includes(server) && (due.nextDueAt ?? Infinity) <= now)
            .toSorted(([, a], [, b]) => (a.nextDueAt ?? 0) - (b.nextDueAt ?? 0))
          for (const [server, due] of servers.slice(0, serversMax)) {
            const polls = due.due(now, pollsPerServerMax)
            for (const poll of polls) due.put(poll, now + leaseMs)
            claimed.set(
              server,
              polls.map(({ organization, slo, state }) => ({ organization, slo, state })),
            )
          }
          return claimed
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
        Effect.sync(() => Option.fromNullable(organizations.get(organization)?.get(slo)?.state)),
    })
  },
)

/** How far the indicators of the memory database are read. */
export const layer: Layer.Layer<IndicatorStore, never, MemoryDatabase> = Layer.effect(IndicatorStore, make)

interface Poll {
  readonly organization: OrganizationId
  readonly server: string
  slo: StoredDefinition<Slo>
  state: IndicatorState
}

const isSame = (a: Indicator, b: Indicator): boolean => JSON.stringify(a) === JSON.stringify(b)
