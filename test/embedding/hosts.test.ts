import { createServer, request } from "node:http"
import type { ApiFetchHandler } from "@tocsin/adapters-http"
import { bunFetch, denoHandler, effectApp, fastifyPlugin, nodeListener } from "@tocsin/adapters-http/mounts"
import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { WebhookTransportRecording } from "@tocsin/adapters-memory"
import { createApp as createExpress } from "@tocsin/examples/embed-express"
import { embedTocsin } from "@tocsin/examples/embed-fetch"
import { createApp as createHono } from "@tocsin/examples/embed-hono"
import * as HttpRouter from "effect/http/HttpRouter"
import fastify from "fastify"
import { afterEach, describe, expect, it, vi } from "vitest"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"

const credential = {
  organization: "acme",
  clientId: "me",
  clientSecret: "0123456789abcdef0123456789abcdef0123456789A",
}
const baseUrl = "https://host.example"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
})

const embedded = () => {
  const { layer, requests } = WebhookTransportRecording.make()
  const tocsin = embedTocsin({ baseUrl, masterKey: new Uint8Array(32).fill(1), credential, transport: layer })
  closing.push(() => tocsin.dispose())
  return { tocsin, requests }
}

/** Each host as a function from a path and its options to the answer. */
type Host = (tocsin: ApiFetchHandler) => Promise<(path: string, init?: RequestInit) => Promise<Response>>

const onNode = async (server: ReturnType<typeof createServer>) => {
  closing.unshift(() => closeServer(server))
  const url = await listen(server)
  return (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
}

const hosts: Readonly<Record<string, Host>> = {
  "a Fetch handler": async (tocsin) => (path, init) => tocsin.handler(new Request(`${baseUrl}${path}`, init)),
  "a Fetch handler behind Node's server": (tocsin) => onNode(createServer(nodeListener(tocsin))),
  Hono: async (tocsin) => {
    const app = createHono(tocsin)
    return async (path, init) => app.fetch(new Request(`${baseUrl}${path}`, init))
  },
  Express: (tocsin) => onNode(createServer(createExpress(tocsin))),
  Fastify: async (tocsin) => {
    const app = fastify()
    closing.unshift(() => app.close())
    app.get("/", async () => "My app")
    await app.register(fastifyPlugin(tocsin))
    const url = await app.listen({ port: 0, host: "127.0.0.1" })
    return (path, init) => fetch(`${url}${path}`, init)
  },
  "Effect's router": async (tocsin) => {
    const { handler, dispose } = HttpRouter.toWebHandler(HttpRouter.add("*", "/api/*", effectApp(tocsin)), {
      disableLogger: true,
    })
    closing.unshift(dispose)
    return (path, init) => handler(new Request(`${baseUrl}${path}`, init))
  },
  // What these hosts call; test/packed runs them.
  "Deno.serve": async (tocsin) => (path, init) =>
    denoHandler(tocsin)(new Request(`${baseUrl}${path}`, init), { remoteAddr: { hostname: "127.0.0.1" } }),
  "Bun.serve": async (tocsin) => (path, init) =>
    bunFetch(tocsin)(new Request(`${baseUrl}${path}`, init), {
      requestIP: () => ({ address: "127.0.0.1" }),
    }),
}

/** Hosts of which no connection is known here. */
const withoutPeer = ["a Fetch handler", "Hono", "Effect's router"]

const { organization, clientId, clientSecret } = credential
const basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, organization }

const alertMethod = {
  apiVersion: "tocsin/v1alpha",
  kind: "AlertMethod",
  metadata: { name: "on-call", project: "default" },
  spec: { webhook: { url: "https://hooks.example.com/a", templateFields: ["alert_id", "slo_details_link"] } },
}
const slo = {
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name: "checkout", project: "default" },
  spec: {
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "good", target: 0.99 }],
  },
}
const service = {
  apiVersion: "tocsin/v1alpha",
  kind: "Service",
  metadata: { name: "web", project: "default" },
  spec: {},
}

for (const [name, host] of Object.entries(hosts)) {
  describe(`embedded in ${name}`, () => {
    it("issues a token, accepts definitions and an alert, and sends a notification that the receiver verifies", async () => {
      const { tocsin, requests } = embedded()
      const send = await host(tocsin)
      const issued = await send("/api/accessToken", { method: "POST", headers: basic })
      const { access_token } = (await issued.json()) as { access_token: string }
      const headers = {
        authorization: `Bearer ${access_token}`,
        organization,
        "content-type": "application/json",
      }
      const body = JSON.stringify([service, slo, alertMethod])
      expect((await send("/api/apply", { method: "PUT", headers, body })).status).toBe(200)

      const listed = await send("/api/v2/slos?limit=1", { headers })
      expect(await listed.json()).toMatchObject({
        data: [{ name: "checkout" }],
        links: { self: "/api/v2/slos?limit=1&cursor=" },
      })

      const alert = {
        status: "triggered",
        alertId: "a-1",
        slo: { name: "checkout", project: "default" },
        alertMethods: [{ name: "on-call", project: "default" }],
      }
      const answer = await send("/api/alerts", { method: "POST", headers, body: JSON.stringify(alert) })
      expect(answer.status).toBe(202)
      await vi.waitFor(() => expect(requests).toHaveLength(1), { timeout: 60_000 })
      const [sent] = requests
      const verifier = createNotificationVerifier({
        baseUrl,
        authority: "hooks.example.com",
        fetch: (url, init) => tocsin.handler(new Request(url, init)),
      })
      const notification = await verifyFetchRequest(
        verifier,
        new Request(sent?.url.href ?? "", {
          method: "POST",
          headers: (sent?.headers ?? []).map(([name, value]): [string, string] => [name, value]),
          body: new Uint8Array(sent?.body ?? []),
        }),
      )
      expect(notification.json()).toEqual({
        alert_id: "a-1",
        slo_details_link: `${baseUrl}/slos/default/checkout`,
      })
    })

    it("spec/errors §1: rejects in the one shape, whatever the request", async () => {
      const { tocsin } = embedded()
      const send = await host(tocsin)
      const tooLarge = new Uint8Array(requestBodyMaxBytes + 1)
      const answers = [
        await send("/api/nothing"),
        await send("/api/v2/slos", { method: "DELETE" }),
        await send("/api/v2/slos", { headers: { organization } }),
        await send("/api/alerts", { method: "POST", headers: { organization }, body: tooLarge }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 405, 401, 401])
      for (const answer of answers) {
        expect(Object.keys((await answer.json()) as object)).toEqual(["errors"])
        expect(answer.headers.get("trace-id")).toMatch(/^[0-9a-f]{32}$/)
      }
      const head = await send("/api/v2/slos", { method: "HEAD", headers: { organization } })
      expect([head.status, await head.text()]).toEqual([401, ""])
    })

    it("spec/rate-limits §3: limits requests with invalid credentials by the address of their connection", async () => {
      const { tocsin } = embedded()
      const peers = new Set<string | undefined>()
      const send = await host({
        ...tocsin,
        handle: (request, connection) => {
          peers.add(connection.peerAddress)
          return tocsin.handle(request, connection)
        },
      })
      const wrong = { authorization: `Basic ${btoa(`${clientId}:wrong`)}`, organization }
      const statuses = new Set<number>()
      for (let turn = 0; turn < 20; turn++)
        statuses.add((await send("/api/accessToken", { method: "POST", headers: wrong })).status)
      expect(statuses).toEqual(new Set([401, 429]))
      if (!withoutPeer.includes(name)) expect(peers).toEqual(new Set(["127.0.0.1"]))
      // The right secret is never locked out.
      expect((await send("/api/accessToken", { method: "POST", headers: basic })).status).toBe(200)
    })

    it("rejects requests when it has ended", async () => {
      const { tocsin } = embedded()
      await tocsin.start()
      await tocsin.dispose()
      vi.spyOn(console, "error").mockImplementation(() => {})
      const send = await host(tocsin)
      const answer = await send("/api/v2/slos").catch(() => undefined)
      expect(answer?.status ?? 500).toBe(500)
    })
  })
}

it("leaves the host's own pages alone", async () => {
  const { tocsin } = embedded()
  for (const name of ["Hono", "Express", "Fastify"]) {
    const send = await hosts[name]?.(tocsin)
    expect(await (await send?.("/"))?.text()).toBe("My app")
    expect((await send?.("/elsewhere"))?.status).toBe(404)
  }
})

it("spec/access §6: a host's own arguments are not taken for the address of the client", async () => {
  const { tocsin } = embedded()
  const mounted = tocsin.handler as (request: Request, info: unknown) => Promise<Response>
  const wrong = { authorization: `Basic ${btoa(`${clientId}:wrong`)}`, organization }
  const statuses = new Set<number>()
  for (let turn = 0; turn < 20; turn++) {
    const request = new Request(`${baseUrl}/api/accessToken`, { method: "POST", headers: wrong })
    statuses.add((await mounted(request, { remoteAddr: { hostname: "127.0.0.1", port: 1 } })).status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
})

it("does not serve another path than the one that a framework has routed", async () => {
  const { tocsin } = embedded()
  const server = createServer(nodeListener(tocsin))
  closing.unshift(() => closeServer(server))
  const url = await listen(server)
  const statusOf = (host: string) =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/elsewhere`, { headers: { host } }, ({ statusCode }) => resolve(statusCode))
      sent.once("error", reject).end()
    })
  expect(await statusOf("host.example")).toBe(404)
  for (const host of [
    "host.example/healthz#",
    "host.example/healthz?",
    "host.example\\healthz?",
    "me@host.example",
  ])
    expect(await statusOf(host)).toBe(400)
})

it("passes the address of each host's bindings of Hono", async () => {
  const { tocsin } = embedded()
  const peers: Array<string | undefined> = []
  const app = createHono({
    ...tocsin,
    handle: (request, connection) => {
      peers.push(connection.peerAddress)
      return tocsin.handle(request, connection)
    },
  })
  const bindings: ReadonlyArray<object> = [
    { incoming: { socket: { remoteAddress: "192.0.2.1" } } },
    { remoteAddr: { hostname: "192.0.2.2" } },
    { requestIP: () => ({ address: "192.0.2.3" }) },
    {},
  ]
  for (const each of bindings) await app.fetch(new Request(`${baseUrl}/api/v2/slos`), each)
  expect(peers).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3", undefined])
})

it("starts before the first request, and says when it cannot", async () => {
  const { tocsin } = embedded()
  await tocsin.start()
  const masterKey = new Uint8Array(32)
  const broken = embedTocsin({ baseUrl, masterKey, credential: { ...credential, clientSecret: "short" } })
  closing.push(() => broken.dispose())
  await expect(broken.start()).rejects.toMatchObject({
    name: expect.stringContaining("ClientSecretIsInvalid"),
  })
})
