import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until, urlOf } from "../crash/CrashDatabase.ts"
import { expressions } from "../deploy/Dashboard.ts"
import { read } from "../deploy/Files.ts"
import { freePort } from "../FreePort.ts"
import { type Peer, startAlertmanager, startBlackboxExporter, startPrometheus } from "../peers/Prometheus.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, startTocsin, tocsin } from "../server/child-process.ts"
import { type Editor, editorCredential, editorOf, environmentOf } from "../server/organizations.ts"
import { folder } from "./Tools.ts"

const compose = "deploy/compose"

/** In place of the host names of compose.yaml. */
const ports = {
  tocsin: await freePort(),
  prometheus: await freePort(),
  alertmanager: await freePort(),
  blackbox: await freePort(),
  metrics: await freePort(),
}

/** A file of compose.yaml with addresses of this machine, and with intervals in which a test can wait. */
const readHere = (file: string): string =>
  read(`${compose}/${file}`)
    .replaceAll("localhost:9090", "prometheus:9090")
    .replaceAll("tocsin:9464", "metrics:9464")
    .replaceAll(
      /\b(tocsin|prometheus|alertmanager|blackbox|metrics):\d+/g,
      (_, name: keyof typeof ports) => `127.0.0.1:${ports[name]}`,
    )
    .replaceAll("_interval: 15s", "_interval: 1s")
    .replaceAll('interval: "1m"', 'interval: "5s"')

const database = await newDatabase("empty")
const peers: Array<Peer> = []
let server: Running
let editor: Editor
let prometheus: Peer

beforeAll(async () => {
  const own = {
    PORT: ports.tocsin,
    DATABASE_URL: urlOf(database),
    TOCSIN_METRICS_PORT: ports.metrics,
  }
  server = startTocsin(["serve"], environmentOf(["default"], own))
  await server.until(/listening on/)
  editor = await editorOf([`http://127.0.0.1:${ports.tocsin}`], "default")
  const secret = join(folder, "client-secret")
  writeFileSync(secret, editorCredential.clientSecret)
  const alertmanager = readHere("alertmanager/alertmanager.yml")
    .replace("/run/secrets/tocsin-client-secret", secret)
    .replace("username: admin", `username: ${editorCredential.clientId}`)
  peers.push(
    await startAlertmanager(
      ports.alertmanager,
      alertmanager.replace("group_by:", "group_wait: 0s\n  group_by:"),
    ),
  )
  peers.push(await startBlackboxExporter(ports.blackbox, read(`${compose}/blackbox/blackbox.yml`)))
  prometheus = await startPrometheus({
    port: ports.prometheus,
    config: readHere("prometheus/prometheus.yml").replace("[rules/*.yml]", '["*.rules.yml"]'),
    files: {
      "tocsin.rules.yml": readHere("prometheus/rules/tocsin.yml"),
      "slos.rules.yml": readHere("prometheus/rules/prometheus-api.yml"),
    },
  })
  peers.push(prometheus)
})

afterAll(async () => {
  for (const peer of peers.toReversed()) await peer.close()
  server?.kill("SIGTERM")
  expect((await server?.ended)?.code).toBe(0)
})

/** Runs a command of the editor, and returns what it prints. */
const command = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await tocsin(args, {
    TOCSIN_URL: `http://127.0.0.1:${ports.tocsin}`,
    TOCSIN_ORGANIZATION: "default",
    TOCSIN_CLIENT_ID: editorCredential.clientId,
    TOCSIN_CLIENT_SECRET: editorCredential.clientSecret,
  })
  expect([code, stderr], stdout).toEqual([0, ""])
  return stdout
}

interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

/** The series of an expression now; fails if it is not valid. */
const query = async (expression: string): Promise<ReadonlyArray<Series>> => {
  const body = new URLSearchParams({ query: expression })
  const response = await fetch(`${prometheus.url}/api/v1/query`, { method: "POST", body })
  const text = await response.text()
  expect(response.status, `${expression}: ${text}`).toBe(200)
  return (JSON.parse(text) as { readonly data: { readonly result: ReadonlyArray<Series> } }).data.result
}

describe("the profile `monitoring` of compose.yaml", () => {
  it("scrapes each of its targets, and sees that the server is ready", async () => {
    await until(async () => (await query("up == 1")).length === 4, 60_000)
    expect((await query("up")).map(({ metric }) => metric["job"]).toSorted()).toEqual([
      "alertmanager",
      "prometheus",
      "tocsin",
      "tocsin-metrics",
    ])
    await until(async () => (await query("tocsin_ready == 1")).length === 1, 60_000)
    await until(async () => (await query('probe_success{job="tocsin"} == 1')).length === 1, 60_000)
  })

  it("reads the counts of the example SLO", async () => {
    const file = join(folder, "slos.yaml")
    writeFileSync(file, readHere("slos/prometheus-api.yaml"))
    expect(await command("apply", "-f", file)).toContain("SLO default/prometheus-api created")
    await until(async () => {
      const state = (await editor.call("GET", "/api/slos/prometheus-api/indicator")) as {
        readonly readTo?: string
      }
      return state.readTo !== undefined
    }, 120_000)
  })

  it("generates the rules from what is stored", async () => {
    const files = { slos: join(folder, "get-slos.yaml"), policies: join(folder, "get-policies.yaml") }
    writeFileSync(files.slos, await command("get", "slos"))
    writeFileSync(files.policies, await command("get", "alertpolicies"))
    const rules = await command("generate", "prometheus-rules", "-f", files.slos, files.policies)
    expect(rules).toBe(read(`${compose}/prometheus/rules/prometheus-api.yml`))
  })

  it("has data for each query of the dashboard while an alert fires", async () => {
    // Rejected with 500, as Prometheus is not started with `--web.enable-admin-api`.
    const fail = () => fetch(`${prometheus.url}/api/v1/admin/tsdb/snapshot`, { method: "POST" })
    expect((await fail()).status).toBe(500)
    await until(async () => {
      await Promise.all(Array.from({ length: 5 }, fail))
      return (await query('ALERTS{alertname="SloFastBurn", alertstate="firing"}')).length > 0
    }, 150_000)
    expect(expressions.length).toBeGreaterThan(10)
    for (const expression of expressions) expect(await query(expression), expression).not.toEqual([])
    const [exhausted] = await query("count(slo:error_budget:remaining <= 0)")
    expect(exhausted?.value[1]).toBe("1")
  })

  it("sends alerts of SLOs from Alertmanager to the server", async () => {
    const alert = {
      labels: { alertname: "ApiErrors", tocsin_slo: "prometheus-api", tocsin_alert_policy: "fast-burn" },
      annotations: { summary: "The API returns errors" },
    }
    const response = await fetch(`http://127.0.0.1:${ports.alertmanager}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([alert]),
    })
    expect(response.status).toBe(200)
    await until(async () => (await command("get", "alerts")).includes("The API returns errors"), 60_000)
  })
})
