import { DueQueue, type HourOfCounts, type PolledIndicator, polledIndicatorOf } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import {
  dataSourceServer,
  type IndicatorState,
  isSourceKind,
  type Backfill,
  serverOf,
  type StoredDefinition,
} from "@tocsin/domain/ports"
import type { DefinitionWritten, MemoryDatabase, SloMoved } from "../definition/MemoryDatabase.ts"
import { SortedTable } from "../collections/SortedTable.ts"

export interface IndicatorPoll {
  readonly organization: OrganizationId
  readonly server: string
  slo: StoredDefinition<Slo>
  state: IndicatorState
  backfill?: BackfillEntry
}

/** The latest backfill of an indicator, and what it has read: by objective and hour, as in `HourOfCounts`. */
export interface BackfillEntry {
  readonly backfill: Backfill
  readonly run: number
  readonly hours: Map<string, Map<number, HourOfCounts>>
}

/** The tables of indicators, which follow the definitions. */
export interface IndicatorTables {
  readonly find: (organization: OrganizationId, slo: ProjectKey) => IndicatorPoll | undefined
  /** Those of an organization, by project and name. */
  readonly pollsOf: (organization: OrganizationId) => ReadonlyArray<IndicatorPoll>
  /** Those of an organization that are read from a server, by project and name. */
  readonly ofServer: (organization: OrganizationId, server: string) => ReadonlyArray<IndicatorPoll>
  /** Makes a poll due at `dueAt` (Unix milliseconds). */
  readonly put: (poll: IndicatorPoll, dueAt: number) => void
  /** When a poll is due, in Unix milliseconds. */
  readonly dueAtOf: (poll: IndicatorPoll) => number | undefined
  readonly dueByOrganization: ReadonlyMap<OrganizationId, ReadonlyMap<string, DueQueue<IndicatorPoll>>>
  /** The indicators with a running backfill, by when its next step is due. */
  readonly dueBackfills: DueQueue<IndicatorPoll>
}

/** The tables of a database; the same database always gives the same tables. */
export const indicatorTablesOf = (database: MemoryDatabase["Service"]): IndicatorTables => {
  const tables = tablesByDatabase.get(database) ?? make(database)
  tablesByDatabase.set(database, tables)
  return tables
}

const tablesByDatabase = new WeakMap<MemoryDatabase["Service"], IndicatorTables>()

const make = (database: MemoryDatabase["Service"]): IndicatorTables => {
  const organizations = new Map<OrganizationId, SortedTable<IndicatorPoll>>()
  const dueByOrganization = new Map<OrganizationId, Map<string, DueQueue<IndicatorPoll>>>()
  const dueBackfills = new DueQueue<IndicatorPoll>()

  const put = (poll: IndicatorPoll, dueAt: number): void => {
    const dueByServer = dueByOrganization.get(poll.organization) ?? new Map<string, DueQueue<IndicatorPoll>>()
    dueByOrganization.set(poll.organization, dueByServer)
    const due = dueByServer.get(poll.server) ?? new DueQueue<IndicatorPoll>()
    dueByServer.set(poll.server, due)
    due.put(poll, dueAt)
  }

  const remove = (poll: IndicatorPoll): void => {
    const dueByServer = dueByOrganization.get(poll.organization)
    const due = dueByServer?.get(poll.server)
    due?.remove(poll)
    if (due?.nextDueAt === undefined) dueByServer?.delete(poll.server)
    if (dueByServer?.size === 0) dueByOrganization.delete(poll.organization)
    dueBackfills.remove(poll)
  }

  const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
    // Its address or credentials have changed: what waits after a failure is tried at once.
    if (isSourceKind(key.kind)) {
      dueByOrganization.get(organization)?.get(dataSourceServer(key))?.makeDue(now, 0)
      const waiting = Array.from(dueBackfills.items()).filter(
        (poll) => poll.organization === organization && poll.server === dataSourceServer(key),
      )
      for (const poll of waiting) dueBackfills.put(poll, Math.min(now, dueBackfills.dueAt(poll) ?? now))
    }
    if (key.kind !== "SLO") return
    const polls = organizations.get(organization) ?? new SortedTable<IndicatorPoll>()
    const poll = polls.get(key)
    // Its kind is that of the key.
    const slo = after as StoredDefinition<Slo> | undefined
    const indicator = slo && polledIndicatorOf(slo.definition)
    if (poll !== undefined && slo !== undefined && indicator !== undefined) {
      poll.slo = slo
      if (isSameIndicator(poll.state.indicator, indicator)) return
    }
    if (poll !== undefined) {
      remove(poll)
      polls.delete(key)
    }
    if (slo === undefined || indicator === undefined) return
    const state = { indicator, readTo: 0, failures: 0 }
    const begun: IndicatorPoll = { organization, server: serverOf(indicator), slo, state }
    if (poll?.backfill !== undefined) begun.backfill = backfillOfBefore(poll.backfill, now)
    polls.set(key, begun)
    organizations.set(organization, polls)
    put(begun, now)
  }

  const move = ({ organization, from, to }: SloMoved): void => {
    const polls = organizations.get(organization)
    const poll = polls?.get(from)
    if (poll === undefined) return
    polls?.delete(from)
    polls?.set(to, poll)
  }
  database.takePart({ name: "indicators", written: follow, moved: move })

  const pollsOf = (organization: OrganizationId): ReadonlyArray<IndicatorPoll> =>
    Array.from(organizations.get(organization)?.values() ?? [])

  return {
    find: (organization, slo) => organizations.get(organization)?.get(slo),
    pollsOf,
    ofServer: (organization, server) => pollsOf(organization).filter((poll) => poll.server === server),
    put,
    dueAtOf: (poll) => dueByOrganization.get(poll.organization)?.get(poll.server)?.dueAt(poll),
    dueByOrganization,
    dueBackfills,
  }
}

/** The backfill of an indicator that has changed. */
const backfillOfBefore = ({ backfill, run }: BackfillEntry, now: number): BackfillEntry => ({
  run,
  hours: new Map(),
  backfill:
    backfill.state === "complete"
      ? backfill
      : { ...backfill, state: "canceled", reason: "indicator_changed", endedAt: backfill.endedAt ?? now },
})

/** Whether two definitions read the same. */
export const isSameIndicator = (a: PolledIndicator, b: PolledIndicator): boolean =>
  JSON.stringify(a) === JSON.stringify(b)
