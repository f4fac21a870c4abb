import { PgDatabase } from "@tocsin/adapters-pg"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { setTimeout as delay } from "node:timers/promises"
import { urlOf } from "../test/crash/CrashDatabase.ts"
import { benchDatabase } from "./BenchDatabase.ts"
import { type Comparison, judge } from "./Compare.ts"
import { type ContenderProcess, cpuQuestion, startContender } from "./ContenderProcess.ts"
import { databaseCpu } from "./CountingDatabase.ts"
import type { ServerToStart } from "./FairnessServer.ts"
import { amount, roundsOf } from "./Length.ts"

const slos = amount(100, 10)
const minuteMs = 60_000
const dayMinutes = amount(1_440, 120)
const { rounds, warmUps } = roundsOf(7, 2)
const organization = "acme"
const clientSecret = "benchmark-secret-of-no-worth-benchmark-secrA"

/** What is queried, and how many series that has; each has a value in each minute of the day. */
const queries = [
  { title: "the error budget", query: "budget", series: slos },
  { title: "the burn rate", query: "burn_rate", series: slos },
  { title: "the counts of minutes", query: "sli_ratio_used_good", series: slos },
  { title: "the lowest error budget of each project", query: "min by (project) (budget)", series: 10 },
] as const

/**
 * `query_range` of the query API of Prometheus: 100 SLOs over one day, each with one objective and a count in each minute of the
 * last two days, by the minute over one day. Measured is the CPU time of the serving process, and that of PostgreSQL's.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const processes: Array<ContenderProcess> = []
  const start = async (databaseUrl?: string): Promise<Server> => {
    const contender = startContender(new URL("./FairnessServer.ts", import.meta.url), "tocsin")
    processes.push(contender)
    const given: ServerToStart = { organizations: [organization], clientSecret, caPem: "", databaseUrl }
    const server = { contender, url: await contender.ask<string>("start", given) }
    await fill(server.url)
    return server
  }
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const ofDatabase = (): Promise<number> =>
      Effect.runPromise(Effect.provide(databaseCpu, PgDatabase.layer({ connection })))
    const memory = await start()
    const postgres = await start(urlOf(connection))
    const comparisons: Array<Comparison> = []
    for (const { title, query, series } of queries) {
      const times = new Map<string, Array<number>>([
        ["in memory", []],
        ["on PostgreSQL, the server", []],
        ["on PostgreSQL, the database", []],
      ])
      for (let round = 0; round < warmUps + rounds; round++) {
        const ofMemory = await measure(memory, query, series)
        const before = await ofDatabase()
        const ofServer = await measure(postgres, query, series)
        const measured = [ofMemory, ofServer, (await ofDatabase()) - before]
        if (round < warmUps) continue
        for (const [index, each] of [...times.values()].entries()) each.push(measured[index] ?? 0)
      }
      comparisons.push({
        title: `A day of ${title} of ${slos} SLOs by the minute (${query})`,
        time: "cpu",
        ...judge(times, []),
      })
    }
    return comparisons
  } finally {
    for (const contender of processes) contender.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

interface Server {
  readonly contender: ContenderProcess
  readonly url: string
}

const headers = { authorization: `Basic ${btoa(`${organization}:${clientSecret}`)}` }

/** Sends a request again until the limits allow it. */
const request = async (url: string, init: RequestInit = {}): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, init)
    if (response.ok) return response
    const body = await response.text()
    if (response.status !== 429) throw new Error(`${url} returned ${response.status}: ${body}`)
    await delay(1_000)
  }
}

const fill = async (url: string): Promise<void> => {
  const token = await request(`${url}/api/accessToken`, {
    method: "POST",
    headers: { ...headers, organization },
  })
  const { access_token: accessToken } = (await token.json()) as { access_token: string }
  const editor = { authorization: `Bearer ${accessToken}`, organization, "content-type": "application/json" }
  const apiVersion = "tocsin/v1alpha"
  const keys = Array.from({ length: slos }, (_, index) => ({
    project: `p-${index % 10}`,
    name: `slo-${index}`,
  }))
  const definitions = [
    ...Array.from({ length: 10 }, (_, index) => [
      { apiVersion, kind: "Project", metadata: { name: `p-${index}` } },
      { apiVersion, kind: "Service", metadata: { name: "web", project: `p-${index}` } },
    ]).flat(),
    ...keys.map((metadata) => ({
      apiVersion,
      kind: "SLO",
      metadata,
      spec: {
        service: "web",
        budgetingMethod: "Occurrences",
        timeWindows: [{ unit: "Day", count: 1, isRolling: true }],
        objectives: [{ name: "good", target: 0.99 }],
      },
    })),
  ]
  await request(`${url}/api/apply`, { method: "PUT", headers: editor, body: JSON.stringify(definitions) })
  const now = Math.floor(Date.now() / minuteMs) * minuteMs
  for (const [index, { project, name }] of keys.entries()) {
    const counts = Array.from({ length: 2 * dayMinutes }, (_, minute) => ({
      objective: "good",
      at: new Date(now - minute * minuteMs).toISOString(),
      good: 1_000 - ((minute * 7 + index) % 13),
      total: 1_000,
    }))
    await request(`${url}/api/slos/${name}/counts`, {
      method: "POST",
      headers: { ...editor, project },
      body: JSON.stringify(counts),
    })
  }
}

/** The CPU time of the server for a query, whose result is checked to be complete. */
const measure = async ({ contender, url }: Server, query: string, series: number): Promise<number> => {
  const end = Math.floor(Date.now() / minuteMs) * 60 - 600
  const parameters = new URLSearchParams({
    query,
    start: String(end - (dayMinutes - 1) * 60),
    end: String(end),
    step: "1m",
  })
  for (;;) {
    const before = await contender.ask<number>(cpuQuestion)
    const response = await fetch(`${url}/api/prometheus/api/v1/query_range?${parameters}`, { headers })
    const body = await response.text()
    const after = await contender.ask<number>(cpuQuestion)
    if (response.status === 429) {
      await delay(2_000)
      continue
    }
    if (response.status !== 200)
      throw new Error(`${query} returned ${response.status}: ${body.slice(0, 500)}`)
    const { data } = JSON.parse(body) as {
      data: { result: ReadonlyArray<{ values: ReadonlyArray<unknown> }> }
    }
    if (data.result.length !== series || data.result.some(({ values }) => values.length !== dayMinutes)) {
      throw new Error(`${query} has ${data.result.length} series, or one is not complete`)
    }
    return after - before
  }
}
