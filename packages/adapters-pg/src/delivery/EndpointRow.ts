import type * as SqlClient from "effect/sql/SqlClient"
import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/metadata/ObjectKey"
import type { DefinitionChange } from "@tocsin/domain/definition/DefinitionStore"
import { type EndpointHealth, storedHealth, unknownHealth } from "@tocsin/domain/delivery/EndpointHealth"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { keyArrays } from "../database/Parameters.ts"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"

/** The columns of an endpoint that follow from its health; `nextCheckAt`: when it may have something to claim. */
export const healthColumns = (health: EndpointHealth, now: number) => ({
  health: storedHealth.write(health).json,
  isDisabled: health.disabled !== undefined,
  circuitOpenUntil: health.disabled === undefined ? (health.circuitOpenUntil ?? null) : null,
  inFlightMax: health.disabled === undefined ? health.inFlightMax : unlimited,
  nextCheckAt: health.disabled === undefined ? Math.max(now, health.circuitOpenUntil ?? now) : now,
})

export const readHealth = (
  { project, name }: ProjectKey,
  health: string,
): Result.Result<EndpointHealth, StoredRowIsInvalid> =>
  inRow(`endpoint ${project}/${name}`, storedHealth.read(health, undefined))

/** Writes the health of one endpoint, whose row exists and is locked. */
export const writeHealth = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { project, name }: ProjectKey,
  health: EndpointHealth,
  now: number,
) => {
  const { isDisabled, circuitOpenUntil, inFlightMax, nextCheckAt, ...columns } = healthColumns(health, now)
  return sql`
    UPDATE endpoints SET health = ${columns.health}, is_disabled = ${isDisabled}, circuit_open_until = ${circuitOpenUntil},
      in_flight_max = ${inFlightMax}, next_check_at = ${nextCheckAt}
    WHERE organization = ${organization} AND project = ${project} AND name = ${name}`
}

/**
 * Resets the endpoints of alert methods that a change deletes or gives another URL. Must run within the change, while
 * `definitions` still has the rows that it replaces.
 */
export const resetEndpoints = (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"],
  organization: OrganizationId,
  change: DefinitionChange,
) =>
  Effect.gen(function* () {
    const removed = change.remove.filter(({ kind }) => kind === "AlertMethod")
    const put = change.put.flatMap(({ definition }) =>
      definition.kind === "AlertMethod" ? [definition] : [],
    )
    const keys = [...removed, ...put.map(({ metadata }) => metadata)]
    if (keys.length === 0) return
    const rows = yield* sql<DefinitionRow>`
      SELECT d.* FROM unnest(
        ${keyArrays(sql, keys)}) AS k (project, name)
      JOIN endpoints e ON e.organization = ${organization} AND e.project = k.project AND e.name = k.name
      JOIN definitions d ON d.organization = e.organization AND d.kind = 'AlertMethod'
        AND d.project = e.project AND d.name = e.name
      ORDER BY e.project, e.name
      FOR UPDATE OF e`
    const urls = new Map(put.map((method) => [projectKeyText(method.metadata), urlOf(method)]))
    for (const row of rows) {
      const { definition } = yield* Effect.fromResult(
        rowToDefinitionOf("AlertMethod", box, organization, row),
      )
      if (urls.get(projectKeyText(row)) === urlOf(definition)) continue
      yield* sql`
        UPDATE endpoints SET generation = generation + 1, is_paused = is_paused AND ${urls.has(projectKeyText(row))}
        WHERE organization = ${organization} AND project = ${row.project} AND name = ${row.name}`
      // Due deliveries that had to wait have capacity again.
      yield* writeHealth(sql, organization, row, unknownHealth, 0)
    }
  })

/** More than can ever be in flight. */
const unlimited = 1_000_000

const urlOf = ({ spec }: AlertMethod): string => Redacted.value(spec.webhook.url).href
