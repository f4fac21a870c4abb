import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Runs the statements of a script one by one; each but the last ends with a semicolon at the end of a line. */
export const runScript = (script: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(script.split(";\n"), (statement) => sql.unsafe(statement), { discard: true }),
  )
