import {
  pastAdjustmentChanges,
  type PastChanges,
  type SloRecord,
  withChangedAdjustments,
} from "@tocsin/domain"
import {
  definitionKey,
  DueQueue,
  keptStatuses,
  type Parts,
  silenceIsOf,
  sliceRulesOf,
  type SloStatuses,
} from "@tocsin/domain/adapter"
import { adjustsSlo, type BudgetAdjustment, kinds, type Slo } from "@tocsin/domain/definitions"
import type { DefinitionKey, OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import type { ProjectVersion, SloRevision, SloVersion, StoredDefinition } from "@tocsin/domain/ports"
import type { DefinitionWritten, MemoryDatabase, SloMoved } from "../definition/MemoryDatabase.ts"
import { SloCounts } from "./SloCounts.ts"
import { SortedTable } from "../collections/SortedTable.ts"

export interface SloState {
  readonly organization: OrganizationId
  stored: StoredDefinition<Slo>
  statuses: SloStatuses
  /** The record as it was last read; `undefined` once the definition or the statuses have changed. */
  record: SloRecord | undefined
  /** The `namesVersion` of the organization that the record was made with. */
  recordNamesVersion: number
  /** As it was last written with the status. */
  evaluation: string | undefined
  /** As in `DueSlo`. */
  pastChanges: PastChanges | undefined
  traceparent: string | undefined
  /** Changes with every definition that the status is computed from, and when that is written. */
  revision: number
  /** Changes with counts, its own and those of its components. */
  countsRevision: number
  readonly counts: SloCounts
}

/**
 * The revision of an SLO. It includes the definition's version, as the revision of an SLO that is deleted and created
 * again starts at 0.
 */
export const revisionOf = ({ stored, revision, countsRevision }: SloState): SloRevision => ({
  basis: `${stored.version}.${revision}`,
  counts: String(countsRevision),
})

/** As in the revision, whose counts change nothing of the record. */
export const versionOf = ({ stored, revision }: SloState): SloVersion => ({
  definition: Number(stored.version),
  status: revision,
})

/** The tables that the ports of SLOs share. */
export interface SloTables {
  readonly find: (organization: OrganizationId, key: ProjectKey) => SloState | undefined
  /** The SLOs of an organization, in order; to be read only. */
  readonly slos: (organization: OrganizationId) => SortedTable<SloState>
  /** The record of an SLO with its project and service as they are now: the same object until it changes. */
  readonly record: (state: SloState) => SloRecord
  readonly projectVersions: (organization: OrganizationId) => Parts<ReadonlyArray<ProjectVersion>>
  readonly writeStatuses: (state: SloState, statuses: SloStatuses) => void
  /**
   * Has the status computed at `now` (Unix milliseconds): counts that it is computed from have changed. One that is due keeps its
   * turn.
   */
  readonly countsHaveChanged: (state: SloState, now: number, traceparent?: string) => void
  readonly referrers: (organization: OrganizationId, key: DefinitionKey) => ReadonlyArray<SloState>
  readonly due: DueQueue<SloState>
}

/** The SLO tables of a database; the same database always gives the same tables. */
export const sloTablesOf = (database: MemoryDatabase["Service"]): SloTables => {
  const tables = tablesByDatabase.get(database) ?? make(database)
  tablesByDatabase.set(database, tables)
  return tables
}

const tablesByDatabase = new WeakMap<MemoryDatabase["Service"], SloTables>()

const adjustmentsOf = (
  ...stored: ReadonlyArray<StoredDefinition | undefined>
): ReadonlyArray<BudgetAdjustment> =>
  stored.flatMap((each) => (each?.definition.kind === "BudgetAdjustment" ? [each.definition] : []))

const statusText = (statuses: SloStatuses): string => JSON.stringify([...statuses])

/** SLOs that are gone through in one part. */
const slosAtOnce = 2_000

interface OrganizationSlos {
  readonly slos: SortedTable<SloState>
  /** Changes whenever a project or service is written. */
  namesVersion: number
}

const make = (database: MemoryDatabase["Service"]): SloTables => {
  const organizations = new Map<OrganizationId, OrganizationSlos>()
  const due = new DueQueue<SloState>()

  const slosOf = (organization: OrganizationId): OrganizationSlos =>
    organizations.get(organization) ?? { slos: new SortedTable(), namesVersion: 0 }

  const writeStatuses = (state: SloState, statuses: SloStatuses): void => {
    // The record, and the JSON that is cached for it, stay those of a status that was computed again with the same result.
    if (statusText(state.statuses) === statusText(statuses)) return
    state.statuses = statuses
    state.record = undefined
  }

  const putDue = (state: SloState, now: number): void =>
    due.put(state, Math.min(now, due.dueAt(state) ?? now))

  const makeDue = (state: SloState, now: number): void => {
    state.revision++
    putDue(state, now)
  }

  const referrers = (organization: OrganizationId, key: DefinitionKey): ReadonlyArray<SloState> =>
    database.referrers(organization, key).flatMap(({ kind, ...referrer }) => {
      const state = kind === "SLO" ? slosOf(organization).slos.get(referrer) : undefined
      return state === undefined ? [] : [state]
    })

  /** The SLOs whose status is computed from a definition, beside its own. */
  const computedFrom = ({ organization, key, before, after }: DefinitionWritten): ReadonlyArray<SloState> => {
    if (key.kind === "SLO" || key.kind === "AlertPolicy") return referrers(organization, key)
    if (key.kind === "BudgetAdjustment") return adjustedSlos(organization, adjustmentsOf(before, after))
    return [before, after].flatMap((stored) => {
      if (stored?.definition.kind !== kinds.AlertSilence.kind) return []
      const silence = stored.definition
      const { project } = silence.metadata
      const { slos } = slosOf(organization)
      if (silence.spec.slo !== undefined) return slos.get({ project, name: silence.spec.slo }) ?? []
      const isSilenced = (state: SloState) => silenceIsOf(silence, state.stored.definition.metadata)
      return slos.page({ project, limit: Infinity }, isSilenced).items
    })
  }

  /** The SLOs that adjustments adjust, and those that they are components of. */
  const adjustedSlos = (
    organization: OrganizationId,
    adjustments: ReadonlyArray<BudgetAdjustment>,
  ): ReadonlyArray<SloState> => {
    const { slos } = slosOf(organization)
    const adjusted = adjustments.flatMap((adjustment) =>
      adjustment.spec.slos === undefined
        ? slos.page({ project: adjustment.metadata.project, limit: Infinity }, ({ stored }) =>
            adjustsSlo(adjustment, stored.definition.metadata),
          ).items
        : adjustment.spec.slos.flatMap((key) => slos.get(key) ?? []),
    )
    const composites = adjusted.flatMap(({ stored }) =>
      referrers(organization, definitionKey(stored.definition)),
    )
    return [...new Set([...adjusted, ...composites])]
  }

  const followSlo = ({ organization, key, after }: DefinitionWritten): void => {
    const table = slosOf(organization)
    const state = table.slos.get(key)
    if (after === undefined) {
      if (state !== undefined) due.remove(state)
      table.slos.delete(key)
      return
    }
    // The kind of the key says what the definition is.
    const stored = after as StoredDefinition<Slo>
    if (state !== undefined) {
      writeStatuses(state, keptStatuses(state.statuses, state.stored.definition, stored.definition))
      state.stored = stored
      state.record = undefined
      state.counts.setRules(sliceRulesOf(stored.definition))
      makeDue(state, stored.updatedAt)
      return
    }
    const created: SloState = {
      organization,
      stored,
      statuses: new Map(),
      record: undefined,
      recordNamesVersion: 0,
      evaluation: undefined,
      pastChanges: undefined,
      traceparent: undefined,
      revision: 0,
      countsRevision: 0,
      counts: new SloCounts(sliceRulesOf(stored.definition)),
    }
    table.slos.set(key, created)
    organizations.set(organization, table)
    due.put(created, stored.updatedAt)
  }

  const move = ({ organization, from, to }: SloMoved): void => {
    const { slos } = slosOf(organization)
    const state = slos.get(from)
    if (state === undefined) return
    slos.delete(from)
    slos.set(to, state)
  }

  const follow = (written: DefinitionWritten): void => {
    const { organization, key } = written
    if (key.kind === "SLO") followSlo(written)
    else if (key.kind === "Project" || key.kind === "Service") slosOf(organization).namesVersion++
    const [before] = adjustmentsOf(written.before)
    const [after] = adjustmentsOf(written.after)
    const adjusted = pastAdjustmentChanges([{ before, after }], written.now)
    for (const state of computedFrom(written)) {
      state.pastChanges = withChangedAdjustments(state.pastChanges, adjusted, written.now)
      makeDue(state, written.now)
    }
  }
  database.takePartFirst({ name: "SLOs", written: follow, moved: move })

  const joinRecord = ({ organization, stored, statuses }: SloState): SloRecord => {
    const { definition, createdAt } = stored
    const { project } = definition.metadata
    const service = { project, name: definition.spec.service }
    const projectDefinition = database
      .definitions(organization, "Project")
      .get({ project: "", name: project })
    const serviceDefinition = database.definitions(organization, "Service").get(service)
    return {
      slo: definition,
      createdAt,
      statuses,
      project: projectDefinition?.definition.metadata ?? { name: project },
      service: serviceDefinition?.definition.metadata ?? { name: service.name },
    }
  }

  return {
    find: (organization, key) => slosOf(organization).slos.get(key),
    slos: (organization) => slosOf(organization).slos,
    record: (state) => {
      const { namesVersion } = slosOf(state.organization)
      if (state.record !== undefined && state.recordNamesVersion === namesVersion) return state.record
      state.record = joinRecord(state)
      state.recordNamesVersion = namesVersion
      return state.record
    },
    *projectVersions(organization) {
      const sums = new Map<string, { -readonly [K in keyof ProjectVersion]: ProjectVersion[K] }>()
      const { slos, namesVersion } = slosOf(organization)
      const names = String(namesVersion)
      let read = 0
      for (const state of slos.values()) {
        if (++read % slosAtOnce === 0) yield
        const { project } = state.stored.definition.metadata
        const sum = sums.get(project) ?? { project, slos: 0, definition: 0, status: 0, names }
        if (sum.slos++ === 0) sums.set(project, sum)
        const { definition, status } = versionOf(state)
        sum.definition += definition
        sum.status += status
      }
      return [...sums.values()]
    },
    writeStatuses,
    countsHaveChanged: (state, now, traceparent) => {
      state.countsRevision++
      state.traceparent = traceparent ?? state.traceparent
      putDue(state, now)
    },
    referrers,
    due,
  }
}
