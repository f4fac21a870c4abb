import { makeApiClient } from "@tocsin/cli/client/ApiClient"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { headerOf, startReceiver } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { dataDirectory, scratch, startTocsin } from "../server/child-process.ts"
import { startIntake } from "./AlertIntake.ts"
import { run, setClockAhead, unsettled, until, urlOf } from "./CrashDatabase.ts"

/** How long the database is away: a moment as a test among others, 20 s by `npm run test:crash`. */
const awaySeconds = process.env["TEST_MODE"] === "crash" ? 20 : 3

const organization = "acme"
const methods = Array.from({ length: 10 }, (_, index) => `m-${index}`)

it(`spec/delivery §7: the database is stopped for ${awaySeconds} s under load: no alert that was accepted is lost, and no server ends`, async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "ca.pem")
  writeFileSync(caFile, certificates.ca)
  const receiver = await startReceiver(certificates)
  const database = await startDatabase(dataDirectory())
  const clientSecret = randomBytes(32).toString("base64url")
  const environment = {
    DATABASE_URL: urlOf(database.connection),
    TOCSIN_MASTER_KEY: randomBytes(32).toString("base64"),
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
      { organization, clientId: "intake", clientSecret, role: "editor" },
    ]),
    TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    TOCSIN_EGRESS_CA_FILE: caFile,
    TOCSIN_QUOTA_ALERTS_PER_SECOND: "10000",
    TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: "60000",
    TOCSIN_LOG_LEVEL: "none",
  }
  const ports = [await freePort(), await freePort()]
  const servers = ports.map((PORT) => startTocsin(["serve"], { ...environment, PORT }))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  try {
    await Promise.all(servers.map((server) => server.until(/listening on/)))
    const [url = ""] = urls
    const client = await Effect.runPromise(
      makeApiClient({ url, organization, clientId: "intake", clientSecret: Redacted.make(clientSecret) }),
    )
    const body = withSlo(
      ...methods.map((name) => methodYaml(name, `${receiver.url}/hook`, "templateFields: [alert_id]")),
    )
    const yaml = { "content-type": "application/yaml" }
    await Effect.runPromise(client.call({ method: "PUT", path: "/api/apply", headers: yaml, body }))
    const headers = {
      authorization: `Bearer ${await Effect.runPromise(client.accessToken)}`,
      organization,
    }
    const intake = startIntake({ urls, headers, methods, clients: 8 })
    await until(() => Promise.resolve(intake.accepted.size > 50))

    await database.stop()
    const stoppedAt = performance.now()
    const acceptedBefore = intake.accepted.size
    const arrivedBefore = receiver.received.length
    for (const each of urls) {
      expect((await fetch(`${each}/healthz`)).status).toBe(200)
      const ready = await fetch(`${each}/readyz`)
      const list = await fetch(`${each}/api/v2/slos`, { headers })
      const alert = await fetch(`${each}/api/alerts`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          alertId: "refused",
          slo: { name: "checkout", project: "default" },
          alertMethods: [{ name: methods[0], project: "default" }],
        }),
      })
      const again = {
        title: "Service unavailable",
        code: "unavailable",
        detail: "Try again in a few seconds.",
      }
      for (const [answer, error] of [
        [ready, { ...again, detail: "The store is not available." }],
        [list, again],
        [alert, again],
      ] as const) {
        expect(answer.status).toBe(503)
        expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
        // A server that has just failed to write gives that as a further reason.
        expect(await answer.json()).toMatchObject({ errors: expect.arrayContaining([error]) })
      }
    }
    await wait(awaySeconds * 1_000 - (performance.now() - stoppedAt))
    // What was on its way when the database went may have been accepted, and may have arrived.
    expect(intake.accepted.size - acceptedBefore).toBeLessThanOrEqual(8)
    await database.start()
    const backAt = performance.now()
    const isReady = async () =>
      (await Promise.all(urls.map((each) => fetch(`${each}/readyz`)))).every(({ ok }) => ok)
    await until(isReady)
    const readyAfter = performance.now() - backAt
    await until(() => Promise.resolve(receiver.received.length > arrivedBefore + 50))
    const sendingAfter = performance.now() - backAt
    await intake.stop()

    // A claim whose answer was lost stands until its lease ends, which time does.
    const isSettled = async () => (await unsettled(database.connection)) === 0
    await until(isSettled, 8_000).catch(() => undefined)
    const left = await unsettled(database.connection)
    await setClockAhead(database.connection, 31_000)
    await until(isSettled)
    const arrived = new Set(receiver.received.map((each) => headerOf(each, "Notification-Id")))
    expect([...intake.accepted].filter((id) => !arrived.has(id))).toEqual([])
    expect([...arrived].filter((id) => !intake.accepted.has(id))).toEqual([])
    const settled = await run<{ count: number }>(
      database.connection,
      "SELECT count(*) AS count FROM delivery_attempts WHERE settled_at IS NOT NULL",
    )
    expect(settled).toEqual([{ count: intake.accepted.size }])
    process.stdout.write(
      `away for ${awaySeconds} s: ${intake.accepted.size} accepted, all arrived, ${receiver.received.length - arrived.size} again; ready after ${Math.round(readyAfter)} ms, sending after ${Math.round(sendingAfter)} ms, ${left} waited for their leases\n`,
    )
    for (const server of servers) server.kill("SIGTERM")
    for (const server of servers) expect((await server.ended).code).toBe(0)
  } finally {
    for (const server of servers) server.kill("SIGTERM")
    await Promise.all(servers.map(({ ended }) => ended))
    await database.stop()
    await receiver.close()
  }
}, 300_000)

/** A durable PostgreSQL that can be stopped and started. */
const startDatabase = async (directory: string) => {
  const open = async () => {
    const scope = Scope.makeUnsafe()
    const connection = await Effect.runPromise(
      Scope.provide(runEmbeddedPostgres({ dataDirectory: directory }), scope),
    )
    return { connection, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  let opened: Awaited<ReturnType<typeof open>> | undefined = await open()
  return {
    connection: opened.connection,
    start: async () => {
      opened = await open()
    },
    stop: async () => {
      await opened?.close()
      opened = undefined
    },
  }
}
