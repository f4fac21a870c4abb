import { isAlive } from "../src/postgres/DataDirectoryLock.ts"
import { existsSync, readFileSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { describe, it, vi } from "vitest"
import { withSlo } from "../../../test/e2e/definitions.ts"
import { dataDirectory, startTocsin, type Running } from "../../../test/server/child-process.ts"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const environment = {
  PORT: "0",
  TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
    { organization: "acme", clientId: "me", clientSecret, role: "editor" },
  ]),
}

const urlOf = async (server: Running): Promise<string> => (await server.until(/listening on (\S+)/))[1] ?? ""

const login = async (url: string): Promise<Record<string, string>> => {
  const authorization = `Basic ${Buffer.from(`me:${clientSecret}`).toString("base64")}`
  const response = await fetch(`${url}/api/accessToken`, {
    method: "POST",
    headers: { authorization, organization: "acme" },
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return { authorization: `Bearer ${access_token}`, organization: "acme" }
}

interface Answer {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly text: string
}

const answerOf = async (response: IncomingMessage): Promise<Answer> => {
  let text = ""
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, connection: response.headers.connection, text }
}

const get = (url: string, agent?: Agent) =>
  new Promise<Answer>((resolve, reject) => {
    request(url, { agent }, (response) => answerOf(response).then(resolve, reject))
      .once("error", reject)
      .end()
  })

describe.concurrent("spec/operations §6: tocsin serve, when it is stopped", () => {
  it("is not ready first, serves everything until it is drained, and resets no request", async ({
    expect,
  }) => {
    const drainSeconds = 4
    const server = startTocsin(["serve"], {
      ...environment,
      TOCSIN_STORE: "memory",
      TOCSIN_DRAIN_SECONDS: String(drainSeconds),
    })
    const url = await urlOf(server)
    const headers = await login(url)
    const { port, hostname } = new URL(url)

    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await get(`${url}/healthz`, keepAlive)).toMatchObject({ status: 200, connection: "keep-alive" })
    const [idle] = Object.values(keepAlive.freeSockets).flatMap((sockets) => sockets ?? [])
    expect(idle?.destroyed).toBe(false)

    // A request whose body arrives when the port is closed already.
    const slow = request(`${url}/api/apply`, {
      method: "PUT",
      headers: { ...headers, "content-type": "application/yaml" },
    })
    const slowAnswer = new Promise<Answer>((resolve, reject) => {
      slow.once("error", reject).once("response", (response) => answerOf(response).then(resolve, reject))
    })
    const body = withSlo()
    slow.write(body.slice(0, 40))

    // Clients of a load balancer, which sends no more requests when the server is not ready.
    const balanced = new AbortController()
    const served: Array<Answer> = []
    const clients = Array.from({ length: 8 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (!balanced.signal.aborted) {
        served.push(await get(`${url}/healthz`, agent))
        await wait(5)
      }
      agent.destroy()
    })
    const balancer = (async () => {
      for (;;) {
        const answer = await get(`${url}/readyz`)
        if (answer.status !== 200) return answer
        await wait(100)
      }
    })()

    await vi.waitUntil(() => served.length > 100, { timeout: 30_000 })
    const stoppedAt = performance.now()
    server.kill("SIGTERM")
    const notReady = await balancer
    balanced.abort()
    await Promise.all(clients)
    expect(notReady).toMatchObject({ status: 503, connection: "close" })
    expect(JSON.parse(notReady.text)).toEqual({
      errors: [
        { title: "Service unavailable", code: "shutting_down", detail: "The server is shutting down." },
      ],
    })
    expect(served.filter(({ status }) => status !== 200)).toEqual([])

    // What still comes is served, and its connection is closed.
    expect(await get(`${url}/healthz`, keepAlive)).toMatchObject({ status: 200, connection: "close" })
    await vi.waitUntil(() => idle?.destroyed === true, { timeout: 30_000 })
    expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, connection: "close" })

    await vi.waitUntil(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(Number(port), hostname, () => resolve(false))
          socket.once("error", () => resolve(true))
          socket.once("connect", () => socket.destroy())
        }),
      { timeout: 60_000, interval: 20 },
    )
    expect(performance.now() - stoppedAt).toBeGreaterThan(drainSeconds * 1_000 - 100)
    slow.end(body.slice(40))
    expect(await slowAnswer).toMatchObject({ status: 200, connection: "close" })
    expect(await server.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/ INFO +Draining connections drainMs=4000\n/),
    })
  })

  it("exits at once on a second signal, and the embedded PostgreSQL with it", async ({ expect }) => {
    const directory = dataDirectory()
    const given = {
      ...environment,
      TOCSIN_STORE: "embedded",
      TOCSIN_DATA_DIR: directory,
      TOCSIN_DRAIN_SECONDS: "600",
    }
    for (const [second, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const server = startTocsin(["serve"], given)
      const url = await urlOf(server)
      const pidFile = join(directory, "postgres", "postmaster.pid")
      const postmaster = Number(readFileSync(pidFile, "utf8").split("\n")[0])
      server.kill("SIGTERM")
      await vi.waitUntil(async () => (await get(`${url}/readyz`)).status === 503, { timeout: 60_000 })
      server.kill(second)
      expect((await server.ended).code).toBe(code)
      await vi.waitUntil(() => !isAlive(postmaster), { timeout: 60_000 })
      expect(existsSync(pidFile)).toBe(false)
    }
  })
})
