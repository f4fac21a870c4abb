import { databaseLayer, type PgConnection } from "@tocsin/adapters-pg/admin"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { setTimeout as wait } from "node:timers/promises"

/** The URL of a connection, as an operator writes it. */
export const urlOf = (connection: PgConnection): string =>
  "url" in connection
    ? Redacted.value(connection.url)
    : `postgres://${connection.user}@${encodeURIComponent(connection.socketDirectory)}:${connection.port}/${connection.database}`

/** Runs a statement on a connection of its own. */
export const run = <Row extends object = { readonly id: string }>(connection: PgConnection, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(text)).pipe(
    Effect.provide(databaseLayer({ connection, connectionsMax: 1 })),
    Effect.runPromise,
  )

/** Runs a statement in a transaction, and leaves it open while `work` lasts; then all is as before. */
export const whileOpen = async <A>(
  connection: PgConnection,
  statement: string,
  work: () => Promise<A>,
): Promise<A> => {
  const holding = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql
      .withTransaction(
        Effect.andThen(
          Effect.andThen(sql`SET LOCAL idle_in_transaction_session_timeout = 0`, sql.unsafe(statement)),
          Effect.flatMap(Effect.promise(work), (worked) => Effect.fail({ worked })),
        ),
      )
      .pipe(
        Effect.catchIf(
          (end) => "worked" in end,
          (end) => Effect.succeed(end.worked),
        ),
      )
  })
  return Effect.runPromise(Effect.provide(holding, databaseLayer({ connection, connectionsMax: 1 })))
}

/** The IDs of the deliveries that are claimed. */
export const claimedIds = async (connection: PgConnection) =>
  (await run(connection, "SELECT id FROM delivery_queue WHERE sending IS NOT NULL")).map(({ id }) => id)

/** How many deliveries are not settled. */
export const unsettled = async (connection: PgConnection) =>
  (await run(connection, "SELECT id FROM delivery_queue")).length

/** Sets the clock of the database this far from the time of day; 31 s ahead are past every lease. */
export const setClockAhead = async (connection: PgConnection, milliseconds: number): Promise<void> => {
  await run(
    connection,
    `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
     RETURN (extract(epoch FROM statement_timestamp()) * 1000)::bigint + ${milliseconds}`,
  )
}

/** Waits until something is so; a minute by default, as the machine may be busy. */
export const until = async (isSo: () => Promise<boolean>, limitMs = 60_000): Promise<void> => {
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    if (await isSo()) return
    await wait(50)
  }
  throw new Error(`it is not so after ${limitMs} ms: ${isSo}`)
}
