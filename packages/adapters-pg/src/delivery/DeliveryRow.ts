import { type Delivery, type DeliveryState, storedNotificationContent } from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { inRow, type StoredRowIsInvalid } from "../database/StoredRow.ts"

export interface DeliveryRow extends ProjectKey {
  readonly id: string
  /** The ID of the notification, and its content. */
  readonly notification: string
  readonly content: string
  readonly state: DeliveryState
  readonly attempt: number
  readonly attempts_used: number
  readonly created_at: number
  readonly due_at: number
  readonly settled_at: number | null
  readonly delivered_at: number | null
}

/**
 * A subquery for the delivery whose `id` and `created_at` the row `key` has, as a `DeliveryRow`; empty when a part of it has
 * expired. Use it in `CROSS JOIN LATERAL` or `LEFT JOIN LATERAL`.
 *
 * The state of a delivery is in the queue until it is settled, and in its latest attempt from then on. Each table is read by
 * its key, whatever the statistics say of tables that fill and empty all the time, and only in the partition of the delivery.
 */
export const deliveryOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  key: string,
): Fragment => sql`(
  SELECT d.id, d.project, d.name, d.notification, n.content, d.created_at,
    CASE WHEN q.id IS NULL THEN a.state WHEN q.sending IS NULL THEN 'pending' ELSE 'sending' END AS state,
    coalesce(q.attempt, a.number) AS attempt, coalesce(q.attempts_used, a.attempts_used) AS attempts_used,
    coalesce(q.due_at, a.settled_at) AS due_at, CASE WHEN q.id IS NULL THEN a.settled_at END AS settled_at,
    (SELECT min(settled_at) FROM delivery_attempts
     WHERE organization = ${organization} AND id = d.id AND created_at = d.created_at AND state = 'delivered') AS delivered_at
  FROM deliveries d
  CROSS JOIN LATERAL (
    SELECT content FROM notifications
    WHERE organization = ${organization} AND id = d.notification AND created_at = d.created_at LIMIT 1
  ) n
  LEFT JOIN LATERAL (
    SELECT id, attempt, attempts_used, due_at, sending FROM delivery_queue
    WHERE organization = ${organization} AND id = d.id LIMIT 1
  ) q ON true
  LEFT JOIN LATERAL ${latestAttempt(sql, organization, "d")} a ON true
  WHERE d.organization = ${organization} AND d.id = ${sql.literal(key)}.id AND d.created_at = ${sql.literal(key)}.created_at
    AND (q.id IS NOT NULL OR a.state IS NOT NULL)
  LIMIT 1
)`

/** A subquery for the latest attempt of the delivery whose `id` and `created_at` the row `key` has. */
export const latestAttempt = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  key: string,
): Fragment => sql`(
  SELECT number, state, attempts_used, settled_at FROM delivery_attempts
  WHERE organization = ${organization} AND id = ${sql.literal(key)}.id AND created_at = ${sql.literal(key)}.created_at
  ORDER BY number DESC LIMIT 1
)`

/** Whether the delivery whose `id` the row `key` has is not settled: a look-up for each row, never a join with the queue. */
export const isQueued = (sql: SqlClient.SqlClient, organization: OrganizationId, key: string): Fragment =>
  sql`coalesce(
    (SELECT true FROM delivery_queue WHERE organization = ${organization} AND id = ${sql.literal(key)}.id LIMIT 1), false)`

/** The state of the delivery whose `id` and `created_at` the row `key` has. */
export const stateOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  key: string,
): Fragment => sql`coalesce(
  (SELECT CASE WHEN sending IS NULL THEN 'pending' ELSE 'sending' END FROM delivery_queue
   WHERE organization = ${organization} AND id = ${sql.literal(key)}.id),
  (SELECT state FROM ${latestAttempt(sql, organization, key)} latest)
)`

export const rowToDelivery = (row: DeliveryRow): Result.Result<Delivery, StoredRowIsInvalid> =>
  Result.map(
    inRow(`delivery ${row.id}`, storedNotificationContent.read(row.content, undefined)),
    (content) => ({
      notification: { ...content, id: row.id },
      alertMethod: { project: row.project, name: row.name },
      state: row.state,
      attempt: row.attempt,
      attemptsUsed: row.attempts_used,
      createdAt: row.created_at,
      dueAt: row.due_at,
      ...(row.settled_at !== null && { settledAt: row.settled_at }),
      ...(row.delivered_at !== null && { deliveredAt: row.delivered_at }),
    }),
  )
