import { checkEgress } from "../src/doctor/NetworkChecks.ts"
import { clockCheck, permissionsCheck, schemaCheck, versionCheck } from "../src/doctor/DatabaseChecks.ts"
import { diskCheck } from "../src/doctor/FileChecks.ts"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeCertificates } from "../../../test/egress/certificates.ts"
import { httpsReceiver, type Receiver } from "../../../test/egress/receiver.ts"
import { freePort } from "../../../test/FreePort.ts"
import { dataDirectory, scratch, startTocsin, tocsin } from "../../../test/server/child-process.ts"

const masterKey = Buffer.alloc(32, 9).toString("base64")
const inMemory = { TOCSIN_STORE: "memory", TOCSIN_MASTER_KEY: masterKey, PORT: "0" }

interface Found {
  readonly check: string
  readonly status: string
  readonly message: string
}

/** Runs the command with JSON, and gives what it found, its exit code and its errors. */
const doctor = async (environment: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) => {
  const { stdout, stderr, code } = await tocsin(["doctor", "-o", "json", ...flags], environment)
  const { data } = JSON.parse(stdout) as { readonly data: ReadonlyArray<Found> }
  const of = (check: string) => data.filter((each) => each.check === check)
  return { data, of, code, stderr, text: stdout + stderr }
}

const file = (name: string, text: string): string => {
  const path = join(mkdtempSync(join(scratch, "doctor-")), name)
  writeFileSync(path, text)
  return path
}

describe.concurrent("tocsin doctor", () => {
  it("spec/operations §9: finds nothing wrong with the defaults, creates nothing, and prints a line for each check", async () => {
    const directory = join(dataDirectory(), "data")
    const environment = { TOCSIN_DATA_DIR: directory, PORT: await freePort() }
    const { stdout, code, stderr } = await tocsin(["doctor"], environment)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ["ok", "configuration"],
      ["ok", "master key"],
      ["ok", "data directory"],
      [expect.stringMatching(/ok|warning/), "disk"],
      ["ok", "database"],
      ["ok", "port"],
      [""],
    ])
    expect(stdout).toContain(`generated in ${join(directory, "master-key")} at the first start`)
    expect(existsSync(directory)).toBe(false)
  })

  it("reports every invalid variable, and still checks the database", async () => {
    const { of, code, stderr, text } = await doctor({
      DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/tocsin",
      TOCSIN_MASTER_KEY: masterKey,
      PORT: "http",
      TOCSIN_V1_API: "maybe",
    })
    expect(of("configuration").map(({ message }) => message.split(" ")[0])).toEqual(["PORT", "TOCSIN_V1_API"])
    expect(of("database")[0]).toMatchObject({ status: "failed" })
    expect(of("database")[0]?.message).toContain("check that it is running and that DATABASE_URL is correct")
    for (const check of ["version", "permissions", "clock", "schema", "stored secrets", "port"])
      expect(of(check)[0]?.status, check).toBe("skipped")
    expect([code, stderr]).toEqual([1, "tocsin: 3 checks failed\n"])
    for (const secret of ["hunter2", masterKey]) expect(text).not.toContain(secret)
  })

  it("reports a data directory that is lost, or none", async () => {
    const lost = dataDirectory()
    mkdirSync(join(lost, "postgres"))
    writeFileSync(join(lost, "postgres.log"), "")
    const { of, code } = await doctor({ TOCSIN_DATA_DIR: lost, PORT: "0" })
    expect(of("database")[0]).toMatchObject({ status: "failed" })
    expect(of("database")[0]?.message).toMatch(/is empty.*restore it from a backup/)
    expect(code).toBe(1)
    const noDirectory = await doctor({ TOCSIN_DATA_DIR: file("data", ""), PORT: "0" })
    expect(noDirectory.of("data directory")[0]?.message).toMatch(/is not a directory; set TOCSIN_DATA_DIR/)
    const open = dataDirectory()
    writeFileSync(join(open, "master-key"), `${masterKey}\n`, { mode: 0o644 })
    const shared = await doctor({ TOCSIN_DATA_DIR: open, PORT: "0" })
    expect(shared.of("master key")[0]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("run chmod 600"),
    })
  })

  it("reports a port that another program uses, and accepts those of Tocsin", async () => {
    const other = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
    const otherPort = await freePort()
    await new Promise<void>((resolve) => other.listen(Number(otherPort), "127.0.0.1", resolve))
    const [PORT, TOCSIN_METRICS_PORT] = [await freePort(), await freePort()]
    const server = startTocsin(["serve"], { ...inMemory, PORT, TOCSIN_METRICS_PORT })
    await server.until(/listening on/)
    const running = await doctor({ ...inMemory, PORT, TOCSIN_METRICS_PORT })
    expect(running.data.filter(({ check }) => check.endsWith("port"))).toEqual([
      { check: "port", status: "ok", message: `Tocsin listens on port ${PORT} of 127.0.0.1` },
      {
        check: "metrics port",
        status: "ok",
        message: `Tocsin listens on port ${TOCSIN_METRICS_PORT} of 127.0.0.1`,
      },
    ])
    const taken = await doctor({ ...inMemory, PORT: otherPort })
    expect(taken.of("port")).toEqual([
      {
        check: "port",
        status: "failed",
        message: `port ${otherPort} of 127.0.0.1 is in use by another program; set PORT to another port`,
      },
    ])
    server.kill("SIGTERM")
    await server.ended
    other.close()
  })

  it("recognizes Tocsin on a port with TLS, regardless of the issuer of its certificate", async () => {
    const { cert, key } = await makeCertificates()
    const environment = {
      ...inMemory,
      PORT: await freePort(),
      TOCSIN_TLS_CERT_FILE: file("tls.crt", cert),
      TOCSIN_TLS_KEY_FILE: file("tls.key", key),
    }
    const server = startTocsin(["serve"], environment)
    await server.until(/listening on/)
    const { of } = await doctor(environment)
    expect(of("port")).toEqual([
      { check: "port", status: "ok", message: `Tocsin listens on port ${environment.PORT} of 127.0.0.1` },
    ])
    server.kill("SIGTERM")
    await server.ended
  })

  it("reports certificates and keys that cannot be used", async () => {
    const day = 86_400_000
    const inDays = (days: number) => new Date(Date.now() + days * day)
    const [good, expired] = await Promise.all([
      makeCertificates({ notAfter: inDays(90) }),
      makeCertificates({ notBefore: inDays(-9), notAfter: inDays(-2) }),
    ])
    const soon = await makeCertificates({ notAfter: inDays(5) })
    const paths = {
      ca: file("ca.pem", good.ca),
      cert: file("cert.pem", good.cert),
      key: file("key.pem", good.key),
      expired: file("expired.pem", expired.cert),
      soon: file("soon.pem", soon.cert),
      text: file("text.pem", "no certificate"),
    }
    const found = async (parameters: Readonly<Record<string, string>>, egressCa = paths.ca) => {
      const query = new URLSearchParams(parameters).toString()
      const { data } = await doctor({
        DATABASE_URL: `postgres://me@127.0.0.1:1/tocsin?${query}`,
        TOCSIN_MASTER_KEY: masterKey,
        TOCSIN_EGRESS_CA_FILE: egressCa,
        PORT: "0",
      })
      return Object.fromEntries(data.map(({ check, status, message }) => [check, `${status}: ${message}`]))
    }
    expect(await found({ sslrootcert: paths.ca, sslcert: paths.cert, sslkey: paths.key })).toMatchObject({
      sslrootcert: expect.stringMatching(/^ok: .*ca\.pem is valid until 2099-12-31$|^ok: .*2100-01-01$/),
      sslcert: expect.stringMatching(/^ok:/),
      sslkey: expect.stringMatching(/^ok: .* fits sslcert$/),
      TOCSIN_EGRESS_CA_FILE: expect.stringMatching(/^ok:/),
    })
    expect(await found({ sslcert: paths.expired, sslkey: paths.key }, paths.text)).toMatchObject({
      sslcert: expect.stringMatching(/^failed: .* is valid only from \S{10} to \S{10}; replace it$/),
      sslkey: expect.stringMatching(/^failed: .* is not the key of the certificate in sslcert/),
      TOCSIN_EGRESS_CA_FILE: expect.stringMatching(/^failed: .* must contain certificates in PEM$/),
    })
    expect(await found({ sslrootcert: paths.soon, sslcert: paths.cert, sslkey: paths.ca })).toMatchObject({
      sslrootcert: expect.stringMatching(/^warning: .* expires on/),
      sslkey: expect.stringMatching(/^failed: .* must contain a private key in PEM/),
    })
    // One CA of several may be enough.
    expect(await found({}, file("bundle.pem", expired.cert + good.ca))).toMatchObject({
      TOCSIN_EGRESS_CA_FILE: expect.stringMatching(/^warning: .* is valid only from/),
    })
    expect(await found({ sslkey: paths.key }, "/nowhere/ca.pem")).toMatchObject({
      sslkey: expect.stringMatching(/^failed: set without sslcert/),
      TOCSIN_EGRESS_CA_FILE: expect.stringMatching(/^failed: ENOENT/),
    })
  })

  it("spec/operations §9: checks the certificate of the server and its key", async () => {
    const { cert, key } = await makeCertificates()
    const files = { TOCSIN_TLS_CERT_FILE: file("tls.crt", cert), TOCSIN_TLS_KEY_FILE: file("tls.key", key) }
    const { of } = await doctor({ ...inMemory, ...files })
    expect(of("TOCSIN_TLS_KEY_FILE")).toMatchObject([
      { status: "ok", message: expect.stringMatching(/ fits TOCSIN_TLS_CERT_FILE$/) },
    ])
    const { of: found } = await doctor({
      ...inMemory,
      ...files,
      TOCSIN_TLS_KEY_FILE: file("tls.key", (await makeCertificates()).key),
    })
    expect(found("TOCSIN_TLS_KEY_FILE")).toMatchObject([
      {
        status: "failed",
        message: expect.stringMatching(/is not the key of the certificate in TOCSIN_TLS_CERT_FILE/),
      },
    ])
  })
})

describe("tocsin doctor --connect-to", () => {
  let receiver: Receiver
  let ca: string
  beforeAll(async () => {
    const certificates = await makeCertificates()
    ca = file("receiver-ca.pem", certificates.ca)
    receiver = await httpsReceiver(certificates, (_, response) => response.end())
  })
  afterAll(() => receiver.close())

  const connecting = async (environment: Readonly<Record<string, string>>, url: string) => {
    const { data, code } = await doctor({ ...inMemory, ...environment }, "--connect-to", url)
    return { code, steps: data.filter(({ check }) => check.startsWith("egress")) }
  }
  const statuses = (steps: ReadonlyArray<Found>) => steps.map(({ status }) => status)
  const allowed = { TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" }

  it("connects as a delivery does, without sending a request", async () => {
    const before = receiver.sockets.length
    const { code, steps } = await connecting(
      { ...allowed, TOCSIN_EGRESS_CA_FILE: ca },
      `127.0.0.1:${receiver.port}`,
    )
    expect([code, statuses(steps)]).toEqual([0, ["ok", "ok", "ok", "ok", "ok"]])
    expect(steps.at(-1)?.message).toBe(`127.0.0.1 port ${receiver.port} is verified`)
    expect(receiver.sockets.length).toBe(before + 1)
  })

  it("reports the first step that fails, and what to do", async () => {
    const url = `https://127.0.0.1:${receiver.port}/hook`
    const denied = await connecting({}, url)
    expect(statuses(denied.steps)).toEqual(["failed", "skipped", "skipped", "skipped", "skipped"])
    expect(denied.steps[0]?.message).toContain("TOCSIN_EGRESS_ALLOW_CIDRS")
    const untrusted = await connecting(allowed, url)
    expect(untrusted.code).toBe(1)
    expect(statuses(untrusted.steps)).toEqual(["ok", "ok", "ok", "ok", "failed"])
    expect(untrusted.steps[4]?.message).toContain("TOCSIN_EGRESS_CA_FILE")
    const closed = await connecting(allowed, `https://127.0.0.1:${await freePort()}/`)
    expect(statuses(closed.steps)).toEqual(["ok", "ok", "ok", "failed", "skipped"])
    const wrong = await connecting({}, "http://receiver.test/hook")
    expect(wrong.steps[0]).toMatchObject({ status: "failed", message: "the URL must start with https://" })
  })

  it("checks every address of a name before it connects", async () => {
    const options = { allowCidrs: ["127.0.0.0/8"], dial: () => expect.unreachable("it dials") }
    const check = (resolve: () => Promise<ReadonlyArray<string>>) =>
      Effect.runPromise(checkEgress("receiver.example.com", { ...options, resolve }))
    const blocked = await check(async () => ["10.0.0.1", "127.0.0.1"])
    expect(statuses(blocked)).toEqual(["ok", "ok", "failed", "skipped", "skipped"])
    expect(blocked[1]?.message).toBe("10.0.0.1, 127.0.0.1")
    const unknown = await check(() => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" })))
    expect(statuses(unknown)).toEqual(["ok", "failed", "skipped", "skipped", "skipped"])
  })
})

describe("the limits of tocsin doctor", () => {
  it.each([
    [150_000, "ok"],
    [180_004, "ok"],
    [140_012, "failed"],
    [190_000, "warning"],
  ] as const)("for PostgreSQL %d", (version, status) => expect(versionCheck(version).status).toBe(status))

  it.each([
    [0, "ok"],
    [-1_000, "ok"],
    [1_001, "warning"],
    [-30_000, "warning"],
    [30_001, "failed"],
  ] as const)("for a clock that is %d ms ahead", (aheadMs, status) =>
    expect(clockCheck(aheadMs).status).toBe(status),
  )

  it.each([
    [2_048, "ok"],
    [2_047, "warning"],
    [255, "failed"],
  ] as const)("for %d MiB of free disk space", (mebibytes, status) =>
    expect(diskCheck(mebibytes * 1_048_576).status).toBe(status),
  )

  it("for pending migrations", () => {
    expect(schemaCheck(3, 0, false).status).toBe("ok")
    expect(schemaCheck(0, 3, true).status).toBe("ok")
    expect(schemaCheck(0, 3, false)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("restore or import a backup"),
    })
    expect(schemaCheck(2, 1, true)).toMatchObject({ status: "warning" })
    expect(schemaCheck(2, 1, false)).toEqual({
      check: "schema",
      status: "failed",
      message: "1 migration is pending; run `tocsin database migrate`",
    })
  })

  it("for the permissions of a role, all at once", () => {
    const fine = { encoding: "UTF8", role: "app", schema: "public", mayCreate: true, tablesOfOthers: [] }
    expect(permissionsCheck(fine).status).toBe("ok")
    expect(permissionsCheck({ ...fine, schema: null, mayCreate: false }).message).toContain("CREATE SCHEMA")
    expect(
      permissionsCheck({ ...fine, encoding: "LATIN1", mayCreate: false, tablesOfOthers: ["a", "b"] }).message,
    ).toBe(
      "the encoding of the database is LATIN1; create it with ENCODING 'UTF8'; " +
        'the role app cannot create tables; run GRANT CREATE ON SCHEMA "public" TO "app"; ' +
        'the role app does not own a and 1 more; run ALTER TABLE … OWNER TO "app" for each table',
    )
  })
})
