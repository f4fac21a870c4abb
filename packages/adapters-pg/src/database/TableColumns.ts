import type * as SqlClient from "effect/sql/SqlClient"

/** The columns of a table that are stored, without those that PostgreSQL generates; with their types as in SQL. */
export const tableColumns = (sql: SqlClient.SqlClient, table: string) =>
  sql<{ readonly name: string; readonly type: string }>`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    ORDER BY attnum`
