import * as SqlClient from "effect/sql/SqlClient"
import { attemptsKeptMax, storedAttempt } from "@tocsin/domain/adapter"
import { type OrganizationId, organizationKeyText } from "@tocsin/domain/kernel"
import { type DeliveryFilter, DeliveryLog, type LoggedDelivery } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Fragment } from "effect/sql/Statement"
import {
  deliveryOf,
  type DeliveryRow,
  isQueued,
  latestAttempt,
  rowToDelivery,
  stateOf,
} from "./DeliveryRow.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { inRow, readPage, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { searchText, texts } from "../database/Parameters.ts"

/** Reads deliveries from where they are: in the queue until they are settled, in the log of attempts from then on. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return DeliveryLog.of({
    find: operation("find", (organization, id) =>
      Effect.flatMap(
        sql<LoggedRow>`
          SELECT d.*, ARRAY(
            SELECT attempt FROM delivery_attempts a
            WHERE a.organization = ${organization} AND a.id = k.id AND a.created_at = k.created_at
            ORDER BY number DESC LIMIT ${attemptsKeptMax}
          ) AS attempts
          FROM (
            SELECT id, created_at FROM deliveries WHERE organization = ${organization} AND id = ${searchText(id)} LIMIT 1
          ) k
          CROSS JOIN LATERAL ${deliveryOf(sql, organization, "k")} d`,
        ([row]) =>
          row === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToLogged(row))),
      ),
    ),
    list: operation("list", (organization, filter, { after, limit }) =>
      Effect.flatMap(
        sql<DeliveryRow>`
          WITH page AS MATERIALIZED (
            SELECT id, created_at FROM (${wanted(sql, organization, filter, after, limit + 1)}) w
            ORDER BY id DESC LIMIT ${limit + 1}
          )
          SELECT d.* FROM page k CROSS JOIN LATERAL ${deliveryOf(sql, organization, "k")} d
          ORDER BY d.id DESC`,
        (rows) => readPage(rows, limit, rowToDelivery),
      ),
    ),
  })
})

/** Reads a delivery, and the ID of its notification. */
export const readDelivery = (sql: SqlClient.SqlClient, organization: OrganizationId, id: string) =>
  Effect.gen(function* () {
    const [row] = yield* sql<DeliveryRow>`
      SELECT d.* FROM (
        SELECT id, created_at FROM deliveries WHERE organization = ${organization} AND id = ${id} LIMIT 1
      ) k
      CROSS JOIN LATERAL ${deliveryOf(sql, organization, "k")} d`
    if (row === undefined) return Option.none()
    const before = yield* Effect.fromResult(rowToDelivery(row))
    return Option.some({ before, notificationId: row.notification })
  })

/** The delivery log of a database. */
export const layer = Layer.effect(DeliveryLog, make)

const operation = storeOperation("DeliveryLog")

interface LoggedRow extends DeliveryRow {
  /** Newest first. */
  readonly attempts: ReadonlyArray<string>
}

const rowToLogged = (row: LoggedRow): Result.Result<LoggedDelivery, StoredRowIsInvalid> =>
  Result.all({
    delivery: rowToDelivery(row),
    attempts: Result.all(
      row.attempts
        .toReversed()
        .map((attempt) => inRow(`attempt of delivery ${row.id}`, storedAttempt.read(attempt, undefined))),
    ),
  })

/**
 * The keys of the newest deliveries that match a filter: at least the first `count` of them.
 *
 * Reads from the smallest table that has them all: the queue, the attempts that settled a delivery other than as delivered, or
 * all deliveries.
 */
const wanted = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { alertMethod = {}, states, events, alertId, from, to }: DeliveryFilter,
  after: string | undefined,
  count: number,
): Fragment => {
  /** Conditions on the columns that the queue, the attempts and the deliveries have in common, of the table `of`. */
  const ofKeys = (of: Fragment) => [
    sql`${of}.organization = ${organization}`,
    ...(after === undefined ? [] : [sql`${of}.id < ${searchText(after)}`]),
    ...(from === undefined ? [] : [sql`${of}.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`${of}.created_at < ${to}`]),
  ]
  const { project, name } = alertMethod
  const ofDelivery = [
    ...(project === undefined ? [] : [sql`d.project = ${searchText(project)}`]),
    ...(name === undefined ? [] : [sql`d.name = ${searchText(name)}`]),
    // The planner assumes that many rows match, and so reads in the order of the list until the page is full.
    ...(events === undefined ? [] : [sql`array_position(${texts(events)}, d.event) > 0`]),
    ...(alertId === undefined ? [] : [sql`d.alert_id = ${searchText(alertId)}`]),
  ]
  /** The deliveries of the rows `k`, as far as they match. */
  const matching =
    ofDelivery.length === 0
      ? sql``
      : sql`CROSS JOIN LATERAL (
          SELECT FROM deliveries d
          WHERE d.organization = ${organization} AND d.id = k.id AND d.created_at = k.created_at AND ${sql.and(ofDelivery)}
          LIMIT 1
        ) d`
  const newest = sql`ORDER BY k.id DESC LIMIT ${count}`

  const isPending = states === undefined || states.includes("pending")
  const isSending = states === undefined || states.includes("sending")
  const settledStates = states?.filter((state) => state !== "pending" && state !== "sending")

  const inQueue = sql`
    SELECT k.id, k.created_at FROM delivery_queue k ${matching}
    WHERE ${sql.and([
      ...ofKeys(sql`k`),
      ...(project !== undefined && name !== undefined
        ? [sql`k.endpoint = ${searchText(organizationKeyText(organization, { project, name }))}`]
        : [sql`k.endpoint > ${`${organization} `}`, sql`k.endpoint < ${`${organization}!`}`]),
      ...(isPending && isSending ? [] : [isPending ? sql`k.sending IS NULL` : sql`k.sending IS NOT NULL`]),
    ])}
    ${newest}`
  if (settledStates?.length === 0) return inQueue

  // An alert has few deliveries, which an index finds.
  if (settledStates !== undefined && !settledStates.includes("delivered") && alertId === undefined) {
    const settled = sql`
      SELECT k.id, k.created_at FROM delivery_attempts k ${matching}
      CROSS JOIN LATERAL ${latestAttempt(sql, organization, "k")} a
      WHERE ${sql.and([
        ...ofKeys(sql`k`),
        sql`k.state IN ('exhausted', 'failed')`,
        sql`k.state = ANY (${texts(settledStates)})`,
        sql`a.number = k.number`,
        sql`NOT ${isQueued(sql, organization, "k")}`,
      ])}
      ${newest}`
    return isPending || isSending ? sql`(${settled}) UNION ALL (${inQueue})` : settled
  }

  const isOfState =
    states === undefined ? [] : [sql`${stateOf(sql, organization, "d")} = ANY (${texts(states)})`]
  return sql`
    SELECT d.id, d.created_at FROM deliveries d
    WHERE ${sql.and([...ofKeys(sql`d`), ...ofDelivery, ...isOfState])}
    ORDER BY d.id DESC LIMIT ${count}`
}
