import type { OrganizationId, ProjectKey } from "@tocsin/domain/definition/Definition"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import { projectToJson, serviceToJson, sloToTailJson, keptStatuses } from "@tocsin/domain/slo/SloRecord"
import type { Slo } from "@tocsin/domain/slo/Slo"
import type { DefinitionWritten, MemoryDatabase } from "./MemoryDatabase.ts"
import { DueQueue } from "./DueQueue.ts"
import type { MinuteCounts } from "./MinuteCounts.ts"
import { SortedTable } from "./SortedTable.ts"

/** Everything that is kept of one SLO beside its definition. */
export interface SloState {
  readonly organization: OrganizationId
  stored: StoredDefinition<Slo>
  tailJson: string
  /** Changes with every recording of counts. */
  countsRevision: number
  readonly countsByObjective: Map<string, MinuteCounts>
}

/** The tables that the ports of SLOs share. */
export interface SloTables {
  readonly find: (organization: OrganizationId, key: ProjectKey) => SloState | undefined
  /** The SLOs of an organization, in order; to be read only. */
  readonly slos: (organization: OrganizationId) => SortedTable<SloState>
  readonly projectJson: (organization: OrganizationId, name: string) => string
  readonly serviceJson: (organization: OrganizationId, key: ProjectKey) => string
  readonly due: DueQueue<SloState>
}

/** The SLO tables of a database; the same database always gives the same tables. */
export const sloTablesOf = (database: MemoryDatabase["Type"]): SloTables => {
  const tables = tablesByDatabase.get(database) ?? make(database)
  tablesByDatabase.set(database, tables)
  return tables
}

const tablesByDatabase = new WeakMap<MemoryDatabase["Type"], SloTables>()

const make = (database: MemoryDatabase["Type"]): SloTables => {
  const tableByOrganization = new Map<OrganizationId, SortedTable<SloState>>()
  const due = new DueQueue<SloState>()
  // Encoded when they are first read after a change; a project without a definition is known by its name.
  const projectJsons = new Map<string, string>()
  const serviceJsons = new Map<string, string>()

  const slos = (organization: OrganizationId): SortedTable<SloState> =>
    tableByOrganization.get(organization) ?? new SortedTable<SloState>()

  const followSlo = ({ organization, key, after }: DefinitionWritten): void => {
    const table = slos(organization)
    const state = table.get(key)
    if (after === undefined) {
      if (state !== undefined) due.remove(state)
      table.delete(key)
      return
    }
    // The kind of the key says what the definition is.
    const stored = after as StoredDefinition<Slo>
    const slo = stored.definition
    if (state === undefined) {
      const tailJson = sloToTailJson(slo, stored.createdAt, new Map())
      const created = { organization, stored, tailJson, countsRevision: 0, countsByObjective: new Map() }
      table.set(key, created)
      tableByOrganization.set(organization, table)
      due.put(created, stored.updatedAt)
    } else {
      const statuses = keptStatuses(state.tailJson, state.stored.definition, slo)
      state.tailJson = sloToTailJson(slo, stored.createdAt, statuses)
      state.stored = stored
      due.put(state, stored.updatedAt)
    }
  }

  database.onDefinitionWritten((written) => {
    const { kind, project, name } = written.key
    if (kind === "SLO") followSlo(written)
    else if (kind === "Project") projectJsons.delete(textOf(written.organization, name))
    else if (kind === "Service") serviceJsons.delete(textOf(written.organization, project, name))
  })

  return {
    find: (organization, key) => slos(organization).get(key),
    slos,
    projectJson: (organization, name) =>
      cached(projectJsons, textOf(organization, name), () => {
        const stored = database.definitions(organization, "Project").get({ project: "", name })
        return projectToJson(stored?.definition ?? { metadata: { name } })
      }),
    serviceJson: (organization, key) =>
      cached(serviceJsons, textOf(organization, key.project, key.name), () => {
        const stored = database.definitions(organization, "Service").get(key)
        return serviceToJson(stored?.definition ?? { metadata: key })
      }),
    due,
  }
}

const textOf = (...parts: ReadonlyArray<string>): string => parts.join("\u0000")

const cached = (values: Map<string, string>, key: string, compute: () => string): string => {
  const known = values.get(key)
  if (known !== undefined) return known
  const value = compute()
  values.set(key, value)
  return value
}
