import type * as SqlClient from "effect/sql/SqlClient"
import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { type OrganizationId, organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import type { StoredDefinition } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LRUCache } from "lru-cache"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { keyArrays, texts } from "../database/Parameters.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"

/** Most alert methods with compiled templates that a process caches. */
export const preparedMethodsMax = 1_000

export interface ClaimedMethod {
  readonly organization: OrganizationId
  readonly project: string
  readonly name: string
  readonly version: number
}

/**
 * Reads alert methods by version and caches the `preparedMethodsMax` used last, so that a claim neither transfers
 * templates nor decrypts secrets again.
 */
export const makeClaimedMethods = (sql: SqlClient.SqlClient, box: SecretBox["Service"]) => {
  const known = new LRUCache<string, StoredDefinition<AlertMethod>>({ max: preparedMethodsMax })

  /**
   * By `organizationKeyText`: `found` has the methods as they are stored now, without those that were deleted
   * meanwhile; `unreadable` those that cannot be decrypted or decoded.
   */
  return (methods: ReadonlyArray<ClaimedMethod>) =>
    Effect.gen(function* () {
      const found = new Map<string, StoredDefinition<AlertMethod>>()
      const unreadable = new Set<string>()
      const missing = new Map<string, ClaimedMethod>()
      for (const method of methods) {
        const text = organizationKeyText(method.organization, method)
        const stored = known.get(text)
        if (stored?.version === String(method.version)) found.set(text, stored)
        else missing.set(text, method)
      }
      if (missing.size === 0) return { found, unreadable }
      const keys = [...missing.values()]
      const rows = yield* sql<DefinitionRow & { readonly organization: OrganizationId }>`
        SELECT d.* FROM unnest(
          ${texts(keys.map(({ organization }) => organization))}, ${keyArrays(sql, keys)}) AS k (organization, project, name)
        JOIN definitions d ON d.organization = k.organization AND d.kind = 'AlertMethod'
          AND d.project = k.project AND d.name = k.name`
      for (const row of rows) {
        const text = organizationKeyText(row.organization, row)
        const stored = rowToDefinitionOf("AlertMethod", box, row.organization, row)
        if (Result.isSuccess(stored)) {
          known.set(text, stored.success)
          found.set(text, stored.success)
        } else {
          unreadable.add(text)
          yield* logUnreadableRow(row.organization, stored.failure)
        }
      }
      return { found, unreadable }
    })
}
