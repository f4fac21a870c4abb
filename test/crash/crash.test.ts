import type { PgConnection } from "@tocsin/adapters-pg/database/PgDatabase"
import { makeApiClient } from "@tocsin/server/client/ApiClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, it } from "vitest"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { headerOf, startReceiver } from "../e2e/https-receiver.ts"
import { publicKeyOf, verifiesByHttpMessageSig } from "../e2e/independent-verifiers.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { freePort } from "../server/child-process.ts"
import { startIntake } from "./AlertIntake.ts"
import { claimedIds, run, setClockAhead, unsettled, until, urlOf } from "./CrashDatabase.ts"
import { startServerProcess } from "./ServerProcess.ts"

/** How often a server is killed: a few times as a test among others, 50 times by `npm run test:crash`. */
const kills = Number(process.env["CRASH_KILLS"] ?? (process.env["MODE"] === "crash" ? 50 : 3))

const organization = "acme"
const methods = Array.from({ length: 20 }, (_, index) => `m-${index}`)

it(
  `spec/delivery §8: ${kills} servers are killed while alerts come in: each accepted one arrives, and only what was under way arrives twice`,
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "tocsin-crash-"))
    const certificates = await makeCertificates()
    writeFileSync(join(directory, "ca.pem"), certificates.ca)
    const receiver = await startReceiver(certificates)
    const connection = await newDatabase("empty")
    const clientSecret = randomBytes(32).toString("base64url")
    const environment = {
      DATABASE_URL: urlOf(connection),
      TOCSIN_MASTER_KEY: randomBytes(32).toString("base64"),
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
        { organization, clientId: "intake", clientSecret, role: "editor" },
      ]),
      TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
      TOCSIN_EGRESS_CA_FILE: join(directory, "ca.pem"),
      TOCSIN_QUOTA_ALERTS_PER_SECOND: "10000",
      TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: "60000",
      TOCSIN_LOG_LEVEL: "warning",
    }
    const ports = [await freePort(), await freePort()]
    const servers = ports.map((port) => startServerProcess(port, environment))
    try {
      await Promise.all(servers.map(({ listening }) => listening))
      const [{ url } = { url: "" }] = servers
      const config = { url, organization, clientId: "intake", clientSecret: Redacted.make(clientSecret) }
      const client = await Effect.runPromise(makeApiClient(config))
      const definitions = withSlo(
        ...methods.map((name) => methodYaml(name, `${receiver.url}/hook`, "templateFields: [alert_id]")),
      )
      await Effect.runPromise(
        client.call({
          method: "PUT",
          path: "/api/apply",
          headers: { "content-type": "application/yaml" },
          body: definitions,
        }),
      )
      const token = await Effect.runPromise(client.accessToken)
      const publicKey = await publicKeyOf(url)

      const intake = startIntake({
        urls: servers.map((server) => server.url),
        headers: { authorization: `Bearer ${token}`, organization },
        methods,
        clients: 8,
      })
      let verified = 0
      const verifyArrived = async () => {
        for (; verified < receiver.received.length; verified++) {
          const received = receiver.received[verified]
          expect(received && (await verifiesByHttpMessageSig(received, publicKey))).toBe(true)
        }
      }
      const inFlight = new Set<string>()
      for (let count = 0; count < kills; count++) {
        const place = Math.floor(Math.random() * servers.length)
        const victim = servers[place]
        const port = ports[place]
        if (victim === undefined || port === undefined) throw new Error("no server")
        // Every fifth is killed while it may still be starting.
        if (count % 5 !== 4) await victim.listening
        await wait(Math.random() * 1_500)
        // Its claims are in the database, and no longer change once it is stopped.
        victim.freeze()
        for (const id of await claimedIds(connection)) inFlight.add(id)
        await victim.kill()
        servers[place] = startServerProcess(port, environment)
        await verifyArrived()
      }
      await Promise.all(servers.map(({ listening }) => listening))
      await intake.stop()

      const arrivedIds = () => new Set(receiver.received.map((each) => headerOf(each, "Notification-Id")))
      const missing = () => {
        const arrived = arrivedIds()
        return [...intake.accepted].filter((id) => !arrived.has(id))
      }
      // What is left when the rest has arrived are the claims of dead servers, whose leases time ends.
      await until(() => leftIsClaimed(connection))
      await setClockAhead(connection, 31_000)
      await until(async () => missing().length === 0 && (await unsettled(connection)) === 0)

      expect(missing()).toEqual([])
      expect([...arrivedIds()].filter((id) => !intake.accepted.has(id))).toEqual([])
      const counts = new Map<string, Array<string>>()
      for (const each of receiver.received) {
        const id = headerOf(each, "Notification-Id")
        counts.set(id, [...(counts.get(id) ?? []), headerOf(each, "Notification-Attempt")])
      }
      const twice = [...counts].filter(([, attempts]) => attempts.length > 1)
      for (const [id, attempts] of twice) {
        expect(inFlight, `${id} arrived ${attempts.length} times`).toContain(id)
        expect(new Set(attempts).size).toBe(attempts.length)
      }
      await verifyArrived()
      expect(intake.accepted.size).toBeGreaterThan(10 * kills)
      process.stdout.write(
        `${kills} kills: ${intake.accepted.size} accepted, all arrived; ${inFlight.size} under way at the kills, ${twice.length} arrived again\n`,
      )
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
      await receiver.close()
      rmSync(directory, { recursive: true, force: true })
    }
  },
  60_000 + kills * 10_000,
)

/** Whether nothing is left but claims that nobody renews: two looks, half a second apart, see the same. */
const leftIsClaimed = async (connection: PgConnection) => {
  const left = "SELECT id || ' ' || coalesce(sending::text, 'pending') AS id FROM delivery_queue ORDER BY id"
  const before = await run(connection, left)
  if (before.some(({ id }) => id.endsWith("pending"))) return false
  await wait(500)
  return JSON.stringify(before) === JSON.stringify(await run(connection, left))
}
