import type { PgConnection } from "@tocsin/adapters-pg/admin"
import * as Redacted from "effect/Redacted"

/** The PostgreSQL of a test run, in a form that passes from process to process. */
export interface TestServer {
  readonly connection:
    | { readonly url: string }
    | {
        readonly socketDirectory: string
        readonly port: number
        readonly user: string
        readonly database: string
      }
  /** A database that holds the schema and nothing else. */
  readonly template: string
  /** What the names of this run's databases start with. */
  readonly prefix: string
  /** The worker nodes, if the server is the coordinator of a Citus cluster: then the tables of every database are distributed. */
  readonly workers: ReadonlyArray<ClusterNode>
}

/** A node of a Citus cluster, which takes the same user and password as the coordinator. */
export interface ClusterNode {
  readonly host: string
  readonly port: number
}

/** How to connect to a database on a node of the cluster. */
export const connectionToNode = (
  { connection }: TestServer,
  { host, port }: ClusterNode,
  database: string,
): PgConnection => {
  if (!("url" in connection)) throw new Error("a cluster has a URL")
  const url = new URL(connection.url)
  url.hostname = host
  url.port = String(port)
  url.pathname = `/${database}`
  return { url: Redacted.make(url.href) }
}

/** How to connect to a database of the server. */
export const connectionTo = ({ connection }: TestServer, database: string): PgConnection => {
  if (!("url" in connection)) return { ...connection, database }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: Redacted.make(url.href) }
}

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: TestServer
  }
}
