import * as AlertStorePg from "@tocsin/adapters-pg/alerting/AlertStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/delivery/DeliveryHints"
import * as DeliveryLogPg from "@tocsin/adapters-pg/delivery/DeliveryLogPg"
import * as DeliveryQueuePg from "@tocsin/adapters-pg/delivery/DeliveryQueuePg"
import { maintainPartitions } from "@tocsin/adapters-pg/Maintenance"
import * as PgDatabase from "@tocsin/adapters-pg/database/PgDatabase"
import { SecretBox } from "@tocsin/domain/secret/SecretBox"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { aNotification } from "../contract/deliveries.ts"
import { benchBox } from "./BenchDatabase.ts"
import { storedNotification } from "@tocsin/domain/notification/Notification"

/** The queue with what fills it, and the database below. */
export const queueLayer = (connection: PgDatabase.PgConnection) =>
  Layer.mergeAll(
    AlertStorePg.layer,
    DefinitionStorePg.layer,
    DeliveryLogPg.layer,
    DeliveryQueuePg.layer,
  ).pipe(
    Layer.provide(DeliveryHints.layer),
    Layer.provide(Layer.succeed(SecretBox, benchBox)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(maintainPartitions))),
    Layer.provideMerge(PgDatabase.layer({ connection, statementTimeoutMs: 600_000 })),
  )

/** Queues `count` deliveries that are due, in turn to each of the methods of `shop` whose names are `m-0`, `m-1`, … */
export const fillQueue = (count: number, methods: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const notification = storedNotification.write(aNotification("acme", "<id>")).json
    return sql.unsafe(`
      WITH filled AS (
        INSERT INTO deliveries (organization, id, project, name, notification, attempt, attempts_used, created_at, due_at)
        SELECT 'acme', id, 'shop', 'm-' || n % ${methods}, replace('${notification}', '<id>', id), 0, 0, now_ms(), now_ms()
        FROM (SELECT n, uuidv7()::text AS id FROM generate_series(1, ${count}) AS n) ids
        RETURNING organization, project, name
      )
      INSERT INTO endpoint_wakeups (organization, project, name) SELECT DISTINCT organization, project, name FROM filled`)
  })
