import { PgDatabase } from "@tocsin/adapters-pg"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "../test/FreePort.ts"
import { type Prometheus, startPrometheus } from "../test/peers/Prometheus.ts"
import { type Comparison, judge } from "./Compare.ts"
import { databaseCpu } from "./CountingDatabase.ts"
import { cpuQuestion } from "./ContenderProcess.ts"
import { type Call, type Served, signIn, withServer } from "./FairnessLoad.ts"
import { amount } from "./Length.ts"
import { cpuWithChildren } from "./ProcessCpu.ts"
import { pyrraRules, type RatioObjective, slothLabels, slothRules } from "./PrometheusRules.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** SLOs, each with an objective for errors and one for slow requests. */
const slos = amount(100, 2)
const historyMs = amount(28 * 24, 24) * hourMs
/** Pyrra's longest interval. */
const roundMs = amount(150_000, 5_000)
const rounds = amount(4, 1)

const services = Array.from({ length: slos }, (_, index) => `s${index}`)

const objectives = services.flatMap((service): ReadonlyArray<RatioObjective> => [
  {
    service,
    name: "answered",
    errors: ["requests_total", `service="${service}", code=~"5.."`],
    total: ["requests_total", `service="${service}"`],
  },
  {
    service,
    name: "fast",
    errors: ["slow_requests_total", `service="${service}"`],
    total: ["requests_total", `service="${service}"`],
  },
])

/** Metric, labels besides the service, and events a minute. */
const counters: ReadonlyArray<readonly [metric: string, labels: string, perMinute: number]> = [
  ["requests", ',code="200"', 2_995],
  ["requests", ',code="500"', 5],
  ["slow_requests", "", 20],
]

/**
 * The cost of SLOs a Prometheus keeps raw series of, per SLO and hour: the rules of Sloth and of Pyrra in the Prometheus itself,
 * beside Tocsin with its PostgreSQL and what its queries cost the Prometheus. What the Prometheus takes without any of them is
 * taken off. All run at the same time, each with a Prometheus of its own that has the same history and scrapes the same server.
 * Besides, what reading the history for the first time costs.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
  const from = Math.floor((Date.now() - historyMs) / hourMs) * hourMs
  const target = createServer((_request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4")
    response.end(scrapedText(from, Date.now()))
  }).listen(0, "127.0.0.1")
  await once(target, "listening")
  const { port } = target.address() as AddressInfo
  const opened: Array<Prometheus> = []
  const open = async (name: string, rules?: ReadonlyArray<object>): Promise<Prometheus> => {
    const blocks = join(folder, name)
    await writeBlocks(folder, blocks, from, port, name === sloth)
    const prometheus = await startPrometheus({
      port: await freePort(),
      blocks,
      config: `
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${port}"] }] }]
${rules === undefined ? "" : "rule_files: [rules.yml]"}`,
      ...(rules !== undefined && { files: { "rules.yml": JSON.stringify({ groups: rules }) } }),
    })
    opened.push(prometheus)
    return prometheus
  }
  try {
    const alone = await open("alone")
    const read = await open("read")
    const withSloth = await open(sloth, slothRules(objectives))
    const withPyrra = await open(pyrra, pyrraRules(objectives))
    return await withServer("PostgreSQL", [organization], 4, async (served) => {
      const cpu = async () => ({
        alone: cpuWithChildren(alone.pid),
        [sloth]: cpuWithChildren(withSloth.pid),
        [pyrra]: cpuWithChildren(withPyrra.pid),
        [tocsin]: cpuWithChildren(read.pid) + (await cpuOfServer(served)),
      })
      const call = await signIn(served.pool, organization)
      const beforeReading = await cpu()
      const queriesBefore = await queriesOf(read)
      await call("PUT", "/api/apply", documents(read.url))
      while (!(await hasRead(call))) await wait(amount(10_000, 500))
      const afterReading = await cpu()
      const queries = (await queriesOf(read)) - queriesBefore
      console.log(`The history of ${slos} SLOs was read with ${queries} queries`)
      const firstRead =
        afterReading[tocsin] - beforeReading[tocsin] - (afterReading.alone - beforeReading.alone)

      const times = new Map<string, Array<number>>([sloth, pyrra, tocsin].map((name) => [name, []]))
      for (let round = 0; round < rounds; round++) {
        const before = await cpu()
        await wait(roundMs)
        const after = await cpu()
        const perSloHour = (name: keyof typeof after) =>
          ((after[name] - before[name] - (after.alone - before.alone)) * (hourMs / roundMs)) / slos
        for (const [name, own] of times) own.push(Math.max(0, perSloHour(name as keyof typeof after)))
      }
      return [
        {
          title: `An hour of an SLO with two objectives over 28 days, of ${slos}`,
          time: "cpu",
          ...judge(times, [
            { name: tocsin, against: sloth, atLeast: 1 },
            { name: tocsin, against: pyrra, atLeast: 1 },
          ]),
        },
        {
          title: `Reading 28 days of an SLO for the first time, of ${slos}`,
          time: "cpu",
          ...judge(
            new Map([
              ["200 ms", [200_000]],
              [tocsin, [firstRead / slos]],
            ]),
            [{ name: tocsin, against: "200 ms", atLeast: 1 }],
          ),
        },
      ]
    })
  } finally {
    await Promise.all(opened.map(({ close }) => close()))
    target.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const organization = "acme"
const sloth = "Sloth's rules"
const pyrra = "Pyrra's rules"
const tocsin = "Tocsin, its PostgreSQL and its queries"

const scrapedText = (from: number, at: number): string =>
  counters
    .flatMap(([metric, labels, perMinute]) =>
      services.map(
        (service) => `${metric}_total{service="${service}"${labels}} ${valueAt(perMinute, from, at)}\n`,
      ),
    )
    .join("")

const valueAt = (perMinute: number, from: number, at: number): number =>
  Math.floor(((at - from) / minuteMs) * perMinute)

/** Blocks with a sample a minute from `from` on to about 3 hours ago; newer ones would be in the block that Prometheus is still writing. */
const writeBlocks = async (
  folder: string,
  blocks: string,
  from: number,
  port: number,
  withRecorded: boolean,
): Promise<void> => {
  mkdirSync(blocks)
  const file = join(folder, "history.om")
  const to = Math.floor((Date.now() - 3 * hourMs) / (2 * hourMs)) * 2 * hourMs
  const instance = `job="shop",instance="127.0.0.1:${port}"`
  for (let start = from; start < to;) {
    const end = Math.min(to, Math.floor(start / blockMs + 1) * blockMs)
    const stream = createWriteStream(file)
    const series = async (name: string, labels: string, valueAt: (at: number) => number): Promise<void> => {
      let text = ""
      for (let at = start; at < end; at += minuteMs)
        text += `${name}{${labels}} ${valueAt(at)} ${at / 1_000}\n`
      if (!stream.write(text)) await once(stream, "drain")
    }
    for (const metric of new Set(counters.map(([metric]) => metric))) {
      stream.write(`# TYPE ${metric} counter\n`)
      for (const [name, labels, perMinute] of counters) {
        if (name !== metric) continue
        for (const service of services)
          await series(`${metric}_total`, `service="${service}"${labels},${instance}`, (at) =>
            valueAt(perMinute, from, at),
          )
      }
    }
    if (withRecorded) {
      stream.write("# TYPE slo:sli_error:ratio_rate5m gauge\n")
      for (const objective of objectives) {
        const labels = Object.entries({ ...slothLabels(objective), sloth_window: "5m" })
        const text = labels.map(([name, value]) => `${name}="${value}"`).join(",")
        await series("slo:sli_error:ratio_rate5m", text, (at) => 0.001 + ((at / minuteMs) % 60) / 1e5)
      }
    }
    stream.end("# EOF\n")
    await once(stream, "finish")
    await promisify(execFile)("promtool", [
      "tsdb",
      "create-blocks-from",
      `--max-block-duration=${blockMs / hourMs}h`,
      "openmetrics",
      file,
      blocks,
    ])
    start = end
  }
  rmSync(file)
}

/** As long as Prometheus compacts blocks to, so that it has none to compact. */
const blockMs = 162 * hourMs

/** An SLO a service, with an alert policy. */
const documents = (url: string): ReadonlyArray<object> => {
  const apiVersion = "tocsin/v1alpha"
  const metadata = (name: string) => ({ name, project: "default" })
  const query = ([metric, matchers]: readonly [string, string]) => ({
    prometheus: { promql: `sum(${metric}{${matchers}})` },
  })
  return [
    { apiVersion, kind: "Agent", metadata: metadata("metrics"), spec: { prometheus: { url } } },
    { apiVersion, kind: "Service", metadata: metadata("web"), spec: {} },
    {
      apiVersion,
      kind: "AlertPolicy",
      metadata: metadata("burn"),
      spec: { severity: "High", sreWorkbook: "page", alertMethods: [] },
    },
    ...services.map((service) => ({
      apiVersion,
      kind: "SLO",
      metadata: metadata(service),
      spec: {
        service: "web",
        budgetingMethod: "Occurrences",
        timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
        indicator: { metricSource: { name: "metrics", kind: "Agent" } },
        alertPolicies: ["burn"],
        objectives: objectives
          .filter((objective) => objective.service === service)
          .map(({ name, errors, total }) => ({
            name,
            target: 0.99,
            countMetrics: { incremental: true, bad: query(errors), total: query(total) },
          })),
      },
    })),
  ]
}

/** Whether every SLO has been read up to some minutes ago. */
const hasRead = async (call: Call): Promise<boolean> => {
  for (const service of services) {
    const { readTo } = (await call("GET", `/api/slos/${service}/indicator`)) as { readonly readTo?: string }
    if (readTo === undefined || Date.parse(readTo) < Date.now() - 3 * minuteMs) return false
  }
  return true
}

const queriesOf = async ({ url }: Prometheus): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = text.matchAll(
    /^prometheus_http_requests_total\{[^}]*handler="\/api\/v1\/query(?:_range)?"\} (\S+)/gm,
  )
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const cpuOfServer = async ({ server, database }: Served): Promise<number> => {
  if (database === undefined) throw new Error("the server has no PostgreSQL")
  const ofDatabase = Effect.provide(databaseCpu, PgDatabase.layer({ connection: database }))
  return (await server.ask<number>(cpuQuestion)) + (await Effect.runPromise(ofDatabase))
}
