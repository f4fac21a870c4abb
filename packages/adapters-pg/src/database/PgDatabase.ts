import * as PgClient from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import { types } from "./Parameters.ts"
import { OperationDeadlineMs } from "./PortOperation.ts"

/** Where the database is: by URL, or through a unix socket in a directory. */
export type PgConnection =
  | {
      readonly url: Redacted.Redacted<string>
      /** Certificates and keys for TLS; absent: as `sslmode` of the URL says, with the public authorities. */
      readonly tls?: DatabaseTls
      /** Whether it is a pooler in transaction mode, such as PgBouncer; default false. */
      readonly isPooled?: boolean
    }
  | {
      readonly socketDirectory: string
      readonly port: number
      readonly user: string
      readonly database: string
    }

/** PEM texts: the authority that signs the server's certificate, and our own certificate with its key. */
export interface DatabaseTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** A database, and what one process may take of it. */
export interface PgDatabaseOptions {
  readonly connection: PgConnection
  /** Connections at once; default 10. */
  readonly connectionsMax?: number
  /** How long opening a connection may take, in milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number
  /** How long the server lets a statement run, in milliseconds, 0 for ever; default 10,000. */
  readonly statementTimeoutMs?: number
  /** What `pg_stat_activity` calls the connections; default `tocsin`. */
  readonly applicationName?: string
}

/**
 * A bounded pool of connections. It connects when it is used, and again after a loss: while the database is away
 * operations fail, and once it is back they work.
 *
 * The server ends a transaction that is idle for 10 s, so that a process that hangs holds no lock. Behind a pooler it does
 * so where the role says so. A `bigint` reads as a number: no column holds more than 2^53.
 */
export const layer = (options: PgDatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layer({
    ...connectionOptions(options.connection),
    maxConnections: options.connectionsMax ?? 10,
    connectTimeout: options.connectTimeoutMs ?? 5_000,
    idleTimeout: "30 seconds",
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "tocsin",
    startupParameters: {
      statement_timeout: String(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
      idle_in_transaction_session_timeout: "10000",
      // Compiling a plan takes longer than any statement of ours.
      jit: "off",
      // A plan that was made while a table was empty stays until the table is analyzed: claiming deliveries with such a
      // plan takes 1.3 times the CPU of the server.
      plan_cache_mode: "force_custom_plan",
    },
    ...pooledOptions(options.connection),
    types,
  }).pipe(
    // Making the pool connects to nothing, so there is nothing that could fail.
    Layer.orDie,
    Layer.merge(Layer.succeed(OperationDeadlineMs, operationDeadlineMs(options))),
  )

/** Twice what a statement may take, so that the server's own limit comes first. */
const operationDeadlineMs = ({
  statementTimeoutMs = defaultStatementTimeoutMs,
}: PgDatabaseOptions): number => (statementTimeoutMs === 0 ? Infinity : 2 * statementTimeoutMs)

const defaultStatementTimeoutMs = 10_000

/** A pooler lends each transaction another session: none has statements prepared, or parameters of its own. */
const pooledOptions = (connection: PgConnection): PgClient.PgClientConfig =>
  "url" in connection && connection.isPooled === true ? { prepare: false, startupParameters: {} } : {}

const connectionOptions = (connection: PgConnection): PgClient.PgClientConfig =>
  "url" in connection
    ? { url: connection.url, ...(connection.tls !== undefined && { ssl: { ...connection.tls } }) }
    : {
        path: `${connection.socketDirectory}/.s.PGSQL.${connection.port}`,
        username: connection.user,
        database: connection.database,
      }
