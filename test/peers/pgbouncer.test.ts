import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { run, unsettled, until } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { type RecordingReceiver, startReceiver } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, scratch, startTocsin } from "../server/child-process.ts"
import { editorOf, environmentOf } from "../server/organizations.ts"
import { type PgBouncer, startPgBouncer } from "./PgBouncer.ts"

const organizations = ["acme", "globex", "initech", "umbrella"]
const sessions = 3

let pgBouncer: PgBouncer
let receiver: RecordingReceiver
let servers: ReadonlyArray<Running> = []
let urls: ReadonlyArray<string> = []
const database = await newDatabase("empty")

beforeAll(async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "ca.pem")
  writeFileSync(caFile, certificates.ca)
  receiver = await startReceiver(certificates)
  if ("url" in database)
    throw new Error("this test brings a database of its own; unset TOCSIN_TEST_DATABASE_URL")
  pgBouncer = await startPgBouncer(database, Number(await freePort()), sessions)
  const environment = environmentOf(organizations, {
    DATABASE_URL: pgBouncer.url,
    TOCSIN_EGRESS_CA_FILE: caFile,
  })
  const ports = await Promise.all([freePort(), freePort()])
  servers = ports.map((PORT) => startTocsin(["serve"], { ...environment, PORT }))
  urls = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(servers.map((server) => server.until(/listening on/)))
})

afterAll(async () => {
  for (const server of servers) server.kill("SIGTERM")
  for (const server of servers) expect((await server.ended).code).toBe(0)
  await receiver?.close()
  await pgBouncer?.close()
})

interface SloRecord {
  readonly objectives: ReadonlyArray<{ readonly reliability?: number }>
}

describe("two servers behind PgBouncer in transaction mode", () => {
  it("do everything, on as many sessions as it lends", async () => {
    await Promise.all(
      organizations.map(async (organization) => {
        const { call } = await editorOf(urls, organization)
        const method = methodYaml("hook", `${receiver.url}/${organization}`, "templateFields: [alert_id]")
        await call("PUT", "/api/apply", withSlo(method), "application/yaml")
        const start = Math.floor(Date.now() / 60_000) * 60_000 - 30 * 60_000
        await Promise.all(
          Array.from({ length: 30 }, (_, minute) =>
            call(
              "POST",
              "/api/slos/checkout/counts",
              JSON.stringify([
                {
                  objective: "good",
                  at: new Date(start + minute * 60_000).toISOString(),
                  good: 9,
                  total: 10,
                },
              ]),
            ),
          ),
        )
        await Promise.all(
          Array.from({ length: 25 }, (_, index) =>
            call(
              "POST",
              "/api/alerts",
              JSON.stringify({
                status: "triggered",
                alertId: `${organization}-${index}`,
                slo: { name: "checkout", project: "default" },
                alertMethods: [{ name: "hook", project: "default" }],
              }),
            ),
          ),
        )
        await receiver.until(25, `/${organization}`)
        await until(async () => {
          const slo = (await call("GET", "/api/v2/slos/checkout")) as SloRecord
          return slo.objectives[0]?.reliability === 0.9
        }, 10_000)
      }),
    )
    await until(async () => (await unsettled(database)) === 0)
    const [used] = await run<{ count: number }>(
      database,
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    expect(used?.count).toBeLessThanOrEqual(sessions)
  }, 60_000)
})
