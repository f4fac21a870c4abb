import { gunzipSync } from "node:zlib"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { makeCertificates } from "../egress/certificates.ts"
import { type RecordingReceiver, startReceiver } from "../e2e/https-receiver.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type Running, scratch, startTocsin } from "./child-process.ts"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const credential = { organization: "acme", clientId: "me", clientSecret, role: "editor" }
const traceId = "0af7651916cd43dd8448eb211c80319c"
const given = `00-${traceId}-b7ad6b7169203331-01`

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
}

/** A collector that keeps what is exported to it as JSON, by path. */
const startCollector = async () => {
  const exported: Array<{ readonly path: string; readonly text: string }> = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString()
    exported.push({ path: request.url ?? "", text })
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const spans = (): ReadonlyArray<OtlpSpan> =>
    exported
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ text }) => {
        const { resourceSpans } = JSON.parse(text) as {
          resourceSpans: Array<{ scopeSpans: Array<{ spans: Array<OtlpSpan> }> }>
        }
        return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      })
  return { url: `http://127.0.0.1:${port}`, exported, spans, close: () => server.close() }
}

let receiver: RecordingReceiver
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "telemetry-ca.pem")
  writeFileSync(caFile, certificates.ca)
  receiver = await startReceiver(certificates)
  environment = {
    PORT: "0",
    TOCSIN_STORE: "memory",
    TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([credential]),
    TOCSIN_EGRESS_CA_FILE: caFile,
    TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    TOCSIN_METRICS_PORT: "0",
  }
})
afterAll(() => receiver.close())

const policy = `
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: burning, project: default }
spec:
  severity: High
  coolDown: 5m
  conditions: [{ measurement: averageBurnRate, alertingWindow: 5m, op: gte, value: 1 }]
  alertMethods: [{ metadata: { name: on-call, project: default } }]
`

/** Starts a server, and has it notify `/path` because of a reported alert and `/path-counts` because of counts. */
const notify = async (path: string, own: Readonly<Record<string, string>>) => {
  const server: Running = startTocsin(["serve"], { ...environment, ...own })
  const url = (await server.until(/listening on (\S+)/))[1] ?? ""
  const metricsUrl = (await server.until(/Metrics: +(\S+)/))[1] ?? ""
  const authorization = `Basic ${Buffer.from(`me:${clientSecret}`).toString("base64")}`
  const login = await fetch(`${url}/api/accessToken`, {
    method: "POST",
    headers: { authorization, organization: "acme" },
  })
  const { access_token } = (await login.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, organization: "acme" }
  const apply = async (body: string): Promise<void> => {
    const applied = await fetch(`${url}/api/apply`, {
      method: "PUT",
      headers: { ...headers, "content-type": "application/yaml" },
      body,
    })
    expect([applied.status, await applied.text()]).toEqual([200, expect.any(String)])
  }
  const receiverUrl = `${receiver.url}${path}`
  const definitions = withSlo(
    methodYaml("on-call", `${receiverUrl}-counts`, "templateFields: [slo_name, notification_id]"),
    methodYaml("reported", receiverUrl, "templateFields: [slo_name, notification_id]"),
    policy,
  ).replace("  service: web", "  service: web\n  alertPolicies: [burning]")
  await apply(definitions)
  const send = (target: string, body: unknown) =>
    fetch(`${url}${target}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", traceparent: given },
      body: JSON.stringify(body),
    })
  const answer = await send("/api/alerts", {
    status: "triggered",
    slo: { name: "checkout", project: "default" },
    alertMethods: [{ name: "reported", project: "default" }],
  })
  expect(answer.status).toBe(202)
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  const counted = await send(
    "/api/counts",
    Array.from({ length: 10 }, (_, ago) => ({
      project: "default",
      slo: "checkout",
      objective: "good",
      at: new Date(minute - (ago + 1) * 60_000).toISOString(),
      good: 0,
      total: 10,
    })),
  )
  expect([counted.status, await counted.text()]).toEqual([204, ""])
  const [byAlert] = await receiver.until(1, path)
  const [byCounts] = await receiver.until(1, `${path}-counts`)
  // The receiver has a request before the server has its response.
  const metrics = await vi.waitUntil(
    async () => {
      const text = await (await fetch(metricsUrl)).text()
      return /^tocsin_delivery_attempts_in_flight 0$/m.test(text) && text
    },
    { timeout: 60_000 },
  )
  server.kill("SIGTERM")
  const { stdout, stderr, code } = await server.ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const traceparentOf = (received: typeof byAlert) =>
    received?.headers.find(([name]) => name.toLowerCase() === "traceparent")?.[1]
  return {
    traceIdOfAnswer: answer.headers.get("trace-id"),
    byAlert: traceparentOf(byAlert),
    byCounts: traceparentOf(byCounts),
    metrics,
    log: stdout + stderr,
    secrets: [receiverUrl, receiver.url, access_token, clientSecret],
  }
}

describe.concurrent("the telemetry of the server", () => {
  it("spec/telemetry §4, spec/telemetry §5: has one trace from the request through the store to the receiver", async () => {
    const collector = await startCollector()
    const result = await notify("/traced", {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      TOCSIN_LOG_LEVEL: "debug",
      // What is logged.
      TOCSIN_DRAIN_SECONDS: "1",
    })
    await vi.waitFor(
      () => expect(collector.spans().map(({ name }) => name)).toContain("deliverNotification"),
      { timeout: 60_000 },
    )
    collector.close()
    const spans = collector.spans().filter((span) => span.traceId === traceId)
    expect(result.traceIdOfAnswer).toBe(traceId)
    const request = spans.find(({ name }) => name === "receiveAlert" || name === "reportAlert")
    expect(request).toMatchObject({ parentSpanId: "b7ad6b7169203331", kind: 2 })
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const ancestors = (span: OtlpSpan | undefined): ReadonlyArray<string> =>
      span === undefined ? [] : [span.name, ...ancestors(byId.get(span.parentSpanId ?? ""))]
    for (const traceparent of [result.byAlert, result.byCounts]) {
      const [, trace, parent = ""] = traceparent?.split("-") ?? []
      expect(trace).toBe(traceId)
      expect(ancestors(byId.get(parent))[0]).toBe("deliverNotification")
    }
    const attempts = spans.filter(({ name }) => name === "deliverNotification")
    expect(attempts.map((span) => ancestors(span).at(-1)).toSorted()).toEqual(
      [
        request?.name,
        spans.find(({ name }) => name === "recordCountBatch" || name === "recordCounts")?.name,
      ].toSorted(),
    )
    const paths = new Set(collector.exported.map(({ path }) => path))
    expect([...paths].toSorted()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"])
    const all = collector.exported.map(({ text }) => text).join("\n") + result.metrics + result.log
    for (const secret of result.secrets) expect(all).not.toContain(secret)
    expect(all).toContain('"stringValue":"tocsin"')
  })

  it("spec/telemetry §4: hands on the trace of a request without a tracer", async () => {
    const result = await notify("/untraced", {})
    expect(result.byAlert).toBe(given)
    expect(result.byCounts).toBe(given)
    expect(result.traceIdOfAnswer).toMatch(/^[0-9a-f]{32}$/)
    expect(result.traceIdOfAnswer).not.toBe(traceId)
    expect(result.metrics).toMatch(/tocsin_delivery_arrival_seconds_count [12]\n/)
    expect(result.metrics).toMatch(/tocsin_alert_changes_total\{status="triggered",source="policy"\} 1\n/)
    expect(result.metrics).toMatch(/tocsin_alert_changes_total\{status="triggered",source="external"\} 1\n/)
    expect(result.metrics).toContain('tocsin_counts_recorded_total{source="api"} 10\n')
    expect(result.metrics).toContain("tocsin_access_tokens_issued_total 1\n")
    for (const secret of [...result.secrets, "checkout", "acme"]) expect(result.metrics).not.toContain(secret)
  })

  it("spec/telemetry §4: sends no trace when the operator does not want it", async () => {
    const result = await notify("/silent", { TOCSIN_SEND_TRACEPARENT: "off" })
    expect([result.byAlert, result.byCounts]).toEqual([undefined, undefined])
  })
})
