// Serves the API as a Fetch handler in Node.js, Deno or Bun, sends it a few requests, and prints the responses' statuses.
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import { ApiOptions, BackgroundWork, CryptoNode, makeApiFetchHandler } from "@tocsin/adapters-http"
import { MemoryStores } from "@tocsin/adapters-memory"
import { createCredential } from "@tocsin/domain"
import { allParticipants } from "@tocsin/domain/features"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import process from "node:process"

const baseUrl = "http://127.0.0.1"
const clientSecret = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
const ports = CryptoNode.layer(Redacted.make(crypto.getRandomValues(new Uint8Array(32)))).pipe(
  Layer.provideMerge(allParticipants),
  Layer.provideMerge(MemoryStores.layer),
  Layer.provideMerge(WebhookTransportUndici.layer({ allowCidrs: [] })),
  Layer.provideMerge(MetricSourcePrometheus.layer({ allowCidrs: [] })),
  Layer.provideMerge(Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), baseUrl })),
)
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

const call = (path, init) => tocsin.handler(new Request(baseUrl + path, init))
const token = await call("/api/accessToken", {
  method: "POST",
  headers: { authorization: `Basic ${btoa(`me:${clientSecret}`)}`, organization: "acme" },
})
const { access_token } = await token.json()
const headers = { authorization: `Bearer ${access_token}`, organization: "acme" }
const applied = await call("/api/apply", {
  method: "PUT",
  headers: { ...headers, "content-type": "application/yaml" },
  body: "apiVersion: tocsin/v1alpha\nkind: Service\nmetadata: { name: web, project: default }\nspec: {}\n",
})
const listed = await call("/api/get/services", { headers: { ...headers, project: "default" } })
const names = (await listed.json()).map(({ metadata }) => metadata.name)
console.log(JSON.stringify([token.status, applied.status, listed.status, names]))
await tocsin.dispose()
process.exit(0)
