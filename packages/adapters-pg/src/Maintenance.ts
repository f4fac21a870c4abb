import * as SqlClient from "effect/sql/SqlClient"
import { CountsRetention } from "@tocsin/domain/counts/CountsRetention"
import { dayMs } from "@tocsin/domain/codec/MinuteInstant"
import { logOutages } from "@tocsin/domain/OutageLog"
import type { PortFailure } from "@tocsin/domain/PortFailure"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { dropOldAlerts } from "./alerting/AlertStorePg.ts"
import { dropOldResends } from "./delivery/BulkResendStorePg.ts"
import { countTables } from "./slo/CountHours.ts"
import { maintainHistory } from "./delivery/DeliveryHistory.ts"
import { dropPartitionsBefore, ensurePartitions } from "./database/Retention.ts"
import { portOperation } from "./database/PortOperation.ts"

/**
 * Creates the current and the next partition of each table, and deletes everything whose retention has ended.
 *
 * Uses the database's clock. Any number of processes may run it.
 */
export const maintainPartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ now: number }>`SELECT now_ms() AS now`
  const now = row?.now ?? 0
  const countsMs = (yield* CountsRetention) * dayMs
  for (const table of countTables) {
    yield* ensurePartitions(sql, table, now, now + table.partitionMs)
    yield* dropPartitionsBefore(sql, table, now - countsMs)
  }
  yield* maintainHistory(sql, now)
  yield* dropOldAlerts(sql)
  yield* dropOldResends(sql)
})

class MaintenanceFailed extends Data.TaggedError("MaintenanceFailed")<PortFailure> {}

const operation = portOperation((failure) => new MaintenanceFailed(failure))

/** Runs the maintenance once while the layer is built, and then every hour until the scope closes. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const logging = yield* logOutages("Maintaining partitions failed")
    const maintain = logging(operation("maintainPartitions", maintainPartitions)).pipe(Effect.ignoreCause)
    yield* maintain
    yield* Effect.forkScoped(Effect.schedule(maintain, Schedule.spaced("1 hour")))
  }),
)
