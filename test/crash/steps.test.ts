import type { PgConnection } from "@tocsin/adapters-pg/admin"
import { endpointInFlightMax } from "@tocsin/domain/adapter"
import { publicKeysPath } from "@tocsin/domain/limits"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { makeApiClient } from "@tocsin/cli/client/ApiClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { createServer } from "node:https"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { listen, type Receiver } from "../egress/receiver.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { claimedIds, run, setClockAhead, unsettled, until, urlOf, whileOpen } from "./CrashDatabase.ts"
import { type ServerProcess, startServerProcess } from "./ServerProcess.ts"

/** Deliveries that a bulk resend moves in one step. */
const bulkResendBatchMax = 500

const organization = "acme"
const masterKey = randomBytes(32)
const clientSecret = randomBytes(32).toString("base64url")

const directory = mkdtempSync(join(tmpdir(), "tocsin-crash-"))

/** A receiver that waits at the steps given. */
const gate: { holds: "handshake" | "answer" | undefined; held: number; readonly waiting: Array<() => void> } =
  {
    holds: undefined,
    held: 0,
    waiting: [],
  }
const pass = (place: "handshake" | "answer", go: () => void): void => {
  if (gate.holds !== place) return go()
  gate.held++
  gate.waiting.push(go)
}
const open = (): void => {
  gate.holds = undefined
  gate.held = 0
  for (const go of gate.waiting.splice(0)) go()
}

/** The ID and the number of each attempt that arrived. */
const arrived: Array<readonly [id: string, attempt: string]> = []

let receiver: Receiver
let connection: PgConnection
let environment: Readonly<Record<string, string>>
let port: string
let server: ServerProcess
let clockAheadMs = 0

const environmentOf = (database: PgConnection) => ({
  DATABASE_URL: urlOf(database),
  TOCSIN_MASTER_KEY: masterKey.toString("base64"),
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
    { organization, clientId: "me", clientSecret, role: "editor" },
  ]),
  TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
  TOCSIN_EGRESS_CA_FILE: join(directory, "ca.pem"),
  TOCSIN_QUOTA_ALERTS_PER_SECOND: "10000",
  TOCSIN_QUOTA_DELIVERIES_PER_MINUTE: "60000",
  TOCSIN_LOG_LEVEL: "warning",
})

beforeAll(async () => {
  const certificates = await makeCertificates()
  writeFileSync(join(directory, "ca.pem"), certificates.ca)
  receiver = await listen(
    createServer(
      {
        cert: certificates.cert,
        key: certificates.key,
        SNICallback: (_, go) => pass("handshake", () => go(null)),
      },
      (request, response) => {
        request.resume().on("end", () => {
          arrived.push([
            String(request.headers["notification-id"]),
            String(request.headers["notification-attempt"]),
          ])
          pass("answer", () => response.writeHead(204).end())
        })
      },
    ),
  )
  connection = await newDatabase("empty")
  port = await freePort()
  environment = environmentOf(connection)
  server = startServerProcess(port, environment)
  await server.listening
  const definitions = withSlo(
    methodYaml(
      "hook",
      `https://localhost:${receiver.port}/hook`,
      "templateFields: [alert_id, notification_id]",
    ),
  )
  await call("PUT", "/api/apply", definitions, "application/yaml")
})

afterAll(async () => {
  open()
  await server?.kill()
  await receiver?.close()
  rmSync(directory, { recursive: true, force: true })
})

const call = (
  method: "POST" | "PUT",
  path: string,
  body: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  Effect.runPromise(
    Effect.flatMap(
      makeApiClient({
        url: server.url,
        organization,
        clientId: "me",
        clientSecret: Redacted.make(clientSecret),
      }),
      (client) => client.call({ method, path, headers: { ...headers, "content-type": type }, body }),
    ),
  )

/** Sends an alert; gives the ID of its one delivery, which is accepted then. */
const notify = async (): Promise<string> => {
  const answer = await call(
    "POST",
    "/api/alerts",
    JSON.stringify({
      status: "triggered",
      slo: { name: "checkout", project: "default" },
      objective: "good",
      alertId: randomBytes(8).toString("hex"),
      alertMethods: [{ name: "hook", project: "default" }],
    }),
    "application/json",
  )
  const { deliveries } = JSON.parse(answer) as { deliveries: ReadonlyArray<{ id: string }> }
  return deliveries[0]?.id ?? ""
}

/** Defines an SLO whose alert policy fires as soon as a minute is bad. */
const defineBurning = (name: string) =>
  call(
    "PUT",
    "/api/apply",
    `
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: burns, project: default }
spec:
  severity: High
  conditions: [{ measurement: averageBurnRate, value: 1, alertingWindow: 5m }]
  alertMethods: [{ metadata: { name: hook } }]
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: ${name}, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 1, isRolling: true }]
  objectives: [{ name: good, target: 0.9 }]
  alertPolicies: [burns]
`,
    "application/yaml",
  )

/** Sends counts of a bad minute; the process that accepts them evaluates the policy, and may be killed meanwhile. */
const burn = (name: string): void => {
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  const body = JSON.stringify([{ objective: "good", at: minute, good: 0, total: 10 }])
  call("POST", `/api/slos/${name}/counts`, body, "application/json", { project: "default" }).catch(
    () => undefined,
  )
}

/** The states of the alerts of an SLO, and the deliveries that they had, wherever those are. */
const alertsOf = async (name: string) => ({
  alerts: (await run(connection, `SELECT status AS id FROM alerts WHERE slo = '${name}'`)).map(
    ({ id }) => id,
  ),
  deliveries: (
    await run(
      connection,
      `SELECT d.id FROM deliveries d JOIN notifications n ON n.organization = d.organization AND n.id = d.notification
       WHERE content LIKE '%"name":"${name}"%'`,
    )
  ).map(({ id }) => id),
})

const restart = async (): Promise<void> => {
  server = startServerProcess(port, environment)
  await server.listening
}

/** Starts the next server when the leases of the dead one have run out, so that none that lives runs out by this. */
const restartLater = async (): Promise<void> => {
  clockAheadMs += 31_000
  await setClockAhead(connection, clockAheadMs)
  await restart()
}

/** Starts the next server later, and waits until nothing is left to send. */
const finish = async (): Promise<void> => {
  await restartLater()
  await until(async () => (await unsettled(connection)) === 0)
}

const attemptsOf = (id: string) => arrived.filter(([each]) => each === id).map(([, attempt]) => attempt)

/** Whether a statement that names this waits for a lock. */
const waitsFor = (database: PgConnection, text: string) => async () =>
  (
    await run(
      database,
      `SELECT pid::text AS id FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE '%${text}%'`,
    )
  ).length > 0

/** Ends the sessions whose statement waits for a lock and contains the text. */
const endWaiting = (database: PgConnection, text: string) =>
  run(
    database,
    `SELECT pg_terminate_backend(pid, 10000)::text AS id FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock' AND query LIKE '%${text}%' AND pid <> pg_backend_pid()`,
  )

/** The states of the bulk resends, and how much each has resent. */
const bulkResend = () => run(connection, "SELECT state || ' ' || resent AS id FROM bulk_resends")

const keyIds = async (): Promise<ReadonlyArray<string>> => {
  const answer = (await (await fetch(`${server.url}${publicKeysPath}`)).json()) as {
    readonly keys: ReadonlyArray<{ readonly keyId: string }>
  }
  return answer.keys.map(({ keyId }) => keyId)
}

const rotate = async (): Promise<Response> =>
  fetch(`${server.url}/api/operator/keys/rotate`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await Effect.runPromise(issueOperatorToken(Redacted.make(masterKey)))}`,
    },
  })

describe("a server that is killed", () => {
  it("spec/delivery §7: after the claim, before anything is sent: the notification arrives once", async () => {
    gate.holds = "handshake"
    const id = await notify()
    await until(async () => gate.held > 0 && (await claimedIds(connection)).includes(id))
    await server.kill()
    open()
    await finish()
    expect(attemptsOf(id)).toEqual(["2"])
  })

  it("spec/delivery §7: after sending, before the response: the notification arrives twice, under one ID", async () => {
    gate.holds = "answer"
    const id = await notify()
    await until(async () => gate.held > 0)
    expect(await claimedIds(connection)).toEqual([id])
    await server.kill()
    open()
    await finish()
    expect(attemptsOf(id)).toEqual(["1", "2"])
  })

  it("spec/delivery §7: after the response, before it is settled: the notification arrives twice, under one ID", async () => {
    const id = await whileOpen(connection, "LOCK TABLE delivery_attempts IN EXCLUSIVE MODE", async () => {
      const id = await notify()
      await until(waitsFor(connection, "INSERT INTO delivery_attempts"))
      await server.kill()
      // PostgreSQL would execute the statement that it has received.
      await endWaiting(connection, "INSERT INTO delivery_attempts")
      return id
    })
    expect(attemptsOf(id)).toEqual(["1"])
    await finish()
    expect(attemptsOf(id)).toEqual(["1", "2"])
    expect(
      await run(connection, `SELECT number::text AS id FROM delivery_attempts WHERE id = '${id}'`),
    ).toEqual([{ id: "2" }])
  })

  it("spec/resends §3: within a step of a bulk resend, and between two: what was not delivered arrives, as in flight at most twice", async () => {
    const id = await notify()
    await until(async () => (await unsettled(connection)) === 0)
    await run(
      connection,
      `WITH logged AS (
         INSERT INTO delivery_attempts (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
         SELECT organization, 'failed-' || n, created_at - n, number, attempt, attempts_used, 'failed', settled_at
         FROM delivery_attempts, generate_series(1, 510) AS n WHERE id = '${id}'
       ), noted AS (
         INSERT INTO notifications (organization, id, created_at, content)
         SELECT organization, 'failed-' || n, created_at - n, content
         FROM notifications, generate_series(1, 510) AS n WHERE id = '${id}'
       )
       INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
       SELECT organization, 'failed-' || n, created_at - n, project, name, 'failed-' || n, event, alert_id
       FROM deliveries, generate_series(1, 510) AS n WHERE id = '${id}'`,
    )
    await whileOpen(connection, "LOCK TABLE delivery_queue IN SHARE MODE", async () => {
      await call("POST", "/api/deliveries/resend", "{}", "application/json")
      await until(waitsFor(connection, "INSERT INTO delivery_queue"))
      await server.kill()
    })
    expect(await bulkResend()).toEqual([{ id: "running 0" }])
    gate.holds = "answer"
    await restart()
    await until(async () => gate.held === endpointInFlightMax)
    expect(await bulkResend()).toEqual([{ id: `running ${bulkResendBatchMax}` }])
    await server.kill()
    open()
    await restartLater()
    await until(async () => (await bulkResend())[0]?.id === "done 510")
    await until(async () => (await unsettled(connection)) === 0)
    const times = Array.from({ length: 510 }, (_, index) => attemptsOf(`failed-${index + 1}`))
    expect(times.filter(({ length }) => length === 1)).toHaveLength(510 - endpointInFlightMax)
    expect(times.filter((attempts) => attempts.join() === "2,3")).toHaveLength(endpointInFlightMax)
    expect(attemptsOf(id)).toEqual(["1"])
  })

  it("spec/alerting §3: within the change of an alert by its policy: it notifies once", async () => {
    await defineBurning("burns-within")
    await whileOpen(connection, "LOCK TABLE deliveries IN EXCLUSIVE MODE", async () => {
      burn("burns-within")
      await until(waitsFor(connection, "INSERT INTO deliveries"))
      await server.kill()
    })
    expect(await alertsOf("burns-within")).toEqual({ alerts: [], deliveries: [] })
    await restart()
    await until(async () => (await alertsOf("burns-within")).deliveries.length > 0)
    await until(async () => (await unsettled(connection)) === 0)
    const { alerts, deliveries } = await alertsOf("burns-within")
    expect([alerts, deliveries.length, attemptsOf(deliveries[0] ?? "")]).toEqual([["triggered"], 1, ["1"]])
  })

  it("spec/alerting §3: after the change of an alert by its policy, before the status is written: it notifies once", async () => {
    await defineBurning("burns-after")
    const sleeps = "SELECT pid::text AS id FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    await run(
      connection,
      `CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.name = 'burns-after' THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END $$`,
    )
    await run(
      connection,
      "CREATE TRIGGER sleep BEFORE UPDATE OF statuses ON slos FOR EACH ROW EXECUTE FUNCTION sleep()",
    )
    burn("burns-after")
    await until(async () => (await alertsOf("burns-after")).deliveries.length > 0)
    await until(async () => (await run(connection, sleeps)).length > 0)
    await server.kill()
    await run(connection, `SELECT pg_terminate_backend(id::integer)::text AS id FROM (${sleeps}) s`)
    await run(connection, "DROP FUNCTION sleep CASCADE")
    await restartLater()
    const status = `SELECT statuses AS id FROM slos WHERE name = 'burns-after' AND statuses LIKE '%burnRate%'`
    await until(async () => (await run(connection, status)).length > 0)
    await until(async () => (await unsettled(connection)) === 0)
    const { alerts, deliveries } = await alertsOf("burns-after")
    expect([alerts, deliveries.length]).toEqual([["triggered"], 1])
    expect(attemptsOf(deliveries[0] ?? "").length).toBeGreaterThan(0)
  })

  it("spec/signatures §7: during a rotation: the keys are as before or as after, and the rotation can be made", async () => {
    const before = await keyIds()
    await whileOpen(connection, "LOCK TABLE signing_keys IN EXCLUSIVE MODE", async () => {
      const rotating = rotate().catch(() => undefined)
      await until(waitsFor(connection, "LOCK TABLE signing_keys"))
      await server.kill()
      expect(await rotating).toBeUndefined()
    })
    await restart()
    const after = await keyIds()
    expect(after.slice(0, 1)).toEqual(before)
    expect(after.length).toBeLessThanOrEqual(2)
    expect((await rotate()).status).toBe(200)
    const rotated = await keyIds()
    expect(rotated.length).toBe(2)
    // And once the next key is published: it is the one that signs later, whatever becomes of the process.
    await server.kill()
    await restart()
    expect(await keyIds()).toEqual(rotated)
    const id = await notify()
    await until(async () => attemptsOf(id).length > 0)
  })

  it("during a migration: the next server finds the database whole and finishes the schema", async () => {
    const fresh = await newDatabase("empty")
    const migrating = startServerProcess(await freePort(), environmentOf(fresh))
    // Somebody else is about to make the table that a step makes last: the step waits for it in its middle.
    await whileOpen(fresh, "CREATE TABLE queue_pauses (paused_at bigint)", async () => {
      await until(waitsFor(fresh, ""))
      await migrating.kill()
    })
    const next = startServerProcess(await freePort(), environmentOf(fresh))
    await next.listening
    const tables = `SELECT relname || ' ' || attname AS id FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0
      ORDER BY 1`
    expect(await run(fresh, tables)).toEqual(await run(connection, tables))
    await next.kill()
  })
})
