// Mounts the API in a host, sends it 1,000 requests with an invalid secret over loopback, and prints how often it responded with each
// status. The argument is the name of the host.
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import { ApiOptions, BackgroundWork, CryptoNode, makeApiFetchHandler } from "@tocsin/adapters-http"
import {
  bunFetch,
  denoHandler,
  effectApp,
  fastifyPlugin,
  honoHandler,
  nodeListener,
} from "@tocsin/adapters-http/mounts"
import { MemoryStores } from "@tocsin/adapters-memory"
import { createCredential } from "@tocsin/domain"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { createServer } from "node:http"
import process from "node:process"

const ports = CryptoNode.layer(Redacted.make(crypto.getRandomValues(new Uint8Array(32)))).pipe(
  Layer.provideMerge(MemoryStores.layer),
  Layer.provideMerge(WebhookTransportUndici.layer({ allowCidrs: [] })),
  Layer.provideMerge(MetricSourcePrometheus.layer({ allowCidrs: [] })),
  Layer.provideMerge(
    Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), baseUrl: "http://127.0.0.1" }),
  ),
)
const clientSecret = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
const credential = Layer.effectDiscard(
  createCredential({
    organization: "acme",
    clientId: "me",
    role: "editor",
    clientSecret: Redacted.make(clientSecret),
  }),
)
const tocsin = makeApiFetchHandler(
  Layer.mergeAll(BackgroundWork.layer, credential).pipe(Layer.provideMerge(ports)),
)
await tocsin.start()

const onNode = (listener) =>
  new Promise((resolve) => {
    const server = createServer(listener).listen(0, "127.0.0.1", () => resolve(server.address().port))
  })

const hosts = {
  node: () => onNode(nodeListener(tocsin)),
  express: () => onNode(express().use("/api", nodeListener(tocsin))),
  fastify: async () => {
    const app = fastify()
    await app.register(fastifyPlugin(tocsin))
    return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port)
  },
  hono: () => {
    const app = new Hono()
    app.all("/api/*", honoHandler(tocsin))
    const handle = async (request, { peerAddress }) =>
      app.fetch(request, { incoming: { socket: { remoteAddress: peerAddress } } })
    return onNode(nodeListener({ handle }))
  },
  effect: () => {
    const { handler } = HttpRouter.toWebHandler(HttpRouter.add("*", "/api/*", effectApp(tocsin)), {
      disableLogger: true,
    })
    return onNode(nodeListener({ handle: (request) => handler(request) }))
  },
  deno: () =>
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, denoHandler(tocsin)).addr.port,
  // Without a mount, with the arguments of the host.
  "deno-plain": () =>
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, tocsin.handler).addr.port,
  bun: () => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: bunFetch(tocsin) }).port,
  "bun-plain": () => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: tocsin.handler }).port,
}

const port = await hosts[process.argv[2]]()
const url = `http://127.0.0.1:${port}/api/accessToken`
const send = async (secret) => {
  const headers = { authorization: `Basic ${btoa(`me:${secret}`)}`, organization: "acme" }
  const response = await fetch(url, { method: "POST", headers })
  await response.text()
  return response.status
}
const counts = {}
for (let turn = 0; turn < 100; turn++)
  for (const status of await Promise.all(Array.from({ length: 10 }, () => send("wrong"))))
    counts[status] = (counts[status] ?? 0) + 1
console.log(
  JSON.stringify({
    statuses: Object.keys(counts),
    count: Object.values(counts).reduce((sum, each) => sum + each),
    right: await send(clientSecret),
  }),
)
process.exit(0)
