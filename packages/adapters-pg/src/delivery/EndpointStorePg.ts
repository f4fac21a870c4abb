import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  type AlertMethod,
  enabledHealth,
  type EndpointHealth,
  storedHealth,
  unknownHealth,
} from "@tocsin/domain/adapter"
import { endpointPrefix } from "@tocsin/domain/features/status-page"
import {
  type OrganizationId,
  organizationKeyText,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import {
  type DefinitionChange,
  type EndpointActivity,
  type EndpointState,
  EndpointStore,
  reveal,
  type SecretBox,
  type TroubledEndpoint,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { DeliveryHints } from "./DeliveryHints.ts"
import { deliveryOf, type DeliveryRow, rowToDelivery } from "./DeliveryRow.ts"
import { wakeEndpoints } from "./EnqueueDeliveries.ts"
import { integers, keyArrays, searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { readRows, type StoredRowIsInvalid, inRow } from "../database/StoredRow.ts"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"

/** The endpoints in PostgreSQL. An alert method has a row once an attempt has changed its health, or it was paused. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* DeliveryHints

  const find = (organization: OrganizationId, key: ProjectKey) =>
    Effect.flatMap(
      sql<EndpointRow>`
        SELECT e.health, e.is_paused, ${inFlightOf(sql, organization, sql`k.endpoint`)} AS in_flight
        FROM (SELECT ${searchText(organizationKeyText(organization, key))}::text AS endpoint) k
        LEFT JOIN endpoints e ON e.organization = ${organization}
          AND e.project = ${searchText(key.project)} AND e.name = ${searchText(key.name)}`,
      ([row]) => Effect.fromResult(rowToState(key, row ?? noEndpoint)),
    )

  const enable = (organization: OrganizationId, key: ProjectKey) =>
    Effect.gen(function* () {
      const [row] = yield* sql<{ readonly health: string }>`
        SELECT health FROM endpoints
        WHERE organization = ${organization} AND project = ${key.project} AND name = ${key.name}
        FOR UPDATE`
      if (row === undefined) return unknownHealth
      const health = yield* Effect.fromResult(readHealth(key, row.health))
      if (health.disabled === undefined) return health
      yield* sql`
        UPDATE endpoints SET generation = generation + 1, health = ${storedHealth.write(enabledHealth).json}
        WHERE organization = ${organization} AND project = ${key.project} AND name = ${key.name}`
      yield* wakeEndpoints(sql, organization, [key])
      return enabledHealth
    })

  const setPaused = (organization: OrganizationId, key: ProjectKey, isPaused: boolean) =>
    Effect.gen(function* () {
      yield* sql`
        INSERT INTO endpoints (organization, project, name, health, is_paused)
        VALUES (${organization}, ${key.project}, ${key.name}, ${storedHealth.write(unknownHealth).json}, ${isPaused})
        ON CONFLICT (organization, project, name) DO UPDATE SET is_paused = excluded.is_paused`
      yield* wakeEndpoints(sql, organization, [key])
    })

  /** For each alert method, a few look-ups in indexes. */
  const activities = (organization: OrganizationId, alertMethods: ReadonlyArray<ProjectKey>) =>
    Effect.flatMap(
      sql<ActivityRow>`
        SELECT k.project AS method_project, k.name AS method_name, e.health, e.is_paused, ${inFlightOf(sql, organization, sql`k.endpoint`)} AS in_flight, d.*
        FROM unnest(
          ${integers(alertMethods.map((_, index) => index))}, ${keyArrays(sql, alertMethods)},
          ${texts(alertMethods.map((key) => searchText(organizationKeyText(organization, key))))}
        ) AS k (index, project, name, endpoint)
        LEFT JOIN LATERAL (
          SELECT health, is_paused FROM endpoints
          WHERE organization = ${organization} AND project = k.project AND name = k.name LIMIT 1
        ) e ON true
        LEFT JOIN LATERAL (
          SELECT id, created_at FROM deliveries
          WHERE organization = ${organization} AND project = k.project AND name = k.name
          ORDER BY id DESC LIMIT 1
        ) latest ON true
        LEFT JOIN LATERAL ${deliveryOf(sql, organization, "latest")} d ON true
        ORDER BY k.index`,
      (rows) => readRows(rows, rowToActivity),
    )

  const stopped = (organization: OrganizationId, alertMethods: ReadonlyArray<ProjectKey>) =>
    sql<ProjectKey>`
      SELECT e.project, e.name FROM unnest(${keyArrays(sql, alertMethods)}) AS k (project, name)
      JOIN endpoints e ON e.organization = ${organization} AND e.project = k.project AND e.name = k.name
      WHERE e.is_paused OR e.health::jsonb #> '{document,disabled}' IS NOT NULL`

  const troubled = (organization: OrganizationId, limit: number) =>
    Effect.flatMap(
      sql<TroubledRow>`
        SELECT project, name, health, is_paused FROM endpoints
        WHERE organization = ${organization} AND NOT starts_with(name, ${endpointPrefix}) AND (is_paused
          OR (health::jsonb #>> '{document,failures}')::integer > 0
          OR health::jsonb #> '{document,disabled}' IS NOT NULL)
        ORDER BY project, name LIMIT ${limit}`,
      (rows) => readRows(rows, rowToTroubled),
    )

  return EndpointStore.of({
    find: operation("find", find),
    stopped: operation("stopped", stopped),
    troubled: operation("troubled", troubled),
    activities: operation("activities", activities),
    enable: (organization, { project, name }) =>
      Effect.tap(
        operation(
          "enable",
          sql.withTransaction(enable(organization, { project: searchText(project), name: searchText(name) })),
        ),
        hints.publish(organization),
      ),
    setPaused: (organization, alertMethod, isPaused) =>
      Effect.andThen(
        operation("setPaused", sql.withTransaction(setPaused(organization, alertMethod, isPaused))),
        hints.publish(organization),
      ),
  })
})

/** The endpoints of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(EndpointStore, make)

const operation = storeOperation("EndpointStore")

/**
 * How many of an endpoint's deliveries are in flight, as an expression.
 *
 * Claims start from the front of each lane, so that nothing behind its first `inFlightReadMax` is in flight.
 */
const inFlightOf = (sql: SqlClient.SqlClient, organization: OrganizationId, endpoint: Fragment): Fragment => {
  const inLane = (isRetry: boolean) => sql`(
    SELECT count(sending)::integer FROM (
      SELECT sending FROM delivery_queue q
      WHERE q.organization = ${organization} AND q.endpoint = ${endpoint} AND q.is_retry = ${sql.literal(String(isRetry))}
      ORDER BY q.due_at, q.id LIMIT ${inFlightReadMax}
    ) front)`
  return sql`${inLane(false)} + ${inLane(true)}`
}

const inFlightReadMax = 100

interface EndpointRow {
  /** Null, as is the pause, when the endpoint has no row. */
  readonly health: string | null
  readonly is_paused: boolean | null
  readonly in_flight: number
}

const noEndpoint: EndpointRow = { health: null, is_paused: null, in_flight: 0 }

interface TroubledRow extends ProjectKey {
  readonly health: string
  readonly is_paused: boolean
}

const rowToTroubled = ({
  project,
  name,
  health,
  is_paused,
}: TroubledRow): Result.Result<TroubledEndpoint, StoredRowIsInvalid> =>
  Result.map(readHealth({ project, name }, health), (health) => ({
    alertMethod: { project, name },
    health,
    isPaused: is_paused,
  }))

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
    pause: { isPaused: is_paused ?? false, inFlight: in_flight },
  }))

const rowToActivity = (row: ActivityRow): Result.Result<EndpointActivity, StoredRowIsInvalid> =>
  Result.gen(function* () {
    const state = yield* rowToState({ project: row.method_project, name: row.method_name }, row)
    return row.id === null ? state : { ...state, latestDelivery: yield* rowToDelivery(row) }
  })

export const readHealth = (
  { project, name }: ProjectKey,
  health: string,
): Result.Result<EndpointHealth, StoredRowIsInvalid> =>
  inRow(`endpoint ${project}/${name}`, storedHealth.read(health, undefined))

/**
 * Resets the endpoints of alert methods that a change deletes or gives another URL, and returns whether there were any. Must
 * run within the change, while `definitions` still has the rows that it replaces.
 *
 * Also those without a row: a first attempt may be in flight, whose outcome is not about the new receiver.
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
    if (keys.length === 0) return false
    const rows = yield* sql<DefinitionRow>`
      SELECT d.* FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
      JOIN definitions d ON d.organization = ${organization} AND d.kind = 'AlertMethod'
        AND d.project = k.project AND d.name = k.name
      ORDER BY d.project, d.name`
    const urls = new Map(put.map((method) => [projectKeyText(method.metadata), urlOf(method)]))
    const changed: Array<ProjectKey> = []
    for (const row of rows) {
      const { definition } = yield* Effect.fromResult(
        rowToDefinitionOf("AlertMethod", box, organization, row),
      )
      if (urls.get(projectKeyText(row)) !== urlOf(definition)) changed.push(row)
    }
    const [kept = [], deleted = []] = [true, false].map((is) =>
      changed.filter((key) => urls.has(projectKeyText(key)) === is),
    )
    yield* reset(sql, organization, kept, sql`e.is_paused`)
    yield* reset(sql, organization, deleted, sql`false`)
    return changed.length > 0
  })

/** Writes unknown health, and a pause; due deliveries that had to wait have capacity again. */
const reset = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  keys: ReadonlyArray<ProjectKey>,
  isPaused: Fragment,
) =>
  Effect.gen(function* () {
    if (keys.length === 0) return
    yield* sql`
      INSERT INTO endpoints AS e (organization, project, name, generation, health)
      SELECT ${organization}, project, name, 1, ${storedHealth.write(unknownHealth).json}
      FROM unnest(${keyArrays(sql, keys)}) AS k (project, name)
      ON CONFLICT (organization, project, name) DO UPDATE SET
        generation = e.generation + 1, health = excluded.health, is_paused = ${isPaused}`
    yield* wakeEndpoints(sql, organization, keys)
  })

const urlOf = ({ spec }: AlertMethod): string => reveal(spec.webhook.url).href
