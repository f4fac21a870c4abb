import { historyRetentionMs, storedAttempt, storedNotificationContent } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import type { NotifiedEvent, TestDelivery } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { keyArrays, texts } from "../database/Parameters.ts"
import type { Enqueuing } from "./DeliveryHints.ts"

/**
 * Adds deliveries that are due now, by the database's clock, and wakes their endpoints if they are not handed over. Must run at
 * the end of the transaction of the alerts: of two transactions that count the sizes of their notifications in the same row,
 * the second waits until the first has ended. Waits for nothing else.
 */
export const enqueueDeliveries = (
  sql: SqlClient.SqlClient,
  isDistributed: Effect.Effect<boolean, SqlError>,
  organization: OrganizationId,
  events: ReadonlyArray<NotifiedEvent>,
  enqueuing: Enqueuing,
) =>
  Effect.gen(function* () {
    enqueuing.deliveries = []
    const notifications = events.flatMap(({ content, deliveries }): ReadonlyArray<NewNotification> => {
      const [first] = deliveries
      return first === undefined
        ? []
        : [{ id: first.id, content, deliveries, json: storedNotificationContent.write(content).json }]
    })
    const [first] = notifications
    if (first === undefined) return
    const { isHandedOver } = enqueuing
    const now = (yield* isDistributed)
      ? yield* enqueueOneByOne(sql, organization, first.id, notifications, isHandedOver)
      : yield* enqueueAtOnce(sql, organization, first.id, notifications, isHandedOver)
    enqueuing.deliveries = notifications.flatMap(({ id, content, deliveries, json }) =>
      deliveries.map((delivery) => ({
        ...delivery,
        createdAt: now,
        notification: id,
        content,
        size: json.length,
      })),
    )
  })

/** A notification to store, with its deliveries. */
interface NewNotification extends NotifiedEvent {
  /** The ID of the first of its deliveries. */
  readonly id: string
  readonly json: string
}

const bytesOf = (notifications: ReadonlyArray<NewNotification>): number =>
  notifications.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)

/** Inserts everything in one statement; returns its time. */
const enqueueAtOnce = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  firstId: string,
  notifications: ReadonlyArray<NewNotification>,
  isHandedOver: boolean,
) => {
  const deliveries = notifications.flatMap((notification) =>
    notification.deliveries.map(({ id, alertMethod }) => ({ id, alertMethod, notification })),
  )
  const woken = sql`, woken AS (
      INSERT INTO delivery_wakes (organization, project, name, at)
      SELECT DISTINCT ${organization}, project, name, now FROM given CROSS JOIN clock
    )`
  return Effect.map(
    sql<{ readonly now: number }>`
    WITH clock AS (SELECT now_ms() AS now), given AS (
      SELECT * FROM unnest(
        ${texts(deliveries.map(({ id }) => id))},
        ${keyArrays(
          sql,
          deliveries.map(({ alertMethod }) => alertMethod),
        )},
        ${texts(deliveries.map(({ notification }) => notification.id))},
        ${texts(deliveries.map(({ notification }) => notification.content.event))},
        ${texts(deliveries.map(({ notification }) => notification.content.alertId))}
      ) AS given (id, project, name, notification, event, alert_id)
    ), notified AS (
      INSERT INTO notifications (organization, id, created_at, content)
      SELECT ${organization}, id, now, content FROM clock CROSS JOIN unnest(
        ${texts(notifications.map(({ id }) => id))}, ${texts(notifications.map(({ json }) => json))}
      ) AS new (id, content)
    ), added AS (
      INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
      SELECT ${organization}, id, now, project, name, notification, event, alert_id FROM given CROSS JOIN clock
    ), queued AS (
      INSERT INTO delivery_queue
        (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
      SELECT ${organization}, id, now, project, name, notification, false, now, now, 0, 0 FROM given CROSS JOIN clock
    )${isHandedOver ? sql`` : woken}, counted AS (
      INSERT INTO notification_sizes AS s (organization, at, stripe, bytes)
      SELECT ${organization}, now - now % ${dayMs}, ${stripeOf(firstId)}::smallint, ${bytesOf(notifications)}::bigint FROM clock
      ON CONFLICT (organization, at, stripe) DO UPDATE SET bytes = s.bytes + excluded.bytes
    )
    SELECT now FROM clock`,
    ([row]) => row?.now ?? 0,
  )
}

/** Inserts into one table after the other, as each of these statements runs on one node of Citus; returns the time. */
const enqueueOneByOne = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  firstId: string,
  notifications: ReadonlyArray<NewNotification>,
  isHandedOver: boolean,
) =>
  Effect.gen(function* () {
    let now: number | undefined
    for (const notification of notifications)
      now = yield* enqueueNotification(sql, organization, notification, isHandedOver, now)
    yield* countSize(sql, organization, { now: now ?? 0, id: firstId, bytes: bytesOf(notifications) })
    return now ?? 0
  })

const enqueueNotification = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { id: notification, content, deliveries, json }: NewNotification,
  isHandedOver: boolean,
  at: number | undefined,
) =>
  Effect.gen(function* () {
    const keys = deliveries.map(({ alertMethod }) => alertMethod)
    const ids = texts(deliveries.map(({ id }) => id))
    const [row] = yield* sql<{ readonly now: number }>`
      INSERT INTO notifications (organization, id, created_at, content)
      VALUES (${organization}, ${notification}, ${at === undefined ? sql`now_ms()` : sql`${at}::bigint`}, ${json})
      RETURNING created_at AS now`
    const now = row?.now ?? 0
    // Read from a table, so that a distributed PostgreSQL runs each statement on one node.
    const notified = sql`(
      SELECT organization FROM notifications
      WHERE organization = ${organization} AND id = ${notification} AND created_at = ${now}) o`
    yield* sql`
      INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
      SELECT o.organization, id, ${now}::bigint, project, name, ${notification}, ${content.event}, ${content.alertId}
      FROM ${notified} CROSS JOIN unnest(${ids}, ${keyArrays(sql, keys)}) AS given (id, project, name)`
    yield* sql`
      INSERT INTO delivery_queue
        (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
      SELECT o.organization, id, ${now}::bigint, project, name, ${notification}, false, ${now}::bigint, ${now}::bigint, 0, 0
      FROM ${notified} CROSS JOIN unnest(${ids}, ${keyArrays(sql, keys)}) AS given (id, project, name)`
    if (isHandedOver) return now
    yield* sql`
      INSERT INTO delivery_wakes (organization, project, name, at)
      SELECT DISTINCT o.organization, project, name, ${now}::bigint
      FROM ${notified} CROSS JOIN unnest(${keyArrays(sql, keys)}) AS given (project, name)`
    return now
  })

/** Adds a test of an alert method, which has ended, to the log: nothing of it is queued. Must run within a transaction. */
export const logTest = (
  sql: SqlClient.SqlClient,
  { notification, alertMethod, attempt, state }: TestDelivery,
) =>
  Effect.gen(function* () {
    const { id, ...content } = notification
    const { organization, event, alertId } = content
    const { json } = storedNotificationContent.write(content)
    const [row] = yield* sql<{ readonly now: number }>`
      INSERT INTO notifications (organization, id, created_at, content)
      VALUES (${organization}, ${id}, now_ms(), ${json})
      RETURNING created_at AS now`
    const now = row?.now ?? 0
    yield* sql`
      INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
      VALUES (${organization}, ${id}, ${now}, ${alertMethod.project}, ${alertMethod.name}, ${id}, ${event}, ${alertId})`
    yield* sql`
      INSERT INTO delivery_attempts (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
      VALUES (${organization}, ${id}, ${now}, ${attempt.number}, ${storedAttempt.write(attempt).json}, 1, ${state}, ${now})`
    yield* countSize(sql, organization, { now, id, bytes: Buffer.byteLength(json) })
  })

interface Size {
  /** In Unix milliseconds. */
  readonly now: number
  /** Of a delivery; the row to count in depends on it. */
  readonly id: string
  readonly bytes: number
}

const countSize = (sql: SqlClient.SqlClient, organization: OrganizationId, { now, id, bytes }: Size) => sql`
  INSERT INTO notification_sizes AS s (organization, at, stripe, bytes)
  VALUES (${organization}, ${Math.floor(now / dayMs) * dayMs}, ${stripeOf(id)}, ${bytes})
  ON CONFLICT (organization, at, stripe) DO UPDATE SET bytes = s.bytes + excluded.bytes`

/** The last digit of a UUID, from 0 to 15: the same for a repeated transaction, and random among others. */
const stripeOf = (id: string): number => Number.parseInt(id.slice(-1), 16) || 0

/** The sizes of the notifications that an organization stores, by the day on which their partition is dropped. */
export const readStoredNotifications = (sql: SqlClient.SqlClient, organization: OrganizationId) =>
  Effect.map(
    sql<{ readonly at: number; readonly bytes: number }>`
      SELECT at, sum(bytes)::bigint AS bytes FROM notification_sizes WHERE organization = ${organization} GROUP BY at`,
    (rows) => rows.map(({ at, bytes }) => ({ bytes, deletedAt: at + dayMs + historyRetentionMs })),
  )

/** Makes the owner of the organization's queue read the endpoints again, and what is due for them from `at` on, or from now. */
export const wakeEndpoints = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  alertMethods: ReadonlyArray<ProjectKey>,
  at?: number,
) => sql`
  INSERT INTO delivery_wakes (organization, project, name, at)
  SELECT DISTINCT ${organization}, project, name, ${at === undefined ? sql`now_ms()` : sql`${at}::bigint`}
  FROM unnest(${keyArrays(sql, alertMethods)}) AS given (project, name)`
