import { setTimeout as delay } from "node:timers/promises"
import type { Pool } from "undici"
import { compare, type Comparison, type Contender } from "./Compare.ts"
import { type ContenderProcess, cpuQuestion, startContender } from "./ContenderProcess.ts"
import { type ExpectedExchange, exchangeAll, openConnections } from "./HttpLoad.ts"
import type { ServedCredentials, SloList, SloLists } from "./ServingContender.ts"
import { amount, roundsOf } from "./Length.ts"

/**
 * A list of 500 SLOs, and one record, over HTTP, against Node's server with `JSON.stringify` and against Fastify with
 * fast-json-stringify. Measured is the CPU time of the serving process.
 *
 * Ours is the whole server, filled over its API: it authenticates, counts against the exact limits, and computes
 * statuses meanwhile. The others hold the same records as objects and do nothing but find and encode them. All answer
 * the same bytes, and each answer is compared.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const processes: Array<ContenderProcess> = []
  const pools: Array<Pool> = []
  const start = async (question: string, value: unknown): Promise<Served> => {
    const contender = startContender(new URL("./ServingContender.ts", import.meta.url), question)
    processes.push(contender)
    const pool = openConnections(await contender.ask<number>(question, value))
    pools.push(pool)
    return { contender, pool }
  }
  try {
    const tocsin = await start("tocsin", credentials)
    const filled = await Promise.all(organizations.map((organization) => fill(tocsin.pool, organization)))
    const lists: SloLists = Object.fromEntries(filled.map(({ organization, list }) => [organization, list]))
    const nodeHttp = await start("nodeHttp", lists)
    const fastify = await start("fastify", lists)
    const contenders = (exchanges: ReadonlyArray<ExpectedExchange>): ReadonlyArray<Contender> => [
      rounds(nodeHttpName, nodeHttp, exchanges),
      rounds(fastifyName, fastify, exchanges),
      withinLimits(rounds(tocsinName, tocsin, exchanges)),
    ]
    return [
      await compare(`Listing ${slosEach} SLOs over HTTP`, contenders(filled.flatMap(listExchanges)), {
        time: "cpu",
        ...roundsOf(15, 5),
        bounds: [
          { name: tocsinName, against: nodeHttpName, atLeast: 8 },
          { name: tocsinName, against: fastifyName, atLeast: 1 },
        ],
      }),
      await compare(`Reading one SLO over HTTP`, contenders(filled.flatMap(findExchanges)), {
        time: "cpu",
        ...roundsOf(15, 5),
        bounds: [{ name: tocsinName, against: nodeHttpName, atLeast: 0.6 }],
      }),
    ]
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()))
    for (const contender of processes) contender.end()
  }
}

interface Served {
  readonly contender: ContenderProcess
  readonly pool: Pool
}

interface Filled {
  readonly organization: string
  readonly headers: Readonly<Record<string, string>>
  readonly list: SloList
  readonly listText: Buffer
}

const nodeHttpName = "node:http, JSON.stringify"
const fastifyName = "Fastify, fast-json-stringify"
const tocsinName = "tocsin serve"

const slosEach = amount(500, 20)

/** So many that rounds of half the limits' counts are of a good length; the next round waits for a free window. */
const organizations = Array.from({ length: amount(20, 2) }, (_, index) => `bench-${index}`)
const listsEach = 5
const findsEach = amount(50, 10)
const windowMs = 1_000

const credentials: ServedCredentials = organizations.map((organization) => ({
  organization,
  clientId: organization,
  clientSecret: "benchmark-secret-of-no-worth-benchmark-secrA",
  role: "editor",
}))

const rounds = (
  name: string,
  { contender, pool }: Served,
  exchanges: ReadonlyArray<ExpectedExchange>,
): Contender => ({
  name,
  round: async () => {
    const before = await contender.ask<number>(cpuQuestion)
    await exchangeAll(pool, exchanges)
    return ((await contender.ask<number>(cpuQuestion)) - before) / exchanges.length
  },
})

const withinLimits = ({ name, round }: Contender): Contender => {
  let freeAt = 0
  return {
    name,
    round: async () => {
      await delay(Math.max(0, freeAt - performance.now()))
      const microseconds = await round()
      freeAt = performance.now() + windowMs
      return microseconds
    },
  }
}

const listExchanges = ({ headers, listText }: Filled): ReadonlyArray<ExpectedExchange> =>
  Array.from({ length: listsEach }, () => ({ path: "/api/v2/slos", headers, body: listText }))

const findExchanges = ({ headers, list }: Filled): ReadonlyArray<ExpectedExchange> =>
  list.data
    .filter((_, index) => index % (slosEach / findsEach) === 0)
    .map((record) => ({
      path: `/api/v2/slos/${record.name}`,
      headers: { ...headers, project: record.project.name },
      body: Buffer.from(JSON.stringify(record)),
    }))

/** Defines the SLOs of an organization and gives each a minute of counts, over the API. */
const fill = async (pool: Pool, organization: string): Promise<Filled> => {
  const credential = credentials.find((one) => one.organization === organization)
  const basic = Buffer.from(`${credential?.clientId}:${credential?.clientSecret}`).toString("base64")
  const call = async (method: "GET" | "POST" | "PUT", path: string, headers: object, body?: unknown) => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        organization,
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    if (answer.statusCode >= 300)
      throw new Error(`${path} was answered ${answer.statusCode}: ${bytes.toString()}`)
    return bytes
  }
  const token = JSON.parse(
    (await call("POST", "/api/accessToken", { authorization: `Basic ${basic}` })).toString(),
  )
  const headers = { organization, authorization: `Bearer ${token.access_token}` }
  await call("PUT", "/api/apply", headers, [...surroundings, ...slos])
  const at = new Date(Math.floor(Date.now() / 60_000 - 5) * 60_000).toISOString()
  for (const { metadata } of slos) {
    await call("POST", `/api/slos/${metadata.name}/counts`, { ...headers, project: metadata.project }, [
      { objective: "good", at, good: 9_950 - metadata.name.length, total: 10_000 },
      { objective: "great", at, good: 9_960, total: 10_000 },
    ])
  }
  const listText = await call("GET", "/api/v2/slos", headers)
  const list = JSON.parse(listText.toString()) as SloList
  if (
    list.data.length !== slosEach ||
    list.data.some(({ objectives }) => objectives[0]?.reliability === undefined)
  )
    throw new Error("the records are not what was put in")
  return { organization, headers, list, listText }
}

const apiVersion = "tocsin/v1alpha"
const projects = ["shop", "payments", "platform", "search", "mail"]

const surroundings = [
  ...projects.map((name) => ({
    apiVersion,
    kind: "Project",
    metadata: { name, displayName: `Project ${name}`, labels: { division: ["commerce"] } },
    spec: {},
  })),
  ...projects.map((project) => ({
    apiVersion,
    kind: "Service",
    metadata: { name: "web", displayName: "Web front end", project, labels: { team: [`${project}-team`] } },
    spec: {},
  })),
]

const slos = Array.from({ length: slosEach }, (_, index) => ({
  apiVersion,
  kind: "SLO",
  metadata: {
    name: `availability-${index}`,
    displayName: `Endpoint ${index} answers “in time”`,
    project: projects[index % projects.length] ?? "",
    labels: { env: ["prod"], tier: ["1", "critical"] },
    annotations: { "example.com/runbook": `https://runbooks.example.com/availability-${index}` },
  },
  spec: {
    description: "The share of requests that are answered without an error within 300 ms.",
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [
      { name: "good", displayName: "Good", target: 0.99 },
      { name: "great", displayName: "Great", target: 0.999 },
    ],
  },
}))
