import type { AlertMethod } from "@tocsin/domain/adapter"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import type { SecretBox, StoredDefinition } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { keyArrays } from "../database/Parameters.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"

/** Most alert methods with compiled templates that a process caches. */
const preparedMethodsMax = 1_000

/** An alert method as it was stored at a revision of the organization's definitions. */
interface KnownMethod {
  readonly revision: number
  /** Absent if it did not exist. */
  readonly stored: StoredDefinition<AlertMethod> | undefined
}

/**
 * Reads alert methods and caches the `preparedMethodsMax` used last, so that a claim neither transfers templates nor
 * decrypts secrets again. `revision` is that of the organization's definitions: while it is the same, so is every method.
 */
export const makeClaimedMethods = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const known = new LRUCache<string, KnownMethod>({ max: preparedMethodsMax })

  /**
   * By `projectKeyText`; a method that was deleted is undefined. Methods that cannot be decrypted or decoded are missing,
   * and logged.
   */
  return (organization: OrganizationId, revision: number, keys: ReadonlyArray<ProjectKey>) =>
    Effect.gen(function* () {
      const found = new Map<string, StoredDefinition<AlertMethod> | undefined>()
      const unknown: Array<ProjectKey> = []
      for (const key of keys) {
        const text = organizationKeyText(organization, key)
        const method = known.get(text)
        if (method?.revision === revision) found.set(projectKeyText(key), method.stored)
        else unknown.push(key)
      }
      if (unknown.length === 0) return found
      const versions = yield* sql<ProjectKey & { readonly version: number }>`
        SELECT project, name, version FROM definitions
        WHERE organization = ${organization} AND kind = 'AlertMethod'
          AND (project, name) IN (SELECT * FROM unnest(${keyArrays(sql, unknown)}))`
      const versionOf = new Map(versions.map((row) => [organizationKeyText(organization, row), row.version]))
      const changed: Array<ProjectKey> = []
      for (const key of unknown) {
        const text = organizationKeyText(organization, key)
        const version = versionOf.get(text)
        const stored = known.get(text)?.stored
        if (version !== undefined && stored?.version !== String(version)) {
          changed.push(key)
          continue
        }
        const current = version === undefined ? undefined : stored
        known.set(text, { revision, stored: current })
        found.set(projectKeyText(key), current)
      }
      if (changed.length === 0) return found
      const rows = yield* sql<DefinitionRow>`
        SELECT * FROM definitions
        WHERE organization = ${organization} AND kind = 'AlertMethod'
          AND (project, name) IN (SELECT * FROM unnest(${keyArrays(sql, changed)}))`
      for (const row of rows) {
        const text = organizationKeyText(organization, row)
        const stored = rowToDefinitionOf("AlertMethod", box, organization, row)
        if (Result.isSuccess(stored)) {
          known.set(text, { revision, stored: stored.success })
          found.set(projectKeyText(row), stored.success)
        } else yield* logUnreadableRow(organization, stored.failure)
      }
      return found
    })
}
