import { setTimeout as wait } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Pool } from "undici"
import { urlOf } from "../crash/CrashDatabase.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { type Comparison, judge } from "./Compare.ts"
import { type ContenderProcess, startContender } from "./ContenderProcess.ts"
import type { ServerToStart } from "./FairnessServer.ts"
import { percentile } from "./QueueLatency.ts"
import type { Arrivals } from "./QueueReceiver.ts"
import type { SlowPathAddress } from "./SlowPathReceiver.ts"

/**
 * How soon the notifications of a healthy organization arrive, alone and beside hostile organizations, on the whole
 * server: in memory, and on a durable PostgreSQL.
 *
 * The healthy one sends 20 alerts a second for half a minute. Each hostile one has 600 alert methods with a delivery due, all
 * to a path of the same host that responds with 200 after 14 s, so that no circuit opens. Times are from the response to
 * the alert until the notification arrives; one that has not arrived half a minute after the last alert counts with the
 * time until then. Each run has a server, and a database, of its own.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const comparisons: Array<Comparison> = []
  for (const store of ["memory", "PostgreSQL"] as const) {
    const times = new Map<string, ReadonlyArray<number>>([[limitName, [1_000_000]]])
    for (const hostile of hostileCounts) {
      const arrived = await withServer(store, hostile, (server) => arrivalTimes(server, hostile))
      const name = nameOf(hostile)
      times.set(`${name}, p50`, [percentile(arrived, 0.5) * 1_000])
      times.set(`${name}, p99`, [percentile(arrived, 0.99) * 1_000])
    }
    const bounds = hostileCounts.slice(1).flatMap((hostile) => [
      { name: `${nameOf(hostile)}, p99`, against: limitName, atLeast: 1 },
      { name: `${nameOf(hostile)}, p99`, against: `${nameOf(0)}, p99`, atLeast: 0.5 },
    ])
    const title = `From accepted to arrived for a healthy organization at ${perSecond} alerts a second, ${store}`
    comparisons.push({ title, time: "wall", ...judge(times, bounds) })
  }
  return comparisons
}

const hostileCounts = [0, 2, 8, 64]
const methodsEach = 600
const perSecond = 20
const seconds = 30
const limitName = "1 s"
const nameOf = (hostile: number): string =>
  hostile === 0 ? "alone" : `beside ${hostile} hostile organizations`

interface Served {
  readonly pool: Pool
  readonly receiver: ContenderProcess
  readonly receiverUrl: string
}

const healthy = "healthy"
const hostileOf = (count: number) => Array.from({ length: count }, (_, index) => `hostile-${index}`)
const clientSecret = "benchmark-secret-of-no-worth-benchmark-secrA"

const withServer = async <A>(
  store: "memory" | "PostgreSQL",
  hostile: number,
  use: (served: Served) => Promise<A>,
): Promise<A> => {
  const scope = Scope.makeUnsafe()
  const receiver = startContender(new URL("./SlowPathReceiver.ts", import.meta.url), "receiver")
  const server = startContender(new URL("./FairnessServer.ts", import.meta.url), "server")
  let pool: Pool | undefined
  try {
    const { port, ca } = await receiver.ask<SlowPathAddress>("address")
    const databaseUrl =
      store === "memory" ? undefined : urlOf(await Effect.runPromise(Scope.provide(benchDatabase, scope)))
    const toStart: ServerToStart = {
      organizations: [healthy, ...hostileOf(hostile)],
      clientSecret,
      caPem: ca,
      databaseUrl,
    }
    pool = new Pool(await server.ask<string>("start", toStart), { connections: 32 })
    return await use({ pool, receiver, receiverUrl: `https://localhost:${port}` })
  } finally {
    await pool?.destroy()
    server.end()
    receiver.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** The times of a run in milliseconds, the shortest first. */
const arrivalTimes = async (
  { pool, receiver, receiverUrl }: Served,
  hostile: number,
): Promise<ReadonlyArray<number>> => {
  const names = methodNames(healthyMethods)
  const notify = await enter(pool, healthy, names, `${receiverUrl}/hook`)
  const attackers: Array<Notify> = []
  for (const organization of hostileOf(hostile))
    attackers.push(await enter(pool, organization, methodNames(methodsEach), `${receiverUrl}/slow`))
  for (const attack of attackers)
    for (let from = 0; from < methodsEach; from += methodsPerAlert)
      await attack(methodNames(methodsEach).slice(from, from + methodsPerAlert))
  await wait(settlingMs)

  const acceptedAt = new Map<string, number>()
  const alert = async (name: string): Promise<void> => {
    for (const id of await notify([name])) acceptedAt.set(id, Date.now())
  }
  const alerts: Array<Promise<void>> = []
  const begin = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const early = begin + (n * 1_000) / perSecond - performance.now()
    if (early > 0) await wait(early)
    alerts.push(alert(names[n % names.length] ?? ""))
  }
  await Promise.all(alerts)

  const times: Array<number> = []
  const giveUpAt = performance.now() + 30_000
  while (acceptedAt.size > 0 && performance.now() < giveUpAt) {
    for (const [id, at] of await receiver.ask<Arrivals>("arrivals")) {
      const accepted = acceptedAt.get(id)
      if (accepted === undefined) continue
      times.push(Math.max(0, at - accepted))
      acceptedAt.delete(id)
    }
    await wait(200)
  }
  if (acceptedAt.size > 0) console.log(`${nameOf(hostile)}: ${acceptedAt.size} did not arrive`)
  for (const accepted of acceptedAt.values()) times.push(Date.now() - accepted)
  return times.toSorted((a, b) => a - b)
}

const healthyMethods = 20
const methodsPerAlert = 100
/** So long do the hostile deliveries get to fill what they can, in milliseconds. */
const settlingMs = 3_000

const methodNames = (count: number) => Array.from({ length: count }, (_, index) => `hook-${index}`)

/** Sends an alert to alert methods; gives the IDs of the deliveries once it is accepted. */
type Notify = (methods: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>

/** Defines alert methods of an organization. */
const enter = async (
  pool: Pool,
  organization: string,
  methods: ReadonlyArray<string>,
  url: string,
): Promise<Notify> => {
  const call = async (method: "POST" | "PUT", path: string, headers: object, body?: unknown) => {
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
    return JSON.parse(text)
  }
  const basic = Buffer.from(`${organization}:${clientSecret}`).toString("base64")
  const token = await call("POST", "/api/accessToken", { authorization: `Basic ${basic}` })
  const authorized = { authorization: `Bearer ${token.access_token}` }
  await call("PUT", "/api/apply", authorized, [
    ...sloWithService,
    ...methods.map((name) => methodOf(name, url)),
  ])
  let sent = 0
  return async (names) => {
    const { deliveries } = (await call("POST", "/api/alerts", authorized, {
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
