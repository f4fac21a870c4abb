import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import { storedAttempt } from "@tocsin/domain/notification/Attempt"
import {
  DeliveryLog,
  DeliveryLogIsUnavailable,
  type DeliveryFilter,
  type LoggedDelivery,
} from "@tocsin/domain/delivery/DeliveryLog"
import type { DeliveredEvent } from "@tocsin/domain/notification/Notification"
import type { PageRequest } from "@tocsin/domain/pagination/Page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type DeliveryRow, rowToDelivery, settledColumns, unsettledColumns } from "./DeliveryRow.ts"
import { alertIdInNotification } from "../migrations/Baseline.ts"
import { portOperation } from "../database/PortOperation.ts"
import { inRow, readPage, type StoredRowIsInvalid } from "../database/StoredRow.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { attemptsKeptMax } from "@tocsin/domain/delivery/Delivery"

/** Reads both tables of deliveries: `deliveries` until a delivery is settled, `settled_deliveries` from then on. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const list = (
    organization: OrganizationId,
    query: DeliveryFilter,
    { after, limit }: PageRequest<string>,
  ) => {
    const { alertMethod = {}, states, events, alertId, from, to } = query
    const common = [
      sql`organization = ${organization}`,
      ...(after === undefined ? [] : [sql`id < ${searchText(after)}`]),
      ...(alertMethod.project === undefined ? [] : [sql`project = ${searchText(alertMethod.project)}`]),
      ...(alertMethod.name === undefined ? [] : [sql`name = ${searchText(alertMethod.name)}`]),
      ...(events === undefined ? [] : [sql.or(events.map((event) => isOfEvent(sql, event)))]),
      ...(alertId === undefined ? [] : isOfAlert(sql, alertId)),
      ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
      ...(to === undefined ? [] : [sql`created_at < ${to}`]),
    ]
    const isPending = states?.includes("pending") !== false
    const isSending = states?.includes("sending") !== false
    const unsettled = [
      ...common,
      ...(isPending && isSending
        ? []
        : [isPending ? sql`claim_id IS NULL` : isSending ? sql`claim_id IS NOT NULL` : sql`false`]),
    ]
    const settled = [
      ...common,
      ...(states === undefined ? [] : [sql`state = ANY(${texts(states)})`]),
      // No delivery is settled before it is created: earlier partitions need not be read.
      ...(from === undefined ? [] : [sql`settled_at >= ${from}`]),
    ]
    return Effect.flatMap(
      sql<DeliveryRow>`
        SELECT * FROM (
          (SELECT ${sql.literal(unsettledColumns)} FROM deliveries
           WHERE ${sql.and(unsettled)} ORDER BY id DESC LIMIT ${limit + 1})
          UNION ALL
          (SELECT ${sql.literal(settledColumns)} FROM settled_deliveries
           WHERE ${sql.and(settled)} ORDER BY id DESC LIMIT ${limit + 1})
        ) d
        ORDER BY id DESC LIMIT ${limit + 1}`,
      (rows) => readPage(rows, limit, rowToDelivery),
    )
  }

  return DeliveryLog.of({
    find: operation("find", (organization, id) =>
      Effect.flatMap(
        sql<LoggedRow>`
          SELECT d.*, ARRAY(
            SELECT attempt FROM delivery_attempts a
            WHERE a.organization = ${organization} AND a.id = d.id
            ORDER BY number DESC, at DESC LIMIT ${attemptsKeptMax}
          ) AS attempts
          FROM (
            SELECT ${sql.literal(unsettledColumns)} FROM deliveries
            WHERE organization = ${organization} AND id = ${searchText(id)}
            UNION ALL
            SELECT ${sql.literal(settledColumns)} FROM settled_deliveries
            WHERE organization = ${organization} AND id = ${searchText(id)}
          ) d`,
        ([row]) =>
          row === undefined ? Effect.succeedNone : Effect.asSome(Effect.fromResult(rowToLogged(row))),
      ),
    ),
    list: operation("list", list),
  })
})

/** The delivery log of a database. */
export const layer = Layer.effect(DeliveryLog, make)

const operation = portOperation((failure) => new DeliveryLogIsUnavailable(failure))

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
 * Matches the event in the JSON of the notification, where a quote within a value is escaped. The planner assumes that
 * many rows match, and so reads in the order of the list until the page is full.
 */
const isOfEvent = (sql: SqlClient.SqlClient, event: DeliveredEvent) =>
  sql`strpos(notification, ${`"event":"${event}"`}) > 0`

/**
 * Matches the alert in the JSON of the notification, where `"alertId":"` comes before every value that users choose.
 * The index has the escaped ID up to its first quote; the second condition compares the rare ID that contains one.
 */
const isOfAlert = (sql: SqlClient.SqlClient, alertId: string) => {
  const quoted = JSON.stringify(searchText(alertId))
  const [indexed = ""] = quoted.slice(1).split('"')
  return [
    sql`${sql.literal(alertIdInNotification)} = ${indexed}`,
    sql`strpos(notification, ${`"alertId":${quoted}`}) > 0`,
  ]
}
