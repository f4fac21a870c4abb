import { Maintenance, PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { aNotificationContent } from "@tocsin/testing/fixtures"
import { storedNotificationContent } from "@tocsin/domain/adapter"
import { SecretBox } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { benchBox } from "./BenchDatabase.ts"

/** The queue with what fills it, and the database below. */
export const queueLayer = (connection: PgDatabase.PgConnection) =>
  PgStores.storesLayer.pipe(
    Layer.provide(Layer.succeed(SecretBox, benchBox)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(Maintenance.maintainPartitions))),
    Layer.provideMerge(PgDatabase.layer({ connection, statementTimeoutMs: 600_000 })),
  )

/**
 * Queues `count` deliveries that are due, in turn to each of the methods of `shop` whose names are `m-0`, `m-1`, …; each with a
 * notification of its own.
 */
export const fillQueue = (count: number, methods: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
      WITH ${newDeliveries(count, methods)}, queued AS (
        INSERT INTO delivery_queue
          (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
        SELECT 'acme', id, now_ms(), 'shop', name, id, false, now_ms(), now_ms(), 0, 0 FROM ids
      )
      INSERT INTO delivery_wakes (organization, project, name, at) SELECT DISTINCT 'acme', 'shop', name, now_ms() FROM ids`),
  )

/** CTEs that add deliveries, created now, with notifications; their keys are in `ids`. */
export const newDeliveries = (count: number, methods: number): string => `
  ids AS MATERIALIZED (
    SELECT uuidv7()::text AS id, 'm-' || n % ${methods} AS name FROM generate_series(1, ${count}) AS n
  ), notified AS (
    INSERT INTO notifications (organization, id, created_at, content)
    SELECT 'acme', id, now_ms(), '${storedNotificationContent.write(aNotificationContent("acme")).json}' FROM ids
  ), added AS (
    INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
    SELECT 'acme', id, now_ms(), 'shop', name, id, 'alert.triggered', 'alert-1' FROM ids
  )`
