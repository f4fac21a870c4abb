import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { until, urlOf } from "../crash/CrashDatabase.ts"
import { withSlo } from "../e2e/definitions.ts"
import { type Certificates, makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, startTocsin } from "../server/child-process.ts"
import { type Editor, editorOf, environmentOf } from "../server/organizations.ts"
import { type Prometheus, startPrometheus } from "./Prometheus.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const database = await newDatabase("empty")
let server: Running
let editor: Editor
/** Of the servers; of the clients that they accept; of others. */
let own: Certificates
let clients: Certificates
let strangers: Certificates

beforeAll(async () => {
  ;[own, clients, strangers] = await Promise.all([
    makeCertificates(),
    makeCertificates({ commonName: "tocsin" }),
    makeCertificates({ commonName: "tocsin" }),
  ])
  const PORT = await freePort()
  server = startTocsin(["serve"], environmentOf(["acme"], { PORT, DATABASE_URL: urlOf(database) }))
  await server.until(/listening on/)
  editor = await editorOf([`http://127.0.0.1:${PORT}`], "acme")
})

afterAll(async () => {
  server?.kill("SIGTERM")
  expect((await server?.ended)?.code).toBe(0)
})

/** bcrypt of `correct horse`, whose cost is low so that the test is fast. */
const users = `basic_auth_users: { tocsin: "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2" }\n`

const basic = (password: string) => ({ basic: { username: "tocsin", password } })

const tlsServer = (rest = "") =>
  `tls_server_config: { cert_file: server.pem, key_file: server.key, ${rest} }\n`

/** The whole hour whose events are read, 19 of 20 of which are good. */
const end = Math.floor(Date.now() / hourMs) * hourMs - 4 * hourMs
const start = end - hourMs

const history = (): string => {
  const samples = (code: string, perScrape: number) =>
    Array.from(
      { length: 4 * 70 },
      (_, scrape) =>
        `requests_total{code="${code}"} ${scrape * perScrape} ${start / 1000 - 300 + scrape * 15}\n`,
    ).join("")
  return `# TYPE requests counter\n${samples("200", 19)}${samples("500", 1)}# EOF\n`
}

const startWith = async (web: string): Promise<Prometheus> =>
  startPrometheus({
    port: await freePort(),
    config: "global: { scrape_interval: 15s }\n",
    history: history(),
    files: { "server.pem": own.cert, "server.key": own.key, "clients.pem": clients.ca },
    web,
  })

const applySource = (name: string, prometheus: object) =>
  editor.call(
    "PUT",
    "/api/apply",
    JSON.stringify({
      apiVersion: "tocsin/v1alpha",
      kind: "DataSource",
      metadata: { name, project: "default" },
      spec: { prometheus },
    }),
  )

interface Problem {
  readonly reason?: string
  readonly detail?: string
}

let tests = 0

/** What the test of a new data source returns, which is deleted again. */
const failureWith = async (prometheus: object): Promise<Problem> => {
  const name = `tested-${++tests}`
  await applySource(name, prometheus)
  const { reason, detail } = (await editor.call("POST", `/api/datasources/${name}/test`)) as Problem
  await editor.call("DELETE", `/api/delete/datasource?name=${name}`)
  return { ...(reason !== undefined && { reason }), ...(detail !== undefined && { detail }) }
}

interface State {
  readonly readTo?: string
  readonly problem?: Problem
}

const stateOf = async (slo: string) => (await editor.call("GET", `/api/slos/${slo}/indicator`)) as State

/** Applies a data source and an SLO that reads from it, both of a name. */
const applySlo = async (name: string, prometheus: object) => {
  await applySource(name, prometheus)
  const slo = withSlo()
    .replace("name: checkout,", `name: ${name},`)
    .replace(
      "objectives:",
      `indicator:
    prometheus:
      dataSource: { name: ${name} }
      good: sum(increase(requests_total{code!="500"}[1m]))
      total: sum(increase(requests_total[1m]))
  objectives:`,
    )
  await editor.call("PUT", "/api/apply", slo, "application/yaml")
}

/** The events of the hour, once it has been read. */
const countsOf = async (slo: string) => {
  await until(async () => Date.parse((await stateOf(slo)).readTo ?? "1970-01-01T00:00:00Z") > end, 60_000)
  const query = new URLSearchParams({
    fields: "counts",
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
  })
  const { objectives } = (await editor.call("GET", `/api/v2/slos/${slo}?${query}`)) as {
    readonly objectives: ReadonlyArray<{
      readonly counts?: { readonly good: number; readonly total: number }
    }>
  }
  return objectives[0]?.counts
}

const expected = { good: expect.closeTo(240 * 19, 0), total: expect.closeTo(240 * 20, 0) }

const rejected = {
  reason: "credentials_rejected",
  detail: "the server responded with 401; check the credentials of the data source",
}

describe("spec/data-sources §6: a Prometheus with a web configuration", () => {
  it("is read with Basic credentials, and a wrong password is reported until it is corrected", async () => {
    const prometheus = await startWith(users)
    const { url } = prometheus
    try {
      expect(await failureWith({ url })).toEqual(rejected)
      expect(await failureWith({ url, ...basic("incorrect horse") })).toEqual(rejected)
      expect(await failureWith({ url, ...basic("correct horse") })).toEqual({})

      await applySlo("basic", { url, ...basic("incorrect horse") })
      await until(async () => (await stateOf("basic")).problem !== undefined, 60_000)
      expect((await stateOf("basic")).problem).toMatchObject(rejected)
      // The indicator is due again at once.
      await applySource("basic", { url, ...basic("correct horse") })
      expect(await countsOf("basic")).toMatchObject(expected)
      expect((await stateOf("basic")).problem).toBeUndefined()
    } finally {
      await prometheus.close()
    }
  })

  it("is read over TLS with a certificate authority of its own, and only with that", async () => {
    const prometheus = await startWith(tlsServer() + users)
    const { url } = prometheus
    const login = basic("correct horse")
    try {
      const untrusted = { reason: "tls_invalid", detail: expect.stringMatching(/issuer is not trusted/) }
      expect(await failureWith({ url, ...login })).toEqual(untrusted)
      expect(await failureWith({ url, ...login, tls: { ca: strangers.ca } })).toEqual(untrusted)
      expect(await failureWith({ url, tls: { ca: own.ca } })).toEqual(rejected)
      const plain = await failureWith({ url: url.replace("https:", "http:"), ...login })
      expect(plain).toEqual({ reason: "http_status", detail: expect.stringMatching(/400/) })

      await applySlo("tls", { url, ...login, tls: { ca: own.ca } })
      expect(await countsOf("tls")).toMatchObject(expected)
    } finally {
      await prometheus.close()
    }
  })

  it("is read with the client certificate that it requires, and no other", async () => {
    const required = "client_auth_type: RequireAndVerifyClientCert, client_ca_file: clients.pem"
    const prometheus = await startWith(tlsServer(required))
    const { url } = prometheus
    const certificateOf = ({ cert, key }: Certificates) => ({ ca: own.ca, certificate: cert, key })
    try {
      expect(await failureWith({ url, tls: { ca: own.ca } })).toEqual({
        reason: "tls_invalid",
        detail: "the server requires a client certificate; set tls.certificate and tls.key",
      })
      expect(await failureWith({ url, tls: certificateOf(strangers) })).toEqual({
        reason: "tls_invalid",
        detail:
          "the server did not accept the client certificate; check that it trusts the certificate's issuer",
      })
      await applySlo("client", { url, tls: certificateOf(clients) })
      expect(await countsOf("client")).toMatchObject(expected)
    } finally {
      await prometheus.close()
    }
  })
})
