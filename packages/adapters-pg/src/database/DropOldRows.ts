import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Effect from "effect/Effect"

/** Deletes the rows that meet a condition, in batches, so that no statement takes long. Any number of processes may. */
export const dropOldRows = (sql: SqlClient.SqlClient, table: string, condition: Fragment) =>
  sql<{ readonly count: number }>`
    WITH old AS (
      DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${sql(table)} WHERE ${condition} LIMIT ${dropMax} FOR UPDATE SKIP LOCKED))
      RETURNING 1
    )
    SELECT count(*)::integer AS count FROM old`.pipe(
    Effect.repeat({ while: ([row]) => row !== undefined && row.count >= dropMax }),
    Effect.asVoid,
  )

const dropMax = 1_000
