import { Migrations } from "@tocsin/adapters-pg"
import { makeApiClient } from "@tocsin/cli/client/ApiClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { headerOf, startReceiver } from "../e2e/https-receiver.ts"
import { publicKeyOf, verifiesByHttpMessageSig } from "../e2e/independent-verifiers.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { freePort } from "../FreePort.ts"
import { newDatabase, onOneServer } from "../pg/TestDatabase.ts"
import { scratch, startProgram } from "../server/child-process.ts"
import { sendUntilAccepted, startClients, startIntake } from "./AlertIntake.ts"
import { buildEarlier, buildWithMigrations, earlierCommit } from "./Builds.ts"
import { run, until, urlOf } from "./CrashDatabase.ts"

const organization = "acme"
const methods = ["m-0", "m-1", "m-2"]
const minuteMs = 60_000

/** Adds what only the next version uses, while it locks the busiest tables for a while. */
const expand = [
  "ALTER TABLE deliveries ADD COLUMN expanded text NOT NULL DEFAULT ''",
  "ALTER TABLE delivery_queue ADD COLUMN expanded text",
  "ALTER TABLE alerts ADD COLUMN expanded text NOT NULL DEFAULT ''",
  "ALTER TABLE count_hours ADD COLUMN expanded text",
  "CREATE INDEX alerts_expanded ON alerts (organization, expanded)",
  "SELECT pg_sleep(1)",
]

/** Removes what the version before it no longer uses. */
const contract = [
  "DROP INDEX alerts_expanded",
  "ALTER TABLE deliveries DROP COLUMN expanded",
  "ALTER TABLE delivery_queue DROP COLUMN expanded",
  "ALTER TABLE alerts DROP COLUMN expanded",
  "ALTER TABLE count_hours DROP COLUMN expanded",
  "SELECT pg_sleep(1)",
]

const earlier = earlierCommit()
const reason = "missing" in earlier ? ` (skipped: ${earlier.missing})` : ""

it.skipIf("missing" in earlier || onOneServer.skip)(
  `spec/operations §10: servers are replaced one by one, by versions that expand and contract the schema, and nothing is lost${reason}`,
  async () => {
    if ("missing" in earlier) return expect.unreachable()
    const programs = {
      earlier: buildEarlier(earlier.commit),
      expanding: buildWithMigrations([expand]),
      contracting: buildWithMigrations([expand, contract]),
    }
    const certificates = await makeCertificates()
    const caFile = join(scratch, "ca.pem")
    writeFileSync(caFile, certificates.ca)
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
      TOCSIN_EGRESS_CA_FILE: caFile,
      TOCSIN_QUOTA_ALERTS_PER_SECOND: "10000",
      TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: "60000",
      TOCSIN_LOG_LEVEL: "error",
    }
    const ports = [await freePort(), await freePort(), await freePort()] as const
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const running = new Set<ReturnType<typeof startProgram>>()
    const launch = (version: keyof typeof programs, port: string) => {
      const server = startProgram(programs[version], ["serve"], { ...environment, PORT: port })
      running.add(server)
      return server
    }
    const start = async (version: keyof typeof programs, port: string) => {
      const server = launch(version, port)
      await server.until(/listening on/)
      return server
    }
    const stop = async (server: ReturnType<typeof startProgram>) => {
      server.kill("SIGTERM")
      expect((await server.ended).code).toBe(0)
    }
    const schemaVersion = async () => {
      const rows = await run<{ version: number }>(
        connection,
        "SELECT max(version) AS version FROM schema_migrations",
      )
      return rows[0]?.version
    }
    try {
      const first = await start("earlier", ports[0])
      const second = await start("earlier", ports[1])
      const before = Number(await schemaVersion())
      const url = urls[0] ?? ""
      const client = await Effect.runPromise(
        makeApiClient({ url, organization, clientId: "intake", clientSecret: Redacted.make(clientSecret) }),
      )
      const body = withSlo(
        ...methods.map((name) => methodYaml(name, `${receiver.url}/hook`, "templateFields: [alert_id]")),
      )
      const headers = { "content-type": "application/yaml" }
      await Effect.runPromise(client.call({ method: "PUT", path: "/api/apply", headers, body }))
      const token = await Effect.runPromise(client.accessToken)
      const publicKey = await publicKeyOf(url)
      const api = { urls, headers: { authorization: `Bearer ${token}`, organization } }

      const intake = startIntake({ ...api, methods, clients: 4 })
      const until5MinutesAgo = Math.floor(Date.now() / minuteMs) * minuteMs - 5 * minuteMs
      let counted = 0
      const counting = startClients(2, 50, async (n) => {
        const at = new Date(until5MinutesAgo - n * minuteMs).toISOString()
        const good = 90 + (n % 10)
        const body = JSON.stringify([
          { project: "default", slo: "checkout", objective: "good", at, good, total: 100 },
        ])
        const headers = { "content-type": "application/json" }
        await sendUntilAccepted(api, n, { method: "POST", path: "/api/counts", headers, body })
        counted += good
      })
      /** Waits until this many more alerts are accepted, and as many notifications arrived. */
      const whileBusy = async (more: number) => {
        const goal = intake.accepted.size + more
        const arrived = receiver.received.length + more
        await until(() =>
          Promise.resolve(intake.accepted.size >= goal && receiver.received.length >= arrived),
        )
      }

      await whileBusy(20)
      // Expand: a third server migrates while the earlier ones work.
      const third = await start("expanding", ports[2])
      expect(await schemaVersion()).toBe(Migrations.migrations.length + 1)
      await whileBusy(40)
      await stop(first)
      const refused = await launch("earlier", ports[0]).ended
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(`supports up to ${before}; upgrade Tocsin`)
      const fourth = await start("expanding", ports[0])
      await stop(second)
      await whileBusy(20)
      // Contract: no server uses what is removed.
      const fifth = await start("contracting", ports[1])
      expect(await schemaVersion()).toBe(Migrations.migrations.length + 2)
      await whileBusy(40)
      await Promise.all([stop(third), stop(fourth)])
      await whileBusy(20)
      await Promise.all([intake.stop(), counting.stop()])

      const arrived = () => new Set(receiver.received.map((each) => headerOf(each, "Notification-Id")))
      await until(() => Promise.resolve(arrived().size >= intake.accepted.size))
      expect([...arrived()].toSorted()).toEqual([...intake.accepted].toSorted())
      // However long all of this has taken.
      for (const each of receiver.received)
        expect(await verifiesByHttpMessageSig(each, publicKey, 86_400)).toBe(true)
      const to = until5MinutesAgo + minuteMs
      const range = `from=${new Date(to - 7 * 24 * 60 * minuteMs).toISOString()}&to=${new Date(to).toISOString()}`
      const counts = await sendUntilAccepted({ ...api, urls: [urls[1] ?? ""] }, 0, {
        method: "GET",
        path: `/api/v2/slos/checkout?fields=counts&${range}`,
        headers: { project: "default" },
      })
      expect(counts).toContain(`"good":${counted}`)
      await stop(fifth)
    } finally {
      for (const server of running) server.kill("SIGKILL")
      await receiver.close()
    }
  },
)
