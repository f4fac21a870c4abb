import type * as SqlClient from "effect/sql/SqlClient"
import { replacedColumns } from "./ExportedTables.ts"

/** The columns of a table that are stored, without those that PostgreSQL generates; with their types as in SQL. */
export const tableColumns = (sql: SqlClient.SqlClient, table: string) =>
  sql<{ readonly name: string; readonly type: string }>`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = to_regclass(${table}) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    ORDER BY attnum`

/** The expression of a row of an export: a JSON array of null and strings, on one line. */
export const rowText = (sql: SqlClient.SqlClient, table: string, columns: ReadonlyArray<string>) => {
  const values = columns.map((name) => `(${replacedColumns[table]?.[name] ?? `"${name}"`})::text`)
  return sql.literal(`json_build_array(${values.join()})::text`)
}
