import { EventEmitter, once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { request as httpsRequest } from "node:https"
import { createServer, connect, type AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, it, vi } from "vitest"
import { makeCertificates } from "../egress/certificates.ts"
import { httpsReceiver } from "../egress/receiver.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type Running, scratch, startTocsin, tocsin } from "./child-process.ts"

const masterKey = Buffer.alloc(32, 5).toString("base64")
const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const credential = { organization: "acme", clientId: "me", clientSecret, role: "editor" }
const environment = {
  PORT: "0",
  TOCSIN_STORE: "memory",
  TOCSIN_MASTER_KEY: masterKey,
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([credential]),
}

const urlOf = async (server: Running): Promise<string> => (await server.until(/listening on (\S+)/))[1] ?? ""

const login = async (url: string): Promise<Record<string, string>> => {
  const authorization = `Basic ${Buffer.from(`me:${clientSecret}`).toString("base64")}`
  const response = await fetch(`${url}/api/accessToken`, {
    method: "POST",
    headers: { authorization, organization: "acme" },
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return { authorization: `Bearer ${access_token}`, organization: "acme" }
}

/** Waits until nothing listens at an address any more. */
const untilClosed = (url: string) =>
  vi.waitUntil(
    () =>
      new Promise<boolean>((resolve) => {
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname, () => resolve(false))
        socket.once("error", () => resolve(true))
        socket.once("connect", () => socket.destroy())
      }),
    { timeout: 60_000, interval: 20 },
  )

describe.concurrent("tocsin serve", () => {
  it("continues when nobody reads what it prints any more", async ({ expect }) => {
    const server = startTocsin(["serve"], environment)
    const url = await urlOf(server)
    server.stopReading()
    // The access log is written after 1,000 requests at the latest, and so met the closed pipe.
    for (let count = 0; count < 11; count++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/healthz`)))
      for (const answer of answers) {
        expect(answer.status).toBe(200)
        await answer.body?.cancel()
      }
    }
    server.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })

  it("finishes the request and the delivery that are in flight when it is stopped", async ({ expect }) => {
    const certificates = await makeCertificates()
    const caFile = join(scratch, "ca.pem")
    writeFileSync(caFile, certificates.ca)
    const events: Array<string> = []
    const gate = new EventEmitter()
    const delivering = once(gate, "delivery")
    const released = once(gate, "release")
    const receiver = await httpsReceiver(certificates, async (incoming, response) => {
      incoming.resume()
      gate.emit("delivery")
      await released
      response.once("close", () => events.push(response.writableFinished ? "answered" : "cut"))
      response.writeHead(204).end()
    })
    const server = startTocsin(["serve"], {
      ...environment,
      TOCSIN_EGRESS_CA_FILE: caFile,
      TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    })
    void server.ended.then(() => events.push("ended"))
    const url = await urlOf(server)
    const headers = await login(url)
    const method = methodYaml("on-call", `https://localhost:${receiver.port}/`, "templateFields: [slo_name]")
    const applied = await fetch(`${url}/api/apply`, {
      method: "PUT",
      headers: { ...headers, "content-type": "application/yaml" },
      body: withSlo(method),
    })
    expect(applied.status).toBe(200)
    const alert = (alertId: string) =>
      JSON.stringify({
        status: "triggered",
        alertId,
        slo: { name: "checkout", project: "default" },
        alertMethods: [{ name: "on-call", project: "default" }],
      })
    const json = { ...headers, "content-type": "application/json" }
    await fetch(`${url}/api/alerts`, { method: "POST", headers: json, body: alert("a-1") })
    await delivering

    const halfSent = request(`${url}/api/alerts`, {
      method: "POST",
      headers: { ...json, expect: "100-continue" },
    })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      halfSent.once("error", reject)
      halfSent.once("response", (response) => resolve(response.resume().statusCode))
    })
    await new Promise((resolve) => halfSent.once("continue", resolve).flushHeaders())
    server.kill("SIGTERM")
    await untilClosed(url)
    expect(events).toEqual([])
    halfSent.end(alert("a-1"))
    expect(await answered).toBe(200)
    expect(events).toEqual([])
    gate.emit("release")
    const { code } = await server.ended
    expect(code).toBe(0)
    await vi.waitFor(() => expect(events.toSorted()).toEqual(["answered", "ended"]), { timeout: 60_000 })
    await receiver.close()
  })

  it("logs a failure once, on stderr", async ({ expect }) => {
    const { TOCSIN_STORE: _, ...given } = environment
    const DATABASE_URL = `postgres://me@${encodeURIComponent(scratch)}/nowhere`
    const server = startTocsin(["serve"], { ...given, DATABASE_URL })
    await server.until(/ WARNING .*\n/)
    server.kill("SIGTERM")
    const { stdout, stderr } = await server.ended
    expect(stdout).toBe("")
    const lines = stderr.trimEnd().split("\n")
    expect(lines).toEqual([
      expect.stringMatching(
        /^\S+Z WARNING Database is not available yet; retrying reason="connect ENOENT [^"]*\.s\.PGSQL\.5432"$/,
      ),
    ])
  })

  it("ends by Ctrl-C as it does by a supervisor, with the access log on stdout alone", async ({ expect }) => {
    const server = startTocsin(["serve"], environment)
    const url = await urlOf(server)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    server.kill("SIGINT")
    const { code, stdout, stderr } = await server.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^.*\/healthz.*\n$/)
    expect(stderr).toContain("data is lost when the server stops")
    expect(stderr).not.toContain("healthz")
  })

  it("reports every problem of its configuration at once, and starts nothing", async ({ expect }) => {
    const { code, stdout, stderr } = await tocsin(["serve"], {
      PORT: "http",
      TOCSIN_BASE_URL: "ftp://tocsin.example.com",
      TOCSIN_STORE: "disk",
      TOCSIN_MASTER_KEY: "c2hvcnQ=",
      TOCSIN_BOOTSTRAP_CREDENTIALS: "[{}]",
      TOCSIN_EGRESS_ALLOW_CIDRS: "10.0.0.0/33",
      TOCSIN_V1_API: "maybe",
      TOCSIN_LOGLEVEL: "info",
    })
    expect([code, stdout]).toEqual([1, ""])
    const variables = [
      "PORT",
      "TOCSIN_BASE_URL",
      "TOCSIN_STORE",
      "TOCSIN_MASTER_KEY",
      "TOCSIN_BOOTSTRAP_CREDENTIALS",
    ]
    for (const variable of [...variables, "TOCSIN_EGRESS_ALLOW_CIDRS", "TOCSIN_V1_API"]) {
      expect(stderr).toMatch(new RegExp(`^(tocsin: )?${variable} must `, "m"))
    }
    expect(stderr).toMatch(/TOCSIN_LOGLEVEL is not a known variable; did you mean TOCSIN_LOG_LEVEL\?/)
    expect(stderr).not.toContain("c2hvcnQ=")
    expect(stderr).not.toContain("    at ")
  })

  it("says that a port is taken, and which", async ({ expect }) => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve))
    const { port } = holder.address() as AddressInfo
    const { code, stdout, stderr } = await tocsin(["serve"], { ...environment, PORT: String(port) })
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toBe(`tocsin: port ${port} of 127.0.0.1 is already in use; set PORT to another port\n`)
    const inJson = { ...environment, PORT: String(port), TOCSIN_LOG_FORMAT: "json" }
    expect(JSON.parse((await tocsin(["serve"], inJson)).stderr)).toEqual({
      time: expect.any(String),
      level: "fatal",
      message: "Tocsin cannot run",
      error: `port ${port} of 127.0.0.1 is already in use; set PORT to another port`,
    })

    const file = join(scratch, "ca-of-nobody.pem")
    expect(await tocsin(["listen", "--port", String(port), "--ca-file", file])).toEqual({
      code: 1,
      stdout: "",
      stderr: `tocsin: port ${port} is already in use; specify another port with --port\n`,
    })
    expect(existsSync(file)).toBe(false)
    holder.close()
  })

  it("says that its file of authorities holds no certificate", async ({ expect }) => {
    const file = join(scratch, "no-certificate.pem")
    writeFileSync(file, "-----BEGIN CERTIFICATE-----\nnot one\n-----END CERTIFICATE-----\n")
    expect(await tocsin(["serve"], { ...environment, TOCSIN_EGRESS_CA_FILE: file })).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: TOCSIN_EGRESS_CA_FILE must contain PEM certificates\n",
    })
  })

  it("serves the API and the console over TLS with a certificate", async ({ expect }) => {
    const { ca, cert, key } = await makeCertificates()
    const [certFile, keyFile] = [join(scratch, "server-cert.pem"), join(scratch, "server-key.pem")]
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const tls = { TOCSIN_TLS_CERT_FILE: certFile, TOCSIN_TLS_KEY_FILE: keyFile }
    const server = startTocsin(["serve"], { ...environment, ...tls })
    const url = await urlOf(server)
    expect(url).toMatch(/^https:/)
    const responseOf = async (path: string) => {
      const sent = httpsRequest(`${url}${path}`, { ca }).end()
      const [response] = (await once(sent, "response")) as [IncomingMessage]
      response.resume()
      return response
    }
    expect((await responseOf("/readyz")).statusCode).toBe(200)
    expect((await responseOf("/")).statusCode).toBe(200)
    server.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)

    writeFileSync(keyFile, (await makeCertificates()).key)
    expect(await tocsin(["serve"], { ...environment, ...tls })).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "tocsin: the key in TOCSIN_TLS_KEY_FILE does not belong to the first certificate in TOCSIN_TLS_CERT_FILE\n",
    })
  })
})
