import * as PgClient from "@effect/sql-pg/PgClient"
import { metrics, observeGauge } from "@tocsin/domain/adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import { types } from "./Parameters.ts"
import { OperationDeadlineMs } from "./PortOperation.ts"
import { makeWriteTurns, WriteTurns } from "./WriteTurns.ts"

/** Most connections of a process to the database, by default. */
export const connectionsMaxDefault = 10

/** Minimum number of connections of a server: one listens for deliveries, one serves the queue, and one serves everything else. */
export const connectionsMin = 3

/** Maximum number of connections that only the delivery queue uses, including the one that listens. */
export const queueConnectionsMax = 4

/** Connections that the write transactions of requests leave to reads and to short statements. */
export const readConnections = 2

/** How to reach the database: by URL, or through a Unix socket in a directory. */
export type PgConnection =
  | {
      /** `postgres://user:password@host:5432/database`, with parameters such as `sslmode`. */
      readonly url: Redacted.Redacted<string>
      /** Certificates and keys for TLS; absent: as `sslmode` of the URL says, with the public CAs. */
      readonly tls?: DatabaseTls
      /** Whether it is a pooler in transaction mode, such as PgBouncer; default false. */
      readonly isPooled?: boolean
    }
  | {
      /** The directory of the socket, such as `/var/run/postgresql`. */
      readonly socketDirectory: string
      /** The number in the name of the socket. */
      readonly port: number
      /** The role to connect as. */
      readonly user: string
      /** The name of the database. */
      readonly database: string
    }

/** In PEM: the CA of the server's certificate, and the client certificate with its key. */
export interface DatabaseTls {
  /** The CA of the server certificate. */
  readonly ca?: string
  /** The client certificate. */
  readonly cert?: string
  /** The private key of the client certificate. */
  readonly key?: string
}

/** A database, and the limits of one process. */
export interface PgDatabaseOptions {
  /** Where the database is. */
  readonly connection: PgConnection
  /** The size of the pool; default 10. */
  readonly connectionsMax?: number
  /** The timeout of opening a connection, in milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number
  /** The statement timeout of the server, in milliseconds; 0 for none, default 10,000. */
  readonly statementTimeoutMs?: number
  /** The `application_name` in `pg_stat_activity`; default `tocsin`. */
  readonly applicationName?: string
}

/**
 * The connections of the delivery queue. While requests use all others, deliveries are claimed and settled without
 * waiting for them.
 */
export class QueueDatabase extends Context.Service<QueueDatabase, PgClient.PgClient>()(
  "@tocsin/adapters-pg/internal/QueueDatabase",
) {}

/** What the stores need of a database: the connections of requests, those of the queue, and turns for the former. */
export type Database = PgClient.PgClient | SqlClient.SqlClient | QueueDatabase | WriteTurns

/**
 * Two pools of one size in all, each as of `layer`: a part for the delivery queue alone, and the rest for everything else.
 * The queue gets four connections, of which one listens, and two fifths of fewer than ten.
 */
export const serverLayer = (options: PgDatabaseOptions): Layer.Layer<Database> => {
  const { queue, requests } = splitConnections(options.connectionsMax ?? connectionsMaxDefault)
  return Layer.mergeAll(
    pool({ ...options, connectionsMax: requests }),
    Layer.provide(
      Layer.effect(QueueDatabase, PgClient.PgClient),
      Layer.fresh(pool({ ...options, connectionsMax: queue })),
    ),
    turnsOf(requests),
    Layer.effectDiscard(
      Effect.andThen(
        observeGauge(metrics.databasePoolSize.of(), () => requests + queue),
        observeGauge(metrics.databaseQueuePoolSize.of(), () => queue),
      ),
    ),
  )
}

/** How many of a server's connections serve only the delivery queue, and how many everything else. */
export const splitConnections = (
  connectionsMax: number,
): { readonly queue: number; readonly requests: number } => {
  const queue = Math.min(queueConnectionsMax, Math.max(2, Math.floor(connectionsMax * 0.4)))
  return { queue, requests: Math.max(1, connectionsMax - queue) }
}

const turnsOf = (connections: number) =>
  Layer.effect(WriteTurns, makeWriteTurns(Math.max(1, connections - readConnections)))

/** One pool of connections, which the delivery queue shares with everything else: for tools, and for one store alone. */
export const layer = (options: PgDatabaseOptions): Layer.Layer<Database> =>
  Layer.mergeAll(
    Layer.effect(QueueDatabase, PgClient.PgClient),
    turnsOf(options.connectionsMax ?? connectionsMaxDefault),
  ).pipe(Layer.provideMerge(pool(options)))

/**
 * A pool of connections. It connects on demand and reconnects by itself: operations fail during an outage of the
 * database, and work again after it.
 *
 * The server ends transactions that are idle for 10 s, so that a process that hangs holds no lock; behind a pooler, the
 * role must set that. A `bigint` is read as a number, as no column exceeds 2^53.
 */
const pool = (options: PgDatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layer({
    ...connectionOptions(options.connection),
    maxConnections: options.connectionsMax ?? connectionsMaxDefault,
    connectTimeout: options.connectTimeoutMs ?? 5_000,
    idleTimeout: "30 seconds",
    keepAlive: "30 seconds",
    applicationName: options.applicationName ?? "tocsin",
    startupParameters: {
      statement_timeout: String(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
      idle_in_transaction_session_timeout: "10000",
      // The statistics of tables that fill and empty all the time are often of an empty table. The planner then reads all
      // of such a table, which a held snapshot has bloated, instead of looking up rows by their keys.
      enable_seqscan: "off",
      // Compiling a plan takes longer than any statement of this adapter.
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

/** Twice the statement timeout, which thus comes first. */
const operationDeadlineMs = ({
  statementTimeoutMs = defaultStatementTimeoutMs,
}: PgDatabaseOptions): number => (statementTimeoutMs === 0 ? Infinity : 2 * statementTimeoutMs)

const defaultStatementTimeoutMs = 10_000

/** Behind a pooler, each transaction may get another session: no prepared statements, no session parameters. */
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
