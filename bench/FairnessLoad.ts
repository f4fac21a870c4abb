import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Pool } from "undici"
import { urlOf } from "../test/crash/CrashDatabase.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { type ContenderProcess, startContender } from "./ContenderProcess.ts"
import type { ServerToStart } from "./FairnessServer.ts"
import type { SlowPathAddress } from "./SlowPathReceiver.ts"

export type FairnessStore = "memory" | "PostgreSQL"

/** A whole server, and a receiver whose path `/slow` responds late, each in a process of its own. */
export interface Served {
  readonly url: string
  readonly pool: Pool
  readonly server: ContenderProcess
  /** Of a server with PostgreSQL. */
  readonly database: PgConnection | undefined
  readonly receiver: ContenderProcess
  readonly receiverUrl: string
}

/** The secret of the credential of each organization. */
export const clientSecret = "benchmark-secret-of-no-worth-benchmark-secrA"

/** Starts a server with a credential for each organization, and with a durable PostgreSQL of its own or none. */
export const withServer = async <A>(
  store: FairnessStore,
  organizations: ReadonlyArray<string>,
  connections: number,
  use: (served: Served) => Promise<A>,
): Promise<A> => {
  const scope = Scope.makeUnsafe()
  const receiver = startContender(new URL("./SlowPathReceiver.ts", import.meta.url), "receiver")
  const server = startContender(new URL("./FairnessServer.ts", import.meta.url), "server")
  let pool: Pool | undefined
  try {
    const { port, ca } = await receiver.ask<SlowPathAddress>("address")
    const database =
      store === "memory" ? undefined : await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const databaseUrl = database && urlOf(database)
    const toStart: ServerToStart = { organizations, clientSecret, caPem: ca, databaseUrl }
    const url = await server.ask<string>("start", toStart)
    pool = new Pool(url, { connections })
    return await use({ url, pool, server, database, receiver, receiverUrl: `https://localhost:${port}` })
  } finally {
    await pool?.destroy()
    server.end()
    receiver.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export const methodNames = (count: number) => Array.from({ length: count }, (_, index) => `hook-${index}`)

/** Sends an alert to alert methods; returns the IDs of the deliveries once it is accepted. */
export type Notify = (methods: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>

/** Sends a request of an organization with a JSON body, and returns that of the response. */
export type Call = (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<unknown>

/** Signs in as an organization with the credential that `withServer` gave it. */
export const signIn = async (pool: Pool, organization: string, project = "default"): Promise<Call> => {
  const request = async (method: string, path: string, headers: object, body?: unknown): Promise<unknown> => {
    const response = await pool.request({
      method,
      path,
      headers: {
        organization,
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.body.text()
    if (response.statusCode >= 300)
      throw new Error(`${path} was answered ${response.statusCode}: ${text.slice(0, 500)}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  const basic = Buffer.from(`${organization}:${clientSecret}`).toString("base64")
  const { access_token } = (await request("POST", "/api/accessToken", {
    authorization: `Basic ${basic}`,
  })) as { readonly access_token: string }
  const headers = { project, authorization: `Bearer ${access_token}` }
  return (method, path, body) => request(method, path, headers, body)
}

/** Defines alert methods of an organization. */
export const enter = async (
  pool: Pool,
  organization: string,
  methods: ReadonlyArray<string>,
  url: string,
): Promise<Notify> => {
  const call = await signIn(pool, organization)
  await call("PUT", "/api/apply", [...sloWithService, ...methods.map((name) => methodOf(name, url))])
  let sent = 0
  return async (names) => {
    const { deliveries } = (await call("POST", "/api/alerts", {
      status: "triggered",
      alertId: `alert-${++sent}`,
      slo: { name: "checkout", project: "default" },
      objective: "good",
      severity: "High",
      alertMethods: names.map((name) => ({ name, project: "default" })),
    })) as { readonly deliveries: ReadonlyArray<{ readonly id: string }> }
    if (deliveries.length !== names.length) throw new Error(`${deliveries.length} deliveries`)
    return deliveries.map(({ id }) => id)
  }
}

const apiVersion = "tocsin/v1alpha"

const sloWithService = [
  { apiVersion, kind: "Service", metadata: { name: "web", project: "default" }, spec: {} },
  {
    apiVersion,
    kind: "SLO",
    metadata: { name: "checkout", project: "default" },
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "good", displayName: "Good", target: 0.99 }],
    },
  },
]

const methodOf = (name: string, url: string) => ({
  apiVersion,
  kind: "AlertMethod",
  metadata: { name, project: "default" },
  spec: { webhook: { url, templateFields: ["slo_name", "alert_id"] } },
})
