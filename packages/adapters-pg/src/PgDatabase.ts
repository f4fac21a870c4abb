import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted } from "effect"
import { type CustomTypesConfig, Pool, type PoolConfig, types } from "pg"
import { deadlineClient } from "./DeadlineClient.ts"

/** Where the database is: by URL, or through a unix socket in a directory. */
export type PgConnection =
  | { readonly url: Redacted.Redacted<string> }
  | {
      readonly socketDirectory: string
      readonly port: number
      readonly user: string
      readonly database: string
    }

/** A database, and what one process may take of it. */
export interface PgDatabaseOptions {
  readonly connection: PgConnection
  /** Connections at once; default 10. */
  readonly connectionsMax?: number
  /** How long an operation waits for a connection, in milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number
  /** How long the server lets a statement run, in milliseconds, 0 for ever; default 10,000. Twice that ends a connection. */
  readonly statementTimeoutMs?: number
  /** What `pg_stat_activity` calls the connections; default `tocsin`. */
  readonly applicationName?: string
}

/**
 * A bounded pool of connections. It connects when it is used, and anew after a loss: while the database is away
 * operations fail, and once it is back they work.
 *
 * The server ends a transaction that stands idle for 10 s, so that a process that hangs holds no lock. A `bigint`
 * reads as a number: no column holds more than 2^53.
 */
export const layer = (options: PgDatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.scopedContext(
    PgClient.fromPool({ acquire: acquirePool(options) }).pipe(
      // Making the pool connects to nothing, so there is nothing that could fail.
      Effect.orDie,
      Effect.map((client) =>
        Context.make(PgClient.PgClient, client).pipe(Context.add(SqlClient.SqlClient, client)),
      ),
    ),
  ).pipe(Layer.provide(Reactivity.layer))

const acquirePool = (options: PgDatabaseOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
      const pool = new Pool({
        ...connectionOptions(options.connection),
        ...(statementTimeoutMs > 0 && { Client: deadlineClient(2 * statementTimeoutMs) }),
        max: options.connectionsMax ?? 10,
        connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
        idleTimeoutMillis: 30_000,
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: 10_000,
        application_name: options.applicationName ?? "tocsin",
        keepAlive: true,
        // Compiling a plan takes longer than any statement of ours.
        options: "-c jit=off",
        types: columnTypes,
      })
      // A connection that breaks while nobody uses it leaves the pool by itself.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second")),
  )

const connectionOptions = (connection: PgConnection): PoolConfig =>
  "url" in connection
    ? { connectionString: Redacted.value(connection.url) }
    : {
        host: connection.socketDirectory,
        port: connection.port,
        user: connection.user,
        database: connection.database,
      }

const bigintOid = 20

const columnTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === bigintOid && format !== "binary"
      ? Number
      : types.getTypeParser(oid, format as "text")) as typeof types.getTypeParser,
}
