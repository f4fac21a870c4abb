import { SigningKeyCache } from "@tocsin/domain/adapter"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { publicKeysPath } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { run, until, urlOf } from "../crash/CrashDatabase.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { type Running, scratch, startTocsin, tocsin } from "../server/child-process.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { headerOf, type RecordingReceiver, startReceiver } from "./https-receiver.ts"
import { publicKeyOf, verifiesByHttpMessageSig } from "./independent-verifiers.ts"

const masterKey = Buffer.alloc(32, 4)
const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const organizations = ["acme", "globex", "initech", "umbrella"] as const
const findSloPerSecond = 20

let receiver: RecordingReceiver
let servers: ReadonlyArray<Running> = []
let urls: ReadonlyArray<string> = []
let environment: Record<string, string>

beforeAll(async () => {
  const certificates = await makeCertificates()
  const caFile = join(scratch, "ca.pem")
  writeFileSync(caFile, certificates.ca)
  receiver = await startReceiver(certificates)
  environment = {
    DATABASE_URL: urlOf(await newDatabase("empty")),
    TOCSIN_MASTER_KEY: masterKey.toString("base64"),
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify(
      organizations.map((organization) => ({ organization, clientId: "me", clientSecret, role: "editor" })),
    ),
    TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    TOCSIN_EGRESS_CA_FILE: caFile,
    TOCSIN_FIND_SLO_PER_SECOND: String(findSloPerSecond),
    TOCSIN_LOG_LEVEL: "warning",
  }
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  // All at once, on an empty database: one makes the schema, the keys and the credentials, the others find them.
  servers = ports.map((PORT) => startTocsin(["serve"], { ...environment, PORT }))
  urls = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(servers.map((server) => server.until(/listening on/)))
})

afterAll(async () => {
  for (const server of servers) server.kill("SIGTERM")
  for (const server of servers) expect((await server.ended).code).toBe(0)
  await receiver?.close()
})

/** The server whose turn it is. */
const urlOfTurn = (turn: number): string => urls[turn % urls.length] ?? ""

const askToken = (turn: number, organization: string) =>
  fetch(`${urlOfTurn(turn)}/api/accessToken`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`me:${clientSecret}`)}`, organization },
  })

const headersWith = (token: string, organization: string) => ({
  authorization: `Bearer ${token}`,
  organization,
  project: "default",
})

const login = async (organization: string) => {
  const answer = await askToken(0, organization)
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return headersWith(token, organization)
}

const apply = async (headers: Record<string, string>, yaml: string, turn = 0) => {
  const answer = await fetch(`${urlOfTurn(turn)}/api/apply`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/yaml" },
    body: yaml,
  })
  expect([answer.status, answer.ok ? "" : await answer.text()]).toEqual([200, ""])
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("three server processes on one database", () => {
  it("spec/rate-limits §1: issue one access token in 3 s together, which is valid on each of them", async () => {
    const askAll = async (): Promise<ReadonlyArray<Response>> => {
      // A run longer than the window is inconclusive; a busy machine gets another try.
      for (let go = 0; go < 8; go++) {
        const start = performance.now()
        const answers = await Promise.all(times(12).map((turn) => askToken(turn, "globex")))
        if (performance.now() - start < 3_000) return answers
        await wait(3_000)
      }
      throw new Error("12 requests took longer than 3 s, eight times")
    }
    const answers = await askAll()
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...times(11).map(() => 429)])
    const issued = answers.find(({ ok }) => ok)
    if (issued === undefined) throw new Error("no process issued a token")
    const { access_token: token } = (await issued.json()) as { access_token: string }
    for (const turn of times(3)) {
      const answer = await fetch(`${urlOfTurn(turn)}/api/v2/slos`, { headers: headersWith(token, "globex") })
      expect(answer.status).toBe(200)
    }
  })

  it("spec/rate-limits §1: response as many reads in a second as the limit says, however a client spreads them", async () => {
    const headers = await login("initech")
    await apply(headers, withSlo())
    const read = async (turn: number) =>
      (await fetch(`${urlOfTurn(turn)}/api/v2/slos/checkout`, { headers })).status
    // A run longer than the window is inconclusive; a busy machine gets another try.
    for (let go = 0; go < 30; go++) {
      await wait(1_000)
      const start = performance.now()
      const statuses = await Promise.all(times(2 * findSloPerSecond).map(read))
      const isWithin = performance.now() - start < 1_000
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(findSloPerSecond)
      if (!isWithin) continue
      expect(statuses.filter((status) => status === 200)).toHaveLength(findSloPerSecond)
      expect(statuses.filter((status) => status === 429)).toHaveLength(findSloPerSecond)
      return
    }
    throw new Error("the requests took longer than a second, thirty times")
  })

  it("spec/status-api §7: page through a list from one to the next, each SLO once, while others come and go", async () => {
    const headers = await login("umbrella")
    const slo = (name: string) => `
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: ${name}, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, displayName: Good, target: 0.99 }]
`
    const names = times(60).map((index) => `slo-${String(index).padStart(2, "0")}`)
    await apply(headers, withSlo(...names.map(slo)))
    const seen: Array<string> = []
    let path: string | undefined = "/api/v2/slos?limit=10"
    for (let turn = 0; path !== undefined; turn++) {
      const answer: Response = await fetch(`${urlOfTurn(turn)}${path}`, { headers })
      if (answer.status === 429) {
        await wait(1_000)
        continue
      }
      const page = (await answer.json()) as { data: Array<{ name: string }>; links: { next?: string } }
      seen.push(...page.data.map(({ name }) => name))
      path = page.links.next
      await apply(headers, slo(`new-${turn}`), turn + 1)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((name) => !name.startsWith("new-"))).toEqual(["checkout", ...names])
  })

  it("spec/delivery §7: send each delivery once, signed so that every one of them publishes the key, also around a rotation", async () => {
    const headers = await login("acme")
    const methods = times(6).map((index) => `m-${index}`)
    await apply(
      headers,
      withSlo(
        ...methods.map((name) => methodYaml(name, `${receiver.url}/hook`, "templateFields: [alert_id]")),
      ),
    )
    const accepted: Array<string> = []
    const notify = async (turn: number) => {
      const answer = await fetch(`${urlOfTurn(turn)}/api/alerts`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          alertId: randomUUID(),
          slo: { name: "checkout", project: "default" },
          alertMethods: methods.map((name) => ({ name, project: "default" })),
        }),
      })
      expect(answer.status).toBe(202)
      const { deliveries } = (await answer.json()) as { deliveries: ReadonlyArray<{ id: string }> }
      accepted.push(...deliveries.map(({ id }) => id))
    }
    const rotate = async (turn: number) => {
      const operator = await Effect.runPromise(issueOperatorToken(Redacted.make(new Uint8Array(masterKey))))
      const answer = await fetch(`${urlOfTurn(turn)}/api/operator/keys/rotate`, {
        method: "POST",
        headers: { authorization: `Bearer ${operator}` },
      })
      return ((await answer.json()) as { keyId: string }).keyId
    }
    await Promise.all(times(15).map(notify))
    const next = await Promise.all(times(3).map(rotate))
    const rotatedAt = performance.now()
    expect(new Set(next).size).toBe(1)
    await Promise.all(times(15).map(notify))

    const arrived = await receiver.until(30 * methods.length, "/hook")
    await wait(500)
    expect(receiver.received).toHaveLength(arrived.length)
    expect(arrived.map((each) => headerOf(each, "Notification-Id")).toSorted()).toEqual(accepted.toSorted())
    for (const url of urls) {
      const key = await publicKeyOf(url)
      for (const each of arrived) expect(await verifiesByHttpMessageSig(each, key)).toBe(true)
      const published = async () => (await fetch(`${url}${publicKeysPath}`)).text()
      await until(async () => (await published()).includes(next[0] ?? ""))
    }
    expect(performance.now() - rotatedAt).toBeLessThan(SigningKeyCache.signingKeyCacheMs + 10_000)
  })

  it("spec/access §4: stop a disabled credential and its tokens everywhere within 5 s", async () => {
    const operator = (turn: number) => ({
      TOCSIN_URL: urlOfTurn(turn),
      TOCSIN_MASTER_KEY: masterKey.toString("base64"),
      TOCSIN_ORGANIZATION: "hooli",
    })
    const made = JSON.parse((await tocsin(["credentials", "create", "--json"], operator(0))).stdout)
    const basic = `Basic ${btoa(`${made.clientId}:${made.clientSecret}`)}`
    const answer = await fetch(`${urlOfTurn(1)}/api/accessToken`, {
      method: "POST",
      headers: { authorization: basic, organization: "hooli" },
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const statuses = () =>
      Promise.all(
        urls.map(
          async (url) =>
            (await fetch(`${url}/api/v2/slos/none`, { headers: headersWith(token, "hooli") })).status,
        ),
      )
    expect(await statuses()).toEqual([404, 404, 404])
    expect((await tocsin(["credentials", "disable", made.clientId], operator(2))).code).toBe(0)
    const disabledAt = performance.now()
    // When the last requests began of which one was accepted: answers of a busy machine may come much later.
    let acceptedAt = disabledAt
    await until(async () => {
      const askedAt = performance.now()
      const answers = await statuses()
      if (answers.some((status) => status !== 401)) acceptedAt = askedAt
      return answers.every((status) => status === 401)
    })
    expect(acceptedAt - disabledAt).toBeLessThan(5_000)
  })

  it("start on what they know alone: not on a newer schema, nor on a database that is not there", async () => {
    const connection = await newDatabase("schema")
    await run(connection, "INSERT INTO schema_migrations (version) VALUES (1000)")
    const url = new URL(urlOf(connection))
    const serve = (DATABASE_URL: string) => tocsin(["serve"], { ...environment, DATABASE_URL, PORT: "0" })
    const newer = await serve(url.href)
    expect(newer).toMatchObject({ code: 1, stdout: "" })
    expect(newer.stderr).toMatch(
      /^tocsin: the database has schema version 1000, but this version of Tocsin supports up to \d+; /,
    )
    const absent = await serve(url.href.replace(/\/[^/]*$/, "/nowhere"))
    expect(absent).toMatchObject({ code: 1, stdout: "" })
    expect(absent.stderr).toMatch(/^tocsin: cannot use the database: database "nowhere" does not exist; /)
  })
})
