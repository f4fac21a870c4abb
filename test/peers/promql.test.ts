import { startTocsin, type TestServer } from "@tocsin/testing"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { type Prometheus, startPrometheus } from "./Prometheus.ts"
import { type GeneratedQuery, generatedQueries, textOf } from "./promql-queries.ts"

/** Another seed gives other queries. */
const seed = Number(process.env["PROMQL_SEED"] ?? 20260130)
const runs = Number(process.env["PROMQL_RUNS"] ?? 300)
const minuteMs = 60_000

/** Samples of blocks must be three hours old. */
const end = Math.floor(Date.now() / (60 * minuteMs)) * 60 * minuteMs - 4 * 60 * minuteMs
const historyMinutes = 300
const start = end - historyMinutes * minuteMs

let server: TestServer
let prometheus: Prometheus

const sloOf = (project: string, name: string, service: string, spec: object) => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name, project },
  spec: {
    service,
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 7, isRolling: true }],
    ...spec,
  },
})

const slos = [
  sloOf("shop", "checkout", "web", {
    objectives: [
      { name: "good", target: 0.99 },
      { name: "great", target: 0.999 },
    ],
  }),
  sloOf("shop", "search", "web", {
    timeWindows: [{ unit: "Hour", count: 2, isRolling: true }],
    objectives: [{ name: "good", target: 0.95 }],
  }),
  sloOf("lab", "checkout", "api", { objectives: [{ name: "good", target: 0.9 }] }),
  sloOf("lab", "login", "api", {
    budgetingMethod: "Timeslices",
    objectives: [{ name: "quick", target: 0.9, timeSliceTarget: 0.8 }],
  }),
]

/** Events of a minute: different ones for each objective, and none in some minutes. */
const countsOf = (slo: number, objectives: ReadonlyArray<string>) =>
  Array.from({ length: historyMinutes }, (_, minute) => minute)
    .filter((minute) => minute >= 5 * slo && (minute + 13 * slo) % 41 > 8 - slo)
    .flatMap((minute) =>
      objectives.map((objective, index) => {
        const total = 100 + 10 * slo + ((minute * 7 + slo * 3) % 23)
        const bad = (minute * 13 + index * 5 + slo) % (minute % 60 < 10 ? 40 : 4 - (slo % 2))
        return { objective, at: new Date(start + minute * minuteMs).toISOString(), good: total - bad, total }
      }),
    )

beforeAll(async () => {
  server = await startTocsin({ organization: "acme" })
  await server.apply([
    ...["shop", "lab"].map((name) => ({
      apiVersion: "tocsin/v1alpha",
      kind: "Project",
      metadata: { name },
      spec: {},
    })),
    ...[
      ["shop", "web"],
      ["lab", "api"],
    ].map(([project, name]) => ({
      apiVersion: "tocsin/v1alpha",
      kind: "Service",
      metadata: { name, project },
      spec: {},
    })),
    ...slos,
  ])
  const headers = {
    authorization: `Bearer ${await server.accessToken()}`,
    organization: "acme",
    "content-type": "application/json",
  }
  for (const [index, { metadata, spec }] of slos.entries()) {
    const { objectives } = spec as unknown as {
      readonly objectives: ReadonlyArray<{ readonly name: string }>
    }
    const response = await fetch(`${server.url}/api/slos/${metadata.name}/counts`, {
      method: "POST",
      headers: { ...headers, project: metadata.project },
      body: JSON.stringify(
        countsOf(
          index,
          objectives.map(({ name }) => name),
        ),
      ),
    })
    expect([response.status, await response.text()]).toEqual([204, ""])
  }
  prometheus = await startPrometheus({
    port: await freePort(),
    config: "global: { scrape_interval: 15s }\n",
    history: await historyOf(),
    // Without their ends, as those of Prometheus 3 are.
    flags: ["--query.lookback-delta=4m59s999ms"],
  })
})

afterAll(async () => {
  await prometheus?.close()
  await server?.stop()
})

interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: readonly [number, string]
  readonly values?: ReadonlyArray<readonly [number, string]>
}

interface Answer {
  readonly status: "success" | "error"
  readonly errorType?: string
  readonly error?: string
  readonly data?: {
    readonly resultType: string
    readonly result: ReadonlyArray<Series> & readonly [number, string]
  }
}

const ask = async (
  base: string,
  path: string,
  parameters: Readonly<Record<string, string>>,
  authorization?: string,
) => {
  for (;;) {
    const response = await fetch(`${base}/api/v1/${path}`, {
      method: "POST",
      body: new URLSearchParams(parameters),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(authorization && { authorization }),
      },
    })
    const answer = (await response.json()) as Answer
    if (response.status !== 429) return { status: response.status, answer }
    await new Promise((resolve) =>
      setTimeout(resolve, 1_000 * Number(response.headers.get("retry-after") ?? 1)),
    )
  }
}

const basic = () => `Basic ${btoa(`${server.clientId}:${server.clientSecret}`)}`

const askOurs = (path: string, parameters: Readonly<Record<string, string>>) =>
  ask(`${server.url}/api/prometheus`, path, parameters, basic())

/** The samples that the server has, in OpenMetrics: also before and after, as offsets reach there. */
const historyOf = async (): Promise<string> => {
  const { answer } = await askOurs("query", {
    query: `{__name__=~".+",__name__!~"tocsin.*"}[${historyMinutes + 180}m]`,
    time: String(end / 1_000 + 3_600),
  })
  const series = answer.data?.result ?? []
  expect(series.length).toBeGreaterThan(30)
  const families = new Map<string, Array<string>>()
  for (const { metric, values = [] } of series) {
    const { __name__: name = "", ...labels } = metric
    const text = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    const lines = families.get(name) ?? []
    families.set(name, lines)
    for (const [time, value] of values) lines.push(`${name}{${text.join(",")}} ${value} ${time}`)
  }
  return [...[...families].flatMap(([name, lines]) => [`# TYPE ${name} gauge`, ...lines]), "# EOF", ""].join(
    "\n",
  )
}

const parametersOf = (query: GeneratedQuery, isLeftClosed: boolean) => {
  const text = textOf(query, isLeftClosed)
  const { start, range } = query
  return range === undefined
    ? { query: text, time: String(start) }
    : { query: text, start: String(start), end: String(range.end), step: String(range.step) }
}

/** The results by the labels of their series, with values as numbers. */
const resultOf = ({ data }: Answer): ReadonlyMap<string, ReadonlyArray<readonly [number, number]>> => {
  if (data === undefined) return new Map()
  if (data.resultType === "scalar") return new Map([["scalar", [[data.result[0], numberOf(data.result[1])]]]])
  return new Map(
    data.result.map(({ metric, value, values = value === undefined ? [] : [value] }) => [
      JSON.stringify(Object.entries(metric).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      values.map(([time, text]) => [time, numberOf(text)]),
    ]),
  )
}

const numberOf = (text: string): number =>
  text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : text === "NaN" ? Number.NaN : Number(text)

const isClose = (a: number, b: number): boolean =>
  Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

const difference = (ours: Answer, theirs: Answer): string | undefined => {
  if (ours.status !== theirs.status) return `${ours.status} ${ours.error} / ${theirs.status} ${theirs.error}`
  if (ours.status === "error") return undefined
  if (ours.data?.resultType !== theirs.data?.resultType)
    return `${ours.data?.resultType} / ${theirs.data?.resultType}`
  const [a, b] = [resultOf(ours), resultOf(theirs)]
  if (a.size !== b.size) return `${a.size} series ${[...a.keys()]} / ${b.size} ${[...b.keys()]}`
  for (const [key, values] of a) {
    const others = b.get(key)
    if (others === undefined) return `${key} / ${[...b.keys()]}`
    if (values.length !== others.length) return `${key}: ${values.length} / ${others.length} points`
    for (const [index, [time, value]] of values.entries()) {
      const [otherTime, other] = others[index] ?? [0, 0]
      if (time !== otherTime || !isClose(value, other))
        return `${key}: ${value} at ${time} / ${other} at ${otherTime}`
    }
  }
  return undefined
}

/** The minutes of the samples that are recorded. */
const recordedMinutes = 180

/** Writes samples and what Prometheus returns for some queries of them, for the tests that run without it. */
const record = async (): Promise<void> => {
  const until = start + recordedMinutes * minuteMs
  const { answer } = await ask(prometheus.url, "query", {
    query: `{__name__=~".+"}[${recordedMinutes}m]`,
    time: String(until / 1_000),
  })
  const samples = (answer.data?.result ?? []).map(({ metric, values = [] }) => {
    const byMinute = new Map(
      values.map(([time, value]) => [(time * 1_000 - start) / minuteMs, Number(value)]),
    )
    return {
      metric,
      values: Array.from({ length: recordedMinutes + 1 }, (_, minute) => byMinute.get(minute) ?? null),
    }
  })
  const from = start / 1_000 + 5_400
  const queries = []
  for (const query of fc.sample(generatedQueries(from, until / 1_000), {
    numRuns: 1_000,
    seed: 42,
  })) {
    // Nothing that looks beyond what is recorded.
    if (/offset -|offset [3-6]\d/.test(query.text) || (query.range?.end ?? 0) > until / 1_000) continue
    const path = query.range === undefined ? "query" : "query_range"
    const { answer } = await ask(prometheus.url, path, parametersOf(query, true))
    const { start: at, range } = query
    const result = answer.status === "error" ? "error" : [...resultOf(answer)]
    const line = { query: textOf(query, false), start: at, ...(range && { range }), result }
    const text = JSON.stringify(line, (_, value: unknown) =>
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
    )
    if (text.length < 1_500 && (result.length > 0 || queries.length % 10 === 0)) queries.push(text)
    if (queries.length === 150) break
  }
  const lines = [
    `{"start":${start},"samples":[`,
    samples.map((each) => JSON.stringify(each)).join(",\n"),
    `],"queries":[`,
    queries.join(",\n"),
    "]}",
    "",
  ]
  writeFileSync(new URL("../vectors/promql.json", import.meta.url), lines.join("\n"))
}

describe("beside a real Prometheus with the same samples", () => {
  // First, as the many queries of the other test use up the rate limit.
  it("spec/promql §1: promtool queries the server with Basic credentials", async () => {
    const url = new URL(`${server.url}/api/prometheus`)
    url.username = server.clientId
    url.password = server.clientSecret
    const promtool = async (...args: ReadonlyArray<string>) =>
      (await promisify(execFile)("promtool", ["query", ...args])).stdout
    const time = String(end / 1_000 - 60)
    expect(await promtool("instant", url.href, 'target{slo="search"}', `--time=${time}`)).toBe(
      `target{objective="good", project="shop", service="web", slo="search"} => 0.95 @[${time}]\n`,
    )
    const range = await promtool(
      "range",
      url.href,
      "sum(count_total)",
      `--start=${start / 1_000 + 3_600}`,
      `--end=${start / 1_000 + 7_200}`,
      "--step=10m",
    )
    expect(range.match(/ @\[\d+\]/g)).toHaveLength(7)
    const series = await promtool("series", url.href, '--match=reliability{project="lab"}')
    expect(series.trim().split("\n")).toHaveLength(2)
    expect(await promtool("labels", url.href, "slo")).toBe("checkout\nlogin\nsearch\n")
  })

  it(`spec/promql §2: ${runs} generated queries have the same results, or are errors`, async () => {
    const counts = { success: 0, error: 0, empty: 0 }
    const generated = fc.sample(generatedQueries(start / 1_000, end / 1_000), { numRuns: runs, seed })
    const differences: Array<string> = []
    for (const query of generated) {
      const path = query.range === undefined ? "query" : "query_range"
      const [ours, theirs] = await Promise.all([
        askOurs(path, parametersOf(query, false)),
        ask(prometheus.url, path, parametersOf(query, true)),
      ])
      counts[ours.answer.status]++
      if (resultOf(ours.answer).size === 0 && ours.answer.status === "success") counts.empty++
      const found =
        difference(ours.answer, theirs.answer) ??
        (ours.status === theirs.status
          ? undefined
          : `${ours.status} / ${theirs.status} ${theirs.answer.error}`)
      if (found !== undefined) differences.push(`${JSON.stringify(query)}: ${found}`)
    }
    expect(differences).toEqual([])
    if (process.env["PROMQL_RECORD"] === "1") await record()
    process.stdout.write(`queries with results, empty ones and errors: ${JSON.stringify(counts)}\n`)
    expect(counts.success - counts.empty).toBeGreaterThan(runs / 3)
    expect(counts.error).toBeGreaterThan(runs / 30)
  })
})
