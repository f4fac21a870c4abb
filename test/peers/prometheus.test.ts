import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { until, urlOf } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type RecordingReceiver, startReceiver, toFetchRequest } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, scratch, startTocsin } from "../server/child-process.ts"
import { type Editor, editorOf, environmentOf, editorCredential } from "../server/organizations.ts"
import { startAlertmanager, startPrometheus } from "./Prometheus.ts"
import { counterHistory } from "./counter-history.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const database = await newDatabase("empty")
let receiver: RecordingReceiver
let server: Running
let url: string
let editor: Editor

beforeAll(async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "ca.pem")
  writeFileSync(caFile, certificates.ca)
  receiver = await startReceiver(certificates)
  const PORT = await freePort()
  const own = { PORT, DATABASE_URL: urlOf(database), TOCSIN_EGRESS_CA_FILE: caFile }
  server = startTocsin(["serve"], environmentOf(["acme"], own))
  await server.until(/listening on/)
  url = `http://127.0.0.1:${PORT}`
  editor = await editorOf([url], "acme")
})

afterAll(async () => {
  server?.kill("SIGTERM")
  expect((await server?.ended)?.code).toBe(0)
  await receiver?.close()
})

const sloReading = (prometheus: string, good: string, total: string) =>
  withSlo().replace(
    "objectives:",
    `indicator: { prometheus: { url: "${prometheus}", good: '${good}', total: '${total}' } }\n  objectives:`,
  )

/** An SLO as the service's own documents write it, over cumulative counters. */
const sloOfAgent = (prometheus: string, slo: string): string => {
  const query = (selector: string): string => `{ prometheus: { promql: 'sum(${selector})' } }`
  const total = query("requests_total")
  const good = query('requests_total{code!="500"}')
  const bad = query('requests_total{code="500"}')
  const clamped = "{ prometheus: { promql: 'clamp_min(sum(requests_total), 0)' } }"
  return `apiVersion: tocsin/v1alpha
kind: Agent
metadata: { name: prometheus, project: default }
spec: { prometheus: { url: "${prometheus}" } }
---
${slo.replace("name: checkout,", "name: by-agent,").replace(
  /objectives:[^]*$/,
  `objectives:
    - { name: good, target: 0.9, countMetrics: { incremental: true, good: ${good}, total: ${total} } }
    - { name: bad, target: 0.9, countMetrics: { incremental: true, bad: ${bad}, total: ${total} } }
    - { name: value, target: 0.9, countMetrics: { incremental: true, good: ${clamped}, total: ${clamped} } }
  indicator: { metricSource: { name: prometheus, kind: Agent } }
`,
)}`
}

interface Counted {
  readonly objectives: ReadonlyArray<{
    readonly name?: string
    readonly counts?: { readonly good: number; readonly total: number }
  }>
}

describe("beside a real Prometheus", () => {
  it("counts the events of any hour as Prometheus does, across resets, gaps and series that come and go", async () => {
    const end = Math.floor(Date.now() / hourMs) * hourMs - 3 * hourMs
    const start = end - 15 * hourMs
    const history = counterHistory(start)
    const prometheus = await startPrometheus({
      port: await freePort(),
      config: "global: { scrape_interval: 15s }\n",
      history: history.text,
    })
    try {
      const slo = sloReading(
        prometheus.url,
        'sum(increase(requests_total{code!="500"}[1m]))',
        "sum(increase(requests_total[1m]))",
      )
      const grouped = slo
        .replaceAll("sum(increase", "sum by (instance) (increase")
        .replace("total:", "groupBy: [instance], total:")
        .replace("name: checkout", "name: by-instance")
      await editor.call("PUT", "/api/apply", slo, "application/yaml")
      await editor.call("PUT", "/api/apply", grouped, "application/yaml")
      await editor.call("PUT", "/api/apply", sloOfAgent(prometheus.url, withSlo()), "application/yaml")
      const isRead = async (name: string) => {
        const state = (await editor.call("GET", `/api/slos/${name}/indicator`)) as {
          readonly readTo?: string
        }
        return Date.parse(state.readTo ?? "1970-01-01T00:00:00Z") > end
      }
      await until(() => isRead("checkout"), 60_000)
      await until(() => isRead("by-instance"), 300_000)
      await until(() => isRead("by-agent"), 300_000)

      const objectivesOf = async (name: string, from: number, to: number) => {
        const query = new URLSearchParams({
          fields: "counts",
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        })
        const { objectives } = (await editor.call("GET", `/api/v2/slos/${name}?${query}`)) as Counted
        return objectives
      }
      const counted = async (from: number, to: number) =>
        (await objectivesOf("checkout", from, to))[0]?.counts ?? { good: 0, total: 0 }
      const deviations: Array<{ readonly range: string; readonly good: number; readonly total: number }> = []
      for (const [from, to] of history.ranges) {
        const range = `[${(to - from) / 1000}s]`
        const actual = await counted(from, to)
        const deviation = async (selector: string, value: number) =>
          value / (await prometheus.valueAt(`sum(increase(${selector}${range}))`, to)) - 1
        deviations.push({
          range: `${(from - start) / minuteMs}–${(to - start) / minuteMs}`,
          good: await deviation('requests_total{code!="500"}', actual.good),
          total: await deviation("requests_total", actual.total),
        })
      }
      const groups: Array<number> = []
      for (const [from, to] of history.ranges) {
        const range = `[${(to - from) / 1000}s]`
        for (const { name = "", counts } of await objectivesOf("by-instance", from, to)) {
          const [, instance = ""] = /instance="(\w+)"/.exec(name) ?? []
          const selector = `requests_total{instance="${instance}"}`
          const expected = await prometheus.valueAt(`sum(increase(${selector}${range}))`, to)
          if (!(expected > 0)) continue
          groups.push(Math.abs((counts?.total ?? 0) / expected - 1))
        }
      }
      expect(groups.length).toBeGreaterThan(history.ranges.length)
      // Of a series that begins within the range, increase extrapolates half a scrape interval.
      expect(groups.filter((deviation) => deviation > 0.01)).toEqual([])
      // What came over a gap is in its minutes, and not all in the last one.
      const inGap = await counted(start + 780 * minuteMs, start + 800 * minuteMs)
      const around = await counted(start + 872 * minuteMs, start + 892 * minuteMs)
      expect(inGap.total / around.total).toBeGreaterThan(0.3)
      expect(inGap.total / around.total).toBeLessThan(3)
      const largest = Math.max(...deviations.flatMap(({ good, total }) => [Math.abs(good), Math.abs(total)]))
      process.stdout.write(`largest deviation from increase: ${(100 * largest).toFixed(3)} %\n`)
      expect(
        deviations.filter(({ good, total }) => Math.max(Math.abs(good), Math.abs(total)) > 0.005),
      ).toEqual([])
      // The same of cumulative counters, whether good or bad events are counted.
      for (const [from, to] of history.ranges) {
        const expected = await counted(from, to)
        const counts = new Map(
          (await objectivesOf("by-agent", from, to)).map((each) => [each.name, each.counts]),
        )
        for (const name of ["good", "bad"]) {
          expect(counts.get(name)?.total).toBeCloseTo(expected.total, 5)
          expect(counts.get(name)?.good).toBeCloseTo(expected.good, 5)
        }
      }
      // A value that is no sum of counters is read as the difference of its values.
      const [calm, later] = [start + 20 * minuteMs, start + 60 * minuteMs]
      const differences = (await objectivesOf("by-agent", calm, later)).find(({ name }) => name === "value")
      expect((differences?.counts?.total ?? 0) / (await counted(calm, later)).total).toBeCloseTo(1, 2)
    } finally {
      await prometheus.close()
    }
  })

  it("counts the events of a histogram's bucket as Prometheus does, for each objective", async () => {
    const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs
    const lines: Array<string> = []
    for (const [le, perScrape] of [
      ['bucket{le="0.3"}', 7],
      ['bucket{le="1.0"}', 9],
      ['bucket{le="+Inf"}', 10],
      ["count", 10],
    ] as const) {
      for (let scrape = 0; scrape <= 240; scrape++) {
        lines.push(`latency_seconds_${le} ${scrape * perScrape} ${(end - hourMs) / 1000 + scrape * 15}`)
      }
    }
    const prometheus = await startPrometheus({
      port: await freePort(),
      config: "global: { scrape_interval: 15s }\n",
      history: `${lines.join("\n")}\n# EOF\n`,
    })
    try {
      const slo = withSlo()
        .replace("name: checkout,", "name: latency,")
        .replace(
          /objectives:[^]*$/,
          `objectives: [{ name: fast, target: 0.5, value: 0.3 }, { name: usable, target: 0.8, value: 1 }]
  indicator: { prometheus: { url: "${prometheus.url}", histogram: { series: latency_seconds } } }\n`,
        )
      await editor.call("PUT", "/api/apply", slo, "application/yaml")
      await until(async () => {
        const state = (await editor.call("GET", "/api/slos/latency/indicator")) as {
          readonly readTo?: string
        }
        return Date.parse(state.readTo ?? "1970-01-01T00:00:00Z") > end
      }, 60_000)
      const query = new URLSearchParams({
        fields: "counts",
        from: new Date(end - 40 * minuteMs).toISOString(),
        to: new Date(end - 10 * minuteMs).toISOString(),
      })
      const { objectives } = (await editor.call("GET", `/api/v2/slos/latency?${query}`)) as Counted
      const [fast, usable] = objectives.map(({ counts }) => counts)
      expect(fast?.total).toBeCloseTo(1_200, 0)
      expect(fast?.good).toBeCloseTo(840, 0)
      expect(usable?.good).toBeCloseTo(1_080, 0)
    } finally {
      await prometheus.close()
    }
  })

  it("notifies of what Prometheus's rules and Alertmanager send, signed, once, and of the end", async () => {
    let value = 1
    const exporter = createServer((_, response) => response.end(`burning ${value}\n`))
    await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve))
    const { port: exporterPort } = exporter.address() as AddressInfo
    const method = methodYaml(
      "hook",
      `${receiver.url}/alertmanager`,
      "templateFields: [alert_id, slo_name, severity]",
      "sendResolution: true",
    )
    await editor.call("PUT", "/api/apply", withSlo(method), "application/yaml")
    const alertmanager = await startAlertmanager(
      await freePort(),
      `
route: { receiver: tocsin, group_by: [alertname, tocsin_slo], group_wait: 0s, group_interval: 1s, repeat_interval: 2s }
receivers:
  - name: tocsin
    webhook_configs:
      - url: ${url}/api/alertmanager?organization=acme
        send_resolved: true
        http_config: { basic_auth: { username: ${editorCredential.clientId}, password: ${editorCredential.clientSecret} } }
`,
    )
    const prometheus = await startPrometheus({
      port: await freePort(),
      config: `
global: { scrape_interval: 1s, evaluation_interval: 1s }
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ["127.0.0.1:${exporterPort}"] }] }]
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ["${new URL(alertmanager.url).host}"] }] }] }
`,
      files: {
        "rules.yml": `
groups:
  - name: shop
    rules:
      - alert: Burning
        expr: burning > 0
        labels: { severity: critical, tocsin_slo: checkout, tocsin_alert_methods: hook }
        annotations: { summary: The shop burns }
`,
      },
    })
    try {
      const [triggered] = await receiver.until(1, "/alertmanager")
      // Alertmanager repeats itself every two seconds.
      await new Promise((resolve) => setTimeout(resolve, 6_000))
      expect(receiver.received).toHaveLength(1)
      value = 0
      const [, resolved] = await receiver.until(2, "/alertmanager")
      const verifier = createNotificationVerifier({ baseUrl: url, authority: new URL(receiver.url).host })
      const notifications = await Promise.all(
        [triggered, resolved].map((each) => each && verifyFetchRequest(verifier, toFetchRequest(each))),
      )
      const [first, second] = notifications.map((each) => each?.json() as Readonly<Record<string, unknown>>)
      expect(first).toMatchObject({ slo_name: "checkout", severity: "high" })
      expect(second?.["alert_id"]).toBe(first?.["alert_id"])
    } finally {
      exporter.close()
      await prometheus.close()
      await alertmanager.close()
    }
  })
})
