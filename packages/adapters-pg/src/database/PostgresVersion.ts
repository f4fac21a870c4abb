import { TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** The oldest and the newest major version of PostgreSQL that the tests run on. */
export const postgresVersions = { oldest: 15, newest: 18 } as const

/** The database is of a version of PostgreSQL that is too old. */
export class PostgresIsTooOld extends TaggedError("PostgresIsTooOld")<{
  /** Its version, such as `14.12`. */
  readonly version: string
}> {}

/** What to expect of a version, given as `server_version_num`: 180004 is 18.4. */
export const postgresSupport = (versionNumber: number): "too old" | "supported" | "untested" => {
  const major = Math.floor(versionNumber / 10_000)
  if (major < postgresVersions.oldest) return "too old"
  return major > postgresVersions.newest ? "untested" : "supported"
}

/** A `server_version_num` as text: 180004 is `18.4`. */
export const postgresVersionText = (versionNumber: number): string =>
  `${Math.floor(versionNumber / 10_000)}.${versionNumber % 10_000}`

/** The version as `18.4`, and as `server_version_num`. */
const readPostgresVersion = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ number: number }>`SELECT current_setting('server_version_num')::integer AS number`,
    ([row]) => {
      const number = row?.number ?? 0
      return { number, version: postgresVersionText(number) }
    },
  )

/** Rejects a version that is too old, and warns about one that is newer than all tested ones. */
export const checkPostgresVersion = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const { number, version } = yield* readPostgresVersion(sql)
    const support = postgresSupport(number)
    if (support === "too old") return yield* new PostgresIsTooOld({ version })
    if (support === "untested") {
      yield* Effect.annotateLogs(Effect.logWarning("PostgreSQL is newer than the versions that are tested"), {
        version,
        newestTested: postgresVersions.newest,
      })
    }
  })
