import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until, urlOf } from "../crash/CrashDatabase.ts"
import { serverExpressions, statusExpressions } from "../deploy/Dashboard.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type RecordingReceiver, startReceiver } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { freePort } from "../FreePort.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, scratch, startTocsin } from "../server/child-process.ts"
import { type Editor, editorCredential, editorOf, environmentOf } from "../server/organizations.ts"
import { type Peer, startPrometheus } from "./Prometheus.ts"

const database = await newDatabase("empty")
let receiver: RecordingReceiver
let server: Running
let editor: Editor
let url: string
let prometheus: Peer

beforeAll(async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "dashboard-ca.pem")
  writeFileSync(caFile, certificates.ca)
  receiver = await startReceiver(certificates, (path) => ({ status: path === "/failing" ? 410 : 204 }))
  const [PORT, metricsPort] = [await freePort(), await freePort()]
  server = startTocsin(
    ["serve"],
    environmentOf(["acme"], {
      PORT,
      DATABASE_URL: urlOf(database),
      TOCSIN_EGRESS_CA_FILE: caFile,
      TOCSIN_METRICS_PORT: metricsPort,
    }),
  )
  await server.until(/listening on/)
  url = `http://127.0.0.1:${PORT}`
  editor = await editorOf([url], "acme")
  prometheus = await startPrometheus({
    port: await freePort(),
    config: [
      "global: { scrape_interval: 1s }",
      "scrape_configs:",
      "  - job_name: tocsin-metrics",
      `    static_configs: [{ targets: ["127.0.0.1:${metricsPort}"] }]`,
      // As in docs/guides/prometheus.md.
      "  - job_name: tocsin-slos",
      "    metrics_path: /metrics/slos",
      "    params: { organization: [acme], labels: ['team'] }",
      `    basic_auth: { username: ${editorCredential.clientId}, password: ${editorCredential.clientSecret} }`,
      `    static_configs: [{ targets: ["127.0.0.1:${PORT}"] }]`,
    ].join("\n"),
  })
})

afterAll(async () => {
  await prometheus?.close()
  server?.kill("SIGTERM")
  expect((await server?.ended)?.code).toBe(0)
  await receiver?.close()
})

/** What an expression gives now; fails if it is not valid. */
const query = async (
  expression: string,
): Promise<ReadonlyArray<{ readonly value: readonly [number, string] }>> => {
  const body = new URLSearchParams({ query: expression })
  const response = await fetch(`${prometheus.url}/api/v1/query`, { method: "POST", body })
  const text = await response.text()
  expect(response.status, `${expression}: ${text}`).toBe(200)
  return (JSON.parse(text) as { readonly data: { readonly result: ReadonlyArray<never> } }).data.result
}

const report = (path: string, body: unknown) => editor.call("POST", path, JSON.stringify(body))

/** Reports an alert, counts of a minute, and a path that does not exist. */
const cause = async (round: number): Promise<void> => {
  for (const name of ["on-call", "failing"])
    await report("/api/alerts", {
      status: "triggered",
      alertId: `${name}-${round}`,
      slo: { name: "checkout", project: "default" },
      alertMethods: [{ name, project: "default" }],
    })
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  await report("/api/counts", [
    {
      slo: "checkout",
      project: "default",
      objective: "good",
      at: new Date(minute - (round + 1) * 60_000).toISOString(),
      good: 0,
      total: 10,
    },
  ])
  expect((await fetch(`${url}/nowhere`)).status).toBe(404)
}

describe("the dashboard of the server", () => {
  it("has data for each query, of a server with traffic", async () => {
    const reading = `
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: read, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  indicator: { prometheus: { url: "${prometheus.url}", good: "up", total: "up" } }
  objectives: [{ name: good, displayName: Good, target: 0.99 }]
`
    await editor.call(
      "PUT",
      "/api/apply",
      withSlo(
        methodYaml("on-call", `${receiver.url}/working`, "templateFields: [slo_name, alert_id]"),
        methodYaml("failing", `${receiver.url}/failing`, "templateFields: [slo_name, alert_id]"),
        reading,
      ),
      "application/yaml",
    )
    await until(async () => (await query("up == 1")).length === 2)
    let round = 0
    const all = [...serverExpressions, ...statusExpressions]
    let missing: ReadonlyArray<string> = all
    await until(async () => {
      await cause(round++ % 30)
      const results = await Promise.all(
        missing.map(async (expression) => ({ expression, found: await query(expression) })),
      )
      missing = results
        .filter(({ found }) => found.every(({ value }) => value[1] === "NaN"))
        .map(({ expression }) => expression)
      return missing.length === 0
    }, 120_000).catch((error: unknown) => {
      throw new Error(`without data: ${missing.join("\n")}`, { cause: error })
    })
    expect(serverExpressions.length).toBeGreaterThan(30)
    const [ready] = await query("sum(tocsin_ready)")
    expect(ready?.value[1]).toBe("1")
    const [delivered] = await query('sum(tocsin_deliveries_settled_total{state="delivered"})')
    expect(Number(delivered?.value[1])).toBeGreaterThan(0)
  })

  it("spec/status-api §12: has the SLOs of the organization, with the labels that it chose", async () => {
    const [sample] = (await query('tocsin_slo_objective_target{slo="checkout"}')) as ReadonlyArray<{
      readonly metric?: Readonly<Record<string, string>>
    }>
    expect(sample?.metric).toMatchObject({
      project: "default",
      service: "web",
      objective: "good",
      label_team: "a,b",
      job: "tocsin-slos",
    })
  })

  it("reads its own SLOs from them", async () => {
    const definitions = readFileSync(new URL("../../examples/self-slo.yaml", import.meta.url), "utf8")
      .replace("https://prometheus.example.com", prometheus.url)
      .replace("https://hooks.example.com", receiver.url)
    await editor.call("PUT", "/api/apply", definitions, "application/yaml")
    const slos = parseAllDocuments(definitions)
      .map((each) => each.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } })
      .filter(({ kind }) => kind === "SLO")
    expect(slos.length).toBe(4)
    for (const definition of slos) {
      const body = JSON.stringify({ definition })
      const tested = await editor.call("POST", "/api/indicators/test", body)
      expect(tested, definition.metadata.name).not.toHaveProperty("problem")
    }
  })
})
