import * as SqlClient from "effect/sql/SqlClient"
import { type OrganizationId, type ProjectKey, projectKeyText } from "@tocsin/domain/metadata/ObjectKey"
import {
  enabledHealth,
  unknownHealth,
  type EndpointHealth,
  storedHealth,
} from "@tocsin/domain/delivery/EndpointHealth"
import {
  type EndpointActivity,
  type EndpointState,
  EndpointStore,
  EndpointStoreIsUnavailable,
} from "@tocsin/domain/delivery/EndpointStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { DeliveryHints } from "./DeliveryHints.ts"
import { type DeliveryRow, rowToDelivery, settledColumns, unsettledColumns } from "./DeliveryRow.ts"
import { keyArrays, searchText } from "../database/Parameters.ts"
import { portOperation } from "../database/PortOperation.ts"
import { readRows, type StoredRowIsInvalid, inRow } from "../database/StoredRow.ts"
import { unsettledActivityMax } from "@tocsin/domain/delivery/Delivery"
import type { AlertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import type { DefinitionChange } from "@tocsin/domain/definition/DefinitionStore"
import type { SecretBox } from "@tocsin/domain/secret/SecretBox"
import * as Redacted from "effect/Redacted"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"

/** The endpoints in PostgreSQL. An alert method has a row once it had a delivery or was paused. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  const find = (organization: OrganizationId, { project, name }: ProjectKey) =>
    Effect.flatMap(
      sql<EndpointRow>`
        SELECT health, is_paused, in_flight FROM endpoints
        WHERE organization = ${organization} AND project = ${searchText(project)} AND name = ${searchText(name)}`,
      ([row]) => Effect.fromResult(rowToState({ project, name }, row ?? noEndpoint)),
    )

  const enable = (organization: OrganizationId, key: ProjectKey) =>
    Effect.gen(function* () {
      const [row] = yield* sql<{ readonly health: string; readonly now: number }>`
        SELECT health, now_ms() AS now FROM endpoints
        WHERE organization = ${organization} AND project = ${key.project} AND name = ${key.name}
        FOR UPDATE`
      if (row === undefined) return unknownHealth
      const health = yield* Effect.fromResult(readHealth(key, row.health))
      if (health.disabled === undefined) return health
      yield* writeHealth(sql, organization, key, enabledHealth, row.now)
      return enabledHealth
    })

  const setPaused = (organization: OrganizationId, { project, name }: ProjectKey, isPaused: boolean) => {
    const { health, isDisabled, inFlightMax } = healthColumns(unknownHealth, 0)
    return sql`
      INSERT INTO endpoints AS e
        (organization, project, name, health, is_disabled, in_flight_max, in_flight, is_paused)
      VALUES (${organization}, ${project}, ${name}, ${health}, ${isDisabled}, ${inFlightMax}, 0, ${isPaused})
      ON CONFLICT (organization, project, name) DO UPDATE SET is_paused = excluded.is_paused,
        next_check_at = CASE WHEN NOT excluded.is_paused THEN greatest(now_ms(), e.circuit_open_until) END`
  }

  /** One read of the unsettled deliveries for all methods, and one index lookup of settled ones for each. */
  const activities = (organization: OrganizationId, alertMethods: ReadonlyArray<ProjectKey>) =>
    Effect.flatMap(
      sql<ActivityRow>`
        WITH unsettled AS MATERIALIZED (
          SELECT DISTINCT ON (project, name) ${sql.literal(unsettledColumns)} FROM (
            SELECT * FROM deliveries WHERE organization = ${organization}
            ORDER BY id DESC LIMIT ${unsettledActivityMax}
          ) newest
          ORDER BY project, name, id DESC
        )
        SELECT k.project AS method_project, k.name AS method_name, e.health, e.is_paused, e.in_flight, d.* FROM unnest(${keyArrays(sql, alertMethods)}) WITH ORDINALITY AS k (project, name, position)
        LEFT JOIN endpoints e ON e.organization = ${organization} AND e.project = k.project AND e.name = k.name
        LEFT JOIN LATERAL (
          SELECT * FROM (
            SELECT * FROM unsettled u WHERE u.project = k.project AND u.name = k.name
            UNION ALL
            (SELECT ${sql.literal(settledColumns)} FROM settled_deliveries s
             WHERE s.organization = ${organization} AND s.project = k.project AND s.name = k.name
             ORDER BY id DESC LIMIT 1)
          ) either
          ORDER BY id DESC LIMIT 1
        ) d ON true
        ORDER BY k.position`,
      (rows) => readRows(rows, rowToActivity),
    )

  return EndpointStore.of({
    find: operation("find", find),
    activities: operation("activities", activities),
    enable: operation("enable", (organization, { project, name }) =>
      sql.withTransaction(enable(organization, { project: searchText(project), name: searchText(name) })),
    ),
    setPaused: (organization, alertMethod, isPaused) =>
      Effect.andThen(operation("setPaused", setPaused(organization, alertMethod, isPaused)), hints.publish),
  })
})

/** The endpoints of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(EndpointStore, make)

const operation = portOperation((failure) => new EndpointStoreIsUnavailable(failure))

/** All null when the endpoint has no row. */
interface EndpointRow {
  readonly health: string | null
  readonly is_paused: boolean | null
  readonly in_flight: number | null
}

const noEndpoint: EndpointRow = { health: null, is_paused: null, in_flight: null }

interface ActivityKey {
  readonly method_project: string
  readonly method_name: string
}

type ActivityRow = ActivityKey & EndpointRow & (DeliveryRow | { readonly id: null })

const rowToState = (
  key: ProjectKey,
  { health, is_paused, in_flight }: EndpointRow,
): Result.Result<EndpointState, StoredRowIsInvalid> =>
  Result.map(health === null ? Result.succeed(unknownHealth) : readHealth(key, health), (health) => ({
    health,
    pause: { isPaused: is_paused ?? false, inFlight: in_flight ?? 0 },
  }))

const rowToActivity = (row: ActivityRow): Result.Result<EndpointActivity, StoredRowIsInvalid> =>
  Result.gen(function* () {
    const state = yield* rowToState({ project: row.method_project, name: row.method_name }, row)
    return row.id === null ? state : { ...state, latestDelivery: yield* rowToDelivery(row) }
  })

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
      SELECT d.* FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
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
