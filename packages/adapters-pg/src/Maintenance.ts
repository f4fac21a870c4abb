import * as SqlClient from "effect/sql/SqlClient"
import { CountsRetention } from "@tocsin/domain"
import { forkLoop, logOutages, type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dropClosedSessions } from "./access/CredentialStorePg.ts"
import { dropOldAlerts } from "./alerting/AlertStorePg.ts"
import { dropOldResends } from "./delivery/BulkResendStorePg.ts"
import { dropOldAnnotations } from "./slo/AnnotationStorePg.ts"
import * as CountConversion from "./slo/CountConversion.ts"
import { countTables } from "./slo/CountHours.ts"
import { dropOldHistory } from "./definition/DefinitionHistoryPg.ts"
import { createHistory, dropExpiredHistory } from "./delivery/DeliveryHistory.ts"
import { dropPartitionsBefore, ensurePartitions } from "./database/Retention.ts"
import { portOperation } from "./database/PortOperation.ts"

const databaseNow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ now: number }>`SELECT now_ms() AS now`
  return row?.now ?? 0
})

/** Creates the current and the next partition of each table, by the database's clock. Any number of processes may run it. */
const createPartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* databaseNow
  for (const table of countTables) yield* ensurePartitions(sql, table, now, now + table.partitionMs)
  yield* createHistory(sql, now)
})

/** Deletes everything whose retention has ended, by the database's clock. Any number of processes may run it. */
const deleteExpired = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* databaseNow
  const countsMs = (yield* CountsRetention) * dayMs
  for (const table of countTables.toReversed()) yield* dropPartitionsBefore(sql, table, now - countsMs)
  yield* dropOldAnnotations(sql, now - countsMs)
  yield* dropExpiredHistory(sql, now)
  yield* dropOldAlerts(sql, now)
  yield* dropOldHistory(sql, now)
  yield* dropClosedSessions(sql, now)
  yield* dropOldResends(sql)
})

/**
 * Creates the current and the next partition of each table, and deletes everything whose retention has ended.
 *
 * Uses the database's clock. Any number of processes may run it.
 */
export const maintainPartitions = Effect.andThen(createPartitions, deleteExpired)

class MaintenanceFailed extends TaggedError("MaintenanceFailed")<PortFailure> {}

const operation = portOperation("Maintenance", (failure) => new MaintenanceFailed(failure))

/** Time between two runs of the maintenance of partitions and retention, in milliseconds. */
export const maintenanceMs = 3_600_000

/** Time before the creation of partitions is retried after a failure, in milliseconds. */
export const maintenanceRetryMs = 60_000

/**
 * Runs the maintenance once while the layer is built, and then every hour, or every minute while partitions cannot be created.
 *
 * A partition cannot be dropped while a dump or another long transaction reads its table. Then the server stays ready, and deletes what has
 * expired an hour later: each attempt makes other statements wait.
 */
const partitionsLayer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const loggingCreation = yield* logOutages("Maintaining partitions failed")
    const loggingDeletion = yield* logOutages("Deleting expired data failed", Infinity)
    /** Returns how long to wait before the next time, in milliseconds. */
    const maintain = loggingCreation(operation("createPartitions", createPartitions)).pipe(
      Effect.matchCauseEffect({
        onSuccess: () =>
          Effect.as(Effect.exit(loggingDeletion(operation("deleteExpired", deleteExpired))), maintenanceMs),
        onFailure: () => Effect.succeed(maintenanceRetryMs),
      }),
    )
    let waitMs = yield* maintain
    yield* forkLoop(
      "Maintaining partitions ended",
      Effect.forever(
        Effect.gen(function* () {
          yield* Effect.sleep(waitMs)
          waitMs = yield* maintain
        }),
      ),
    )
  }),
)

/**
 * Runs the maintenance once while the layer is built, and then every hour, or every minute while partitions cannot be
 * created; and converts counts that have the form of an earlier version.
 */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.merge(
  partitionsLayer,
  CountConversion.layer,
)
