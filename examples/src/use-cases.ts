// The use cases of Tocsin without HTTP, with in-memory stores and a custom webhook transport. Run it:
//   npm install
//   node --import tsx --conditions=source examples/src/use-cases.ts
import { allParticipants } from "@tocsin/domain/features"
import { CryptoNode } from "@tocsin/adapters-http"
import { MemoryStores } from "@tocsin/adapters-memory"
import {
  applyDefinitions,
  defineAlertMethod,
  defineService,
  defineSlo,
  dispatchDeliveries,
  listSlos,
  receiveAlert,
  recordCounts,
} from "@tocsin/domain"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import { type WebhookRequest, WebhookTransport } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"

const organization = "acme"
const project = "default"
const definitions = [
  defineService({ metadata: { name: "web", project } }),
  defineSlo({
    metadata: { name: "checkout", project },
    spec: {
      service: "web",
      budgetingMethod: "Occurrences",
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [{ name: "good", target: 0.99 }],
    },
  }),
  defineAlertMethod({
    metadata: { name: "on-call", project },
    spec: { webhook: { url: "https://hooks.example.com/on-call", templateFields: ["slo_name", "severity"] } },
  }),
]

/** Defines an SLO, records counts and triggers an alert. Returns the SLOs and the webhook request of the alert. */
export const triggerAlert = Effect.gen(function* () {
  yield* applyDefinitions(organization, definitions, {
    vendorPrefix: "tocsin",
    addressPolicy: publicAddressesOnly,
  })

  const minute = Math.floor((yield* Clock.currentTimeMillis) / 60_000) * 60_000
  yield* recordCounts(organization, {
    project,
    name: "checkout",
    body: [{ objective: "good", at: new Date(minute).toISOString(), good: 970, total: 1_000 }],
  })
  const { items } = yield* listSlos(organization, {})
  const slos = items.map(({ slo, statuses }) => ({
    name: slo.metadata.name,
    objectives: slo.spec.objectives.map(({ name }) => ({ name, ...statuses.get(name) })),
  }))

  const sent = yield* Deferred.make<WebhookRequest>()
  const transport = WebhookTransport.of({
    send: (request) =>
      Effect.as(Deferred.succeed(sent, request), { status: 204, headMs: 0, totalMs: 0, body: "" }),
  })
  yield* dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 1_000 }).pipe(
    Effect.provideService(WebhookTransport, transport),
  )
  yield* receiveAlert(organization, {
    body: {
      status: "triggered",
      slo: { project, name: "checkout" },
      objective: "good",
      severity: "High",
      alertMethods: [{ project, name: "on-call" }],
    },
  })
  return { slos, sent: yield* Deferred.await(sent) }
})

/** The other ports that the use cases need. */
export const ports = CryptoNode.layer(Redacted.make(randomBytes(32))).pipe(
  Layer.provideMerge(allParticipants),
  Layer.provideMerge(MemoryStores.layer),
)

if (process.argv[1] === import.meta.filename) {
  const { slos, sent } = await Effect.runPromise(Effect.scoped(Effect.provide(triggerAlert, ports)))
  console.log("SLOs:", JSON.stringify(slos, undefined, 2))
  console.log("POST", sent.url.href)
  for (const [name, value] of sent.headers) console.log(`${name}: ${value}`)
  console.log(new TextDecoder().decode(sent.body))
}
