import type * as SqlClient from "effect/sql/SqlClient"
import { replacedColumns } from "./ExportedTables.ts"

/** The expression of a row of an export: a JSON array of null and strings, on one line. */
export const rowText = (sql: SqlClient.SqlClient, table: string, columns: ReadonlyArray<string>) => {
  const values = columns.map((name) => `(${replacedColumns[table]?.[name] ?? `"${name}"`})::text`)
  return sql.literal(`json_build_array(${values.join()})::text`)
}
