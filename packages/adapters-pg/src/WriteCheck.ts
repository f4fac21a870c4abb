import * as SqlClient from "effect/sql/SqlClient"
import { forkLoop, logOutages, type PortFailure, TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { portOperation } from "./database/PortOperation.ts"

/** Time between two checks whether the database accepts writes, in milliseconds. */
const writeCheckMs = 5_000

/** Time between two such checks while writes fail, in milliseconds. */
const writeCheckRetryMs = 1_000

/**
 * Writes to the disk of the database without a table: 400 KiB to a temporary file, and a record to the write-ahead log,
 * which the commit syncs.
 *
 * An update of a small row would not do: PostgreSQL often finds room for it on a full disk. Fails too if the database is
 * read-only, as some providers make it before its disk is full.
 */
export const checkWrites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // So that the rows of the function do not fit into memory.
      yield* sql`SET LOCAL work_mem = '64kB'`
      const [row] = yield* sql<{ isReadOnly: boolean }>`
        SELECT pg_logical_emit_message(true, 'tocsin', 'write check')::text,
          (SELECT count(*) FROM generate_series(1, 20000)),
          current_setting('transaction_read_only')::boolean AS "isReadOnly"`
      if (row?.isReadOnly === true) return yield* new DatabaseIsReadOnly()
    }),
  )
})

class DatabaseIsReadOnly extends TaggedError("DatabaseIsReadOnly") {}

class WriteCheckFailed extends TaggedError("WriteCheckFailed")<PortFailure> {}

const operation = portOperation("WriteCheck", (failure) => new WriteCheckFailed(failure))

/**
 * Checks whether the database accepts writes, at once and then every 5 s, or every second while it does not. The server is
 * not ready then.
 */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const logging = yield* logOutages("Writing to the database failed", 0)
    /** Returns how long to wait before the next check, in milliseconds. */
    const check = logging(operation("checkWrites", checkWrites)).pipe(
      Effect.matchCause({ onSuccess: () => writeCheckMs, onFailure: () => writeCheckRetryMs }),
    )
    yield* forkLoop("Checking writes ended", Effect.forever(Effect.flatMap(check, Effect.sleep)))
  }),
)
