import { Pool } from "undici"
import { hostileRequests, slosOfHostile } from "../test/http/hostile-requests.ts"
import { type Comparison, judge } from "./Compare.ts"
import { startContender } from "./ContenderProcess.ts"
import type { ServerToStart } from "./FairnessServer.ts"
import { amount } from "./Length.ts"
import { percentile } from "./QueueLatency.ts"

/** `alone`: beside no other request. */
const contenders: typeof hostileRequests = { alone: [], ...hostileRequests }

const secondsEach = amount(2, 0.2)
const atOnce = amount(8, 2)
const clientSecret = "benchmark-secret-of-no-worth-benchmark-secrA"
const limitName = "50 ms"

/** How long a neighbor waits for a response while another organization sends hostile requests to one operation, in memory. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const server = startContender(new URL("./FairnessServer.ts", import.meta.url), "server")
  const toStart: ServerToStart = { organizations: ["hostile", "neighbor"], clientSecret, caPem: "" }
  const url = await server.ask<string>("start", toStart)
  const pool = new Pool(url, { connections: 16 })
  const neighbor = new Pool(url, { connections: 1 })
  try {
    const access = await accessOf(pool, "hostile")
    const ofNeighbor = await accessOf(neighbor, "neighbor")
    await call(pool, "PUT", "/api/apply", access, definitions())
    const times = new Map<string, ReadonlyArray<number>>([[limitName, [50_000]]])
    for (const [operation, requests] of Object.entries(contenders)) {
      const until = performance.now() + secondsEach * 1_000
      const attack = async (index: number): Promise<void> => {
        const request = requests[index % Math.max(1, requests.length)]
        if (request === undefined) return
        while (performance.now() < until) {
          await call(pool, request.method, request.path, { ...access, ...request.headers }, request.body)
        }
      }
      const waits: Array<number> = []
      const ask = async (): Promise<void> => {
        // At least once: to begin the requests may take all the time.
        do {
          const began = performance.now()
          await call(neighbor, "GET", "/api/get/services", ofNeighbor)
          waits.push((performance.now() - began) * 1_000)
        } while (performance.now() < until)
      }
      await Promise.all([...Array.from({ length: atOnce }, (_, index) => attack(index)), ask()])
      const sorted = waits.toSorted((a, b) => a - b)
      times.set(`${operation}, p50`, [percentile(sorted, 0.5)])
      times.set(`${operation}, p99`, [percentile(sorted, 0.99)])
    }
    const bounds = [...times.keys()]
      .filter((name) => name.endsWith("p99"))
      .map((name) => ({ name, against: limitName, atLeast: 1 }))
    const title = `A request of a neighbor beside ${atOnce} hostile requests at once`
    return [{ title, time: "wall", ...judge(times, bounds) }]
  } finally {
    await pool.destroy()
    await neighbor.destroy()
    server.end()
  }
}

const call = async (pool: Pool, method: string, path: string, headers: object, body?: unknown) => {
  const isText = typeof body === "string"
  const type = isText ? "application/yaml" : "application/json"
  const response = await pool.request({
    method: method as "GET",
    path,
    headers: { ...(body !== undefined && { "content-type": type }), ...headers },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  return { status: response.statusCode, text: await response.body.text() }
}

const accessOf = async (pool: Pool, organization: string) => {
  const basic = Buffer.from(`${organization}:${clientSecret}`).toString("base64")
  const headers = { organization, authorization: `Basic ${basic}` }
  const { status, text } = await call(pool, "POST", "/api/accessToken", headers)
  if (status !== 200) throw new Error(text)
  return {
    organization,
    authorization: `Bearer ${(JSON.parse(text) as { access_token: string }).access_token}`,
  }
}

const definitions = () => [
  { apiVersion: "tocsin/v1alpha", kind: "Project", metadata: { name: "shop" }, spec: {} },
  { apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "web", project: "shop" }, spec: {} },
  ...Array.from({ length: slosOfHostile - 2 }, (_, index) => ({
    apiVersion: "tocsin/v1alpha",
    kind: "SLO",
    metadata: { name: `slo-${index}`, project: "shop" },
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [
        { name: "good", displayName: "Good", target: 0.99 },
        { name: "great", displayName: "Great", target: 0.999 },
      ],
    },
  })),
]
