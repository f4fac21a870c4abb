import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { expect, inject, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { run, until, urlOf } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { startReceiver } from "../e2e/https-receiver.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { scratch, startTocsin } from "../server/child-process.ts"
import { type Editor, editorOf, environmentOf } from "../server/organizations.ts"
import { newDatabase } from "./TestDatabase.ts"

/** A program that is called with `kill <port>` and `start <port>` of a worker node of the cluster. */
const workerCommand = process.env["TOCSIN_TEST_WORKER"]
const canRun = workerCommand !== undefined && inject("postgres").workers.length > 1

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
    const environment = environmentOf(organizations, {
      PORT: port,
      DATABASE_URL: urlOf(database),
      TOCSIN_EGRESS_CA_FILE: caFile,
    })
    const server = startTocsin(["serve"], environment)
    await server.until(/listening on/)
    const url = `http://127.0.0.1:${port}`
    const editors = new Map<string, Editor>()
    const enter = async (organization: string) => {
      const editor = await editorOf([url], organization)
      editors.set(organization, editor)
      const method = methodYaml("hook", `${receiver.url}/${organization}`, "templateFields: [alert_id]")
      await editor.call("PUT", "/api/apply", withSlo(method), "application/yaml")
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
      const response = await editors
        .get(organization)
        ?.request("POST", "/api/alerts", body)
        .catch(() => undefined)
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
