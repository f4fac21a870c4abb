import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, inject, it } from "vitest"
import { run, until, urlOf } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { startReceiver } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { freePort, scratch, startTocsin } from "../server/child-process.ts"
import { newDatabase } from "./TestDatabase.ts"

/** A program that is called with `kill <port>` and `start <port>` of a worker node of the cluster. */
const workerCommand = process.env["TOCSIN_TEST_WORKER"]
const canRun = workerCommand !== undefined && inject("postgres").workers.length > 1

const clientSecret = "0123456789abcdef0123456789abcdef0123456789abcdef"
const organizations = Array.from({ length: 8 }, (_, n) => `org-${n}`)

it.skipIf(!canRun)(
  "a worker node that is killed holds up its organizations only, and loses nothing",
  { timeout: 170_000 },
  async () => {
    const database = await newDatabase("schema")
    const certificates = await makeCertificates()
    const caFile = join(scratch, "ca.pem")
    writeFileSync(caFile, certificates.ca)
    const receiver = await startReceiver(certificates)
    const port = await freePort()
    const server = startTocsin(["serve"], {
      PORT: port,
      DATABASE_URL: urlOf(database),
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 4).toString("base64"),
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify(
        organizations.map((organization) => ({ organization, clientId: "me", clientSecret, role: "editor" })),
      ),
      TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
      TOCSIN_EGRESS_CA_FILE: caFile,
      TOCSIN_LOG_LEVEL: "warning",
    })
    await server.until(/listening on/)
    const url = `http://127.0.0.1:${port}`
    const tokens = new Map<string, string>()
    const call = (organization: string, method: string, path: string, type: string, body: string) =>
      fetch(`${url}${path}`, {
        method,
        body,
        signal: AbortSignal.timeout(15_000),
        headers: {
          authorization: `Bearer ${tokens.get(organization)}`,
          organization,
          project: "default",
          "content-type": type,
        },
      })
    const enter = async (organization: string) => {
      const authorization = `Basic ${btoa(`me:${clientSecret}`)}`
      const response = await fetch(`${url}/api/accessToken`, {
        method: "POST",
        headers: { authorization, organization },
      })
      const { access_token: token } = (await response.json()) as { readonly access_token: string }
      tokens.set(organization, token)
      const method = methodYaml("hook", `${receiver.url}/${organization}`, "templateFields: [alert_id]")
      const applied = await call(organization, "PUT", "/api/apply", "application/yaml", withSlo(method))
      expect(applied.status, await applied.text()).toBeLessThan(300)
      const [row] = await run<{ readonly port: number }>(
        database,
        `SELECT nodeport AS port FROM pg_dist_shard_placement
         WHERE shardid = get_shard_id_for_distribution_column('organizations', '${organization}')`,
      )
      return [organization, row?.port ?? 0] as const
    }
    const portOf = new Map<string, number>()
    for (const organization of organizations) portOf.set(...(await enter(organization)))

    const [killedPort = 0] = portOf.values()
    const held = organizations.filter((organization) => portOf.get(organization) === killedPort)
    const others = organizations.filter((organization) => portOf.get(organization) !== killedPort)
    expect(others.length).toBeGreaterThan(0)

    const accepted = new Set<string>()
    let count = 0
    const alert = async (organization: string): Promise<boolean> => {
      const alertId = `${organization}-${count++}`
      const slo = { name: "checkout", project: "default" }
      const alertMethods = [{ name: "hook", project: "default" }]
      const body = JSON.stringify({ status: "triggered", alertId, slo, alertMethods })
      const response = await call(organization, "POST", "/api/alerts", "application/json", body).catch(
        () => undefined,
      )
      if (response?.status !== 202) return false
      accepted.add(alertId)
      return true
    }
    const arrived = () =>
      new Set(receiver.received.map(({ body }) => JSON.parse(body.toString()).alert_id as string))
    const missing = () => {
      const there = arrived()
      return [...accepted].filter((id) => !there.has(id))
    }
    const isOfOthers = (id: string) => others.some((organization) => id.startsWith(`${organization}-`))
    const untilArrived = (of: (id: string) => boolean) =>
      until(async () => missing().filter(of).length === 0, 60_000)

    try {
      for (let n = 0; n < 5; n++)
        expect(await Promise.all(organizations.map(alert))).toEqual(organizations.map(() => true))
      await untilArrived(() => true)

      // Accepted just before the kill, and in part not delivered yet.
      const late = Array.from({ length: 5 }, () => held.map(alert)).flat()
      execFileSync(workerCommand ?? "", ["kill", String(killedPort)])
      await Promise.all(late)
      for (let n = 0; n < 20; n++) {
        expect(await Promise.all(others.map(alert))).toEqual(others.map(() => true))
        await wait(200)
      }
      await untilArrived(isOfOthers)

      execFileSync(workerCommand ?? "", ["start", String(killedPort)])
      await until(async () => (await Promise.all(held.map(alert))).every((isAccepted) => isAccepted), 60_000)
      await untilArrived(() => true)
      expect(missing()).toEqual([])
      expect(accepted.size).toBeGreaterThan(5 * organizations.length + 20 * others.length)
    } finally {
      server.kill("SIGTERM")
      await server.ended
      await receiver.close()
    }
    process.stdout.write(
      `${accepted.size} alerts accepted, ${receiver.received.length} notifications arrived; ` +
        `${held.length} organizations on the killed node, ${others.length} on others\n`,
    )
  },
)
