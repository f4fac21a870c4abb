import { PgDatabase } from "@tocsin/adapters-pg"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Prometheus } from "../test/peers/Prometheus.ts"
import { databaseCpu } from "./CountingDatabase.ts"
import { cpuQuestion } from "./ContenderProcess.ts"
import type { Call, Served } from "./FairnessLoad.ts"
import { type RatioObjective, slothLabels } from "./PrometheusRules.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Services whose counters a Prometheus scrapes. Each has an SLO with an objective for errors and one for slow requests. */
export interface Shop {
  readonly services: ReadonlyArray<string>
  readonly objectives: ReadonlyArray<RatioObjective>
  /** When the counters were 0, in Unix milliseconds. */
  readonly from: number
  /** Where their current values are. */
  readonly port: number
  readonly close: () => void
}

/** Serves the counters of a number of services, which began at `from` (Unix milliseconds). */
export const startShop = async (count: number, from: number): Promise<Shop> => {
  const services = Array.from({ length: count }, (_, index) => `s${index}`)
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4")
    response.end(scrapedText(services, from, Date.now()))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    services,
    objectives: services.flatMap(objectivesOf),
    from,
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
  }
}

const objectivesOf = (service: string): ReadonlyArray<RatioObjective> => [
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
]

/** Metric, labels besides the service, and events a minute. */
const counters: ReadonlyArray<readonly [metric: string, labels: string, perMinute: number]> = [
  ["requests", ',code="200"', 2_995],
  ["requests", ',code="500"', 5],
  ["slow_requests", "", 20],
]

const scrapedText = (services: ReadonlyArray<string>, from: number, at: number): string =>
  counters
    .flatMap(([metric, labels, perMinute]) =>
      services.map(
        (service) => `${metric}_total{service="${service}"${labels}} ${valueAt(perMinute, from, at)}\n`,
      ),
    )
    .join("")

const valueAt = (perMinute: number, from: number, at: number): number =>
  Math.floor(((at - from) / minuteMs) * perMinute)

/**
 * Writes blocks with a sample a minute up to about 3 hours ago; newer ones would be in the block that Prometheus is still writing.
 * With `withRecorded`, also what Sloth's rules record of each objective over 5 minutes.
 */
export const writeBlocks = async (
  folder: string,
  blocks: string,
  { services, objectives, from, port }: Shop,
  withRecorded = false,
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
  rmSync(file, { force: true })
}

/** As long as Prometheus compacts blocks to, so that it has none to compact. */
const blockMs = 162 * hourMs

/** Defines an SLO of each service that is read from `url`, with an alert policy. */
export const defineSlos = async (
  call: Call,
  { services, objectives }: Pick<Shop, "services" | "objectives">,
  url: string,
): Promise<void> => {
  const surroundings = [
    { apiVersion, kind: "Agent", metadata: metadataOf("metrics"), spec: { prometheus: { url } } },
    { apiVersion, kind: "Service", metadata: metadataOf("web"), spec: {} },
    {
      apiVersion,
      kind: "AlertPolicy",
      metadata: metadataOf("burn"),
      spec: { severity: "High", sreWorkbook: "page", alertMethods: [] },
    },
  ]
  await call("PUT", "/api/apply", surroundings)
  for (let first = 0; first < services.length; first += slosPerRequest) {
    const some = services.slice(first, first + slosPerRequest)
    await call(
      "PUT",
      "/api/apply",
      some.map((service) =>
        sloOf(
          service,
          objectives.filter((objective) => objective.service === service),
        ),
      ),
    )
  }
}

const slosPerRequest = 200

const apiVersion = "tocsin/v1alpha"

const metadataOf = (name: string) => ({ name, project: "default" })

const sloOf = (service: string, objectives: ReadonlyArray<RatioObjective>): object => {
  const query = ([metric, matchers]: readonly [string, string]) => ({
    prometheus: { promql: `sum(${metric}{${matchers}})` },
  })
  return {
    apiVersion,
    kind: "SLO",
    metadata: metadataOf(service),
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      indicator: { metricSource: { name: "metrics", kind: "Agent" } },
      alertPolicies: ["burn"],
      objectives: objectives.map(({ name, errors, total }) => ({
        name,
        target: 0.99,
        countMetrics: { incremental: true, bad: query(errors), total: query(total) },
      })),
    },
  }
}

/** How many queries a Prometheus has answered. */
export const queriesOf = async ({ url }: Pick<Prometheus, "url">): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = text.matchAll(
    /^prometheus_http_requests_total\{[^}]*handler="\/api\/v1\/query(?:_range)?"\} (\S+)/gm,
  )
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** CPU time that a server and its PostgreSQL have used so far, in microseconds. */
export const cpuOfServer = async ({ server, database }: Served): Promise<number> => {
  if (database === undefined) throw new Error("the server has no PostgreSQL")
  const ofDatabase = Effect.provide(databaseCpu, PgDatabase.layer({ connection: database }))
  return (await server.ask<number>(cpuQuestion)) + (await Effect.runPromise(ofDatabase))
}
