import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/metadata/ObjectKey"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import type { NamedObject, SloRecord } from "@tocsin/domain/status/SloRecord"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinition, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { keyArrays } from "../database/Parameters.ts"
import { readStatuses, sloBasis } from "./SloRows.ts"

export interface SloVersionRow extends ProjectKey {
  /** `SloRevision.basis`: changes with the definition and with each status. */
  readonly basis: string
}

/**
 * Reads the records of SLOs that a statement has just named, and keeps the `recordsMax` used last with their versions: one
 * that has not changed since is the same object, and neither read nor decoded again.
 */
export const makeSloRecords = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const cache = new LRUCache<string, CachedRecord>({ max: recordsMax })

  const readSlos = (organization: OrganizationId, keys: ReadonlyArray<SloVersionRow>) =>
    Effect.gen(function* () {
      if (keys.length === 0) return
      for (const key of keys) cache.delete(organizationKeyText(organization, key))
      const rows = yield* sql<DefinitionRow & { readonly basis: string; readonly statuses: string }>`
        SELECT d.*, s.statuses, ${sloBasis(sql)} AS basis
        FROM unnest(${keyArrays(sql, keys)})
          AS k (project, name)
        JOIN slos s ON s.organization = ${organization} AND s.project = k.project AND s.name = k.name
        JOIN definitions d ON d.organization = ${organization} AND d.kind = 'SLO'
          AND d.project = k.project AND d.name = k.name`
      for (const row of rows) {
        const { definition: slo, createdAt } = yield* Effect.fromResult(
          rowToDefinitionOf("SLO", box, organization, row),
        )
        const statuses = yield* Effect.fromResult(readStatuses(row, row.statuses))
        const { project } = slo.metadata
        cache.set(organizationKeyText(organization, row), {
          basis: row.basis,
          names: "",
          record: {
            slo,
            createdAt,
            statuses,
            project: { name: project },
            service: { name: slo.spec.service },
          },
        })
      }
    })

  /**
   * `named` are the definitions of the projects and services of these SLOs. An SLO that was removed since it was named is
   * left out.
   */
  return (
    organization: OrganizationId,
    slos: ReadonlyArray<SloVersionRow>,
    named: ReadonlyArray<DefinitionRow>,
  ) =>
    Effect.gen(function* () {
      const rowByKey = new Map(named.map((row) => [`${row.kind} ${projectKeyText(row)}`, row]))
      const objectOf = (row: DefinitionRow | undefined, name: string) =>
        row === undefined
          ? Effect.succeed<NamedObject>({ name })
          : Effect.map(
              Effect.fromResult(rowToDefinition(box, organization, row)),
              ({ definition }): NamedObject => definition.metadata,
            )
      yield* readSlos(
        organization,
        slos.filter((row) => cache.get(organizationKeyText(organization, row))?.basis !== row.basis),
      )
      const records: Array<SloRecord> = []
      for (const row of slos) {
        const key = organizationKeyText(organization, row)
        const cached = cache.get(key)
        if (cached === undefined) continue
        const { project } = cached.record.slo.metadata
        const { service } = cached.record.slo.spec
        const projectRow = rowByKey.get(`Project ${projectKeyText({ project: "", name: project })}`)
        const serviceRow = rowByKey.get(`Service ${projectKeyText({ project, name: service })}`)
        const names = `${projectRow?.version ?? ""} ${serviceRow?.version ?? ""}`
        if (cached.names === names) {
          records.push(cached.record)
          continue
        }
        const record: SloRecord = {
          ...cached.record,
          project: yield* objectOf(projectRow, project),
          service: yield* objectOf(serviceRow, service),
        }
        cache.set(key, { basis: cached.basis, names, record })
        records.push(record)
      }
      return records
    })
}

interface CachedRecord {
  readonly basis: string
  /** The versions of the project and the service; empty while they have not been read. */
  readonly names: string
  readonly record: SloRecord
}

/** Each takes some 3 KB. */
const recordsMax = 20_000
