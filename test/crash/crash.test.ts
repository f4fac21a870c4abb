import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { makeApiClient } from "@tocsin/cli/client/ApiClient"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { headerOf, startReceiver } from "../e2e/https-receiver.ts"
import { publicKeyOf, verifiesByHttpMessageSig } from "../e2e/independent-verifiers.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { dataDirectory, scratch } from "../server/child-process.ts"
import { sendUntilAccepted, startClients, startIntake } from "./AlertIntake.ts"
import { until, urlOf } from "./CrashDatabase.ts"
import { startServerProcess } from "./ServerProcess.ts"

const isLong = process.env["TEST_MODE"] === "crash"

/** How often a server is killed, and how often the database: a few times as a test among others. */
const serverKills = Number(process.env["CRASH_KILLS"] ?? (isLong ? 50 : 3))
const databaseKills = Number(process.env["CRASH_DATABASE_KILLS"] ?? (isLong ? 20 : 1))

const organization = "acme"
const methods = Array.from({ length: 20 }, (_, index) => `m-${index}`)
const minuteMs = 60_000

it(
  `spec/delivery §7: ${serverKills} servers and ${databaseKills} databases are killed under load: all that was accepted is there, and each alert arrives`,
  async () => {
    const startedAt = performance.now()
    const certificates = await makeCertificates()
    const caFile = join(scratch, "ca.pem")
    writeFileSync(caFile, certificates.ca)
    const receiver = await startReceiver(certificates)
    const database = await startDatabase()
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
    const servers = ports.map((port) => startServerProcess(port, environment))
    try {
      await Promise.all(servers.map(({ listening }) => listening))
      const urls = servers.map((server) => server.url)
      const [url = ""] = urls
      const config = { url, organization, clientId: "intake", clientSecret: Redacted.make(clientSecret) }
      const client = await Effect.runPromise(makeApiClient(config))
      const yaml = { "content-type": "application/yaml" }
      const definitions = withSlo(
        ...methods.map((name) => methodYaml(name, `${receiver.url}/hook`, "templateFields: [alert_id]")),
      )
      await Effect.runPromise(
        client.call({ method: "PUT", path: "/api/apply", headers: yaml, body: definitions }),
      )
      const token = await Effect.runPromise(client.accessToken)
      const publicKey = await publicKeyOf(url)
      const api = { urls, headers: { authorization: `Bearer ${token}`, organization } }

      const intake = startIntake({ ...api, methods, clients: 8 })
      const until5MinutesAgo = Math.floor(Date.now() / minuteMs) * minuteMs - 5 * minuteMs
      let counted = 0
      const counting = startClients(2, 150, async (n) => {
        const at = new Date(until5MinutesAgo - n * minuteMs).toISOString()
        const body = JSON.stringify([
          { project: "default", slo: "checkout", objective: "good", at, good: 90 + (n % 10), total: 100 },
        ])
        const headers = { "content-type": "application/json" }
        await sendUntilAccepted(api, n, { method: "POST", path: "/api/counts", headers, body })
        counted += 90 + (n % 10)
      })
      const applied: Array<string> = []
      const applying = startClients(1, 500, async (n) => {
        const names = [`s-${n}-a`, `s-${n}-b`]
        const body = names.map(serviceYaml).join("---\n")
        await sendUntilAccepted(api, n, { method: "PUT", path: "/api/apply", headers: yaml, body })
        applied.push(...names)
      })

      let verified = 0
      const verifyArrived = async () => {
        for (; verified < receiver.received.length; verified++) {
          const received = receiver.received[verified]
          expect(received && (await verifiesByHttpMessageSig(received, publicKey))).toBe(true)
        }
      }

      const kills = serverKills + databaseKills
      let killedServers = 0
      let killedDatabases = 0
      for (let count = 0; count < kills; count++) {
        await wait(Math.random() * 1_500)
        // The kills of the database are spread over those of the servers.
        if (Math.floor(((count + 1) * databaseKills) / kills) > killedDatabases) {
          await database.kill()
          killedDatabases++
          continue
        }
        const place = Math.floor(Math.random() * servers.length)
        const victim = servers[place]
        const port = ports[place]
        if (victim === undefined || port === undefined) throw new Error("no server")
        // Every fifth is killed while it may still be starting.
        if (count % 5 !== 4) await victim.listening
        await victim.kill()
        servers[place] = startServerProcess(port, environment)
        killedServers++
        await verifyArrived()
      }
      expect([killedServers, killedDatabases]).toEqual([serverKills, databaseKills])
      await Promise.all(servers.map(({ listening }) => listening))
      await Promise.all([intake.stop(), counting.stop(), applying.stop()])

      // The deliveries that dead servers have claimed are sent again when their leases expire, after 30 s.
      const arrivedIds = () => new Set(receiver.received.map((each) => headerOf(each, "Notification-Id")))
      const missing = () => {
        const arrived = arrivedIds()
        return [...intake.accepted].filter((id) => !arrived.has(id))
      }
      await until(() => Promise.resolve(missing().length === 0), 120_000).catch(() => undefined)
      expect(missing()).toEqual([])
      expect([...arrivedIds()].filter((id) => !intake.accepted.has(id))).toEqual([])
      await verifyArrived()
      const attempts = new Map<string, Array<string>>()
      for (const each of receiver.received) {
        const id = headerOf(each, "Notification-Id")
        attempts.set(id, [...(attempts.get(id) ?? []), headerOf(each, "Notification-Attempt")])
      }
      for (const [id, numbers] of attempts) expect(new Set(numbers).size, id).toBe(numbers.length)
      const again = [...attempts.values()].filter((numbers) => numbers.length > 1).length
      // Only a few are in flight at a kill: at most what the clients send in half a second.
      expect(again).toBeLessThan(intake.accepted.size / 4)

      const get = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
        sendUntilAccepted(api, 0, { method: "GET", path, headers })
      const to = until5MinutesAgo + minuteMs
      const range = `from=${new Date(to - 7 * 24 * 60 * minuteMs).toISOString()}&to=${new Date(to).toISOString()}`
      const readCounts = async () => {
        const text = await get(`/api/v2/slos/checkout?fields=counts&${range}`, {
          project: "default",
        })
        return JSON.parse(text) as unknown
      }
      expect(JSON.stringify(await readCounts())).toContain(`"good":${counted}`)

      const stored = JSON.parse(await get("/api/get/services", { project: "default" })) as ReadonlyArray<{
        readonly metadata: { readonly name: string }
      }>
      expect(stored.map(({ metadata }) => metadata.name).toSorted()).toEqual(["web", ...applied].toSorted())

      expect(intake.accepted.size).toBeGreaterThan(5 * kills)
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      process.stdout.write(
        `${serverKills} kills of servers and ${databaseKills} of PostgreSQL in ${seconds} s: ${intake.accepted.size} alerts accepted, all arrived, ${again} of them again; ${counted} good events and ${applied.length} definitions stored\n`,
      )
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
      await database.stop()
      await receiver.close()
    }
  },
  isLong ? 590_000 : 180_000,
)

const serviceYaml = (name: string): string => `
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: ${name}, project: default }
spec: {}
`

/** A durable PostgreSQL that is started again when it is killed. */
const startDatabase = async () => {
  const directory = dataDirectory()
  const scope = Scope.makeUnsafe()
  const connection: PgConnection = await runEmbeddedPostgres({ dataDirectory: directory }).pipe(
    Scope.provide(scope),
    Effect.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Effect.runPromise,
  )
  const stateOf = (): ReadonlyArray<string> => {
    try {
      return readFileSync(join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")
    } catch {
      return []
    }
  }
  return {
    connection,
    /** Kills its first process, with which all others end, and waits until another one accepts connections. */
    kill: async () => {
      const [pid = ""] = stateOf()
      process.kill(Number(pid), "SIGKILL")
      await until(() => Promise.resolve(stateOf()[0] !== pid && stateOf()[7]?.startsWith("ready") === true))
    },
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
