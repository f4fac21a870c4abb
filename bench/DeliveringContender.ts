import { parseTemplate, renderTemplate, sampleVariableValues } from "@tocsin/domain/template"
import {
  AcknowledgeTokensJose,
  HashNode,
  SignerNode,
  SigningKeyGeneratorNode,
} from "@tocsin/adapters-http/crypto"
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { Pool } from "undici"
import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { MemoryStores } from "@tocsin/adapters-memory"
import { currentPublicKey, dispatchDeliveries } from "@tocsin/domain"
import { endpointInFlightMax, type Notification, uuidV7 } from "@tocsin/domain/adapter"
import { type AlertChange, AlertStore, DeliveryQueue, type Settlement, Signer } from "@tocsin/domain/ports"
import { signRequest } from "@tocsin/domain/signature"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { testKey, testKeyPublished, type TestPublishedKey } from "../test/signature/TestKey.ts"
import { answerParent } from "./ContenderProcess.ts"

/** As many connections to one origin as an organization may use. */
const connectionsPerOriginMax = 64

/** Where to send, one URL for each origin, and the authority to trust. */
export interface Sink {
  readonly urls: ReadonlyArray<string>
  readonly caPem: string
}

/** Sends so many notifications; answers how long that took by the clock, in microseconds. */
type SendAll = (count: number) => Promise<number>

/** Two, since one has at most half of what a process can have under way. */
const organizations = ["bench-0", "bench-1"] as const
const baseUrl = "https://tocsin.example.com"

/** Each origin has as many alert methods as use most of the connections that it may have. */
const methodsPerOrigin = Math.floor(connectionsPerOriginMax / endpointInFlightMax)
const connectionsPerOrigin = methodsPerOrigin * endpointInFlightMax

/** Renders to about 1 KiB. */
const template = JSON.stringify({
  text: "SLO $slo_name of $project_name/$service_name: $alert_policy_conditions_text",
  link: "$slo_details_link",
  severity: "$severity",
  alert: "$alert_id at $iso_timestamp",
  note: "n".repeat(680),
})

const notification = (organization: string, id: string): Notification => ({
  id,
  event: "alert.triggered",
  organization,
  at: Date.UTC(2026, 0, 30),
  alertId: id,
  severity: "High",
  conditions: ["Average error budget burn rate is greater than or equal to 5 for 15 minutes"],
  slo: { project: "shop", name: "checkout" },
  service: { name: "web" },
})

let sendAll: SendAll = () => Promise.reject(new Error("nothing was started"))

/** The queue in memory, the dispatcher, the signer and the guarded transport, as the server composes them. */
const startTocsin = async ({ urls, caPem }: Sink): Promise<TestPublishedKey> => {
  const methods = urls.flatMap((url, origin) =>
    Array.from({ length: methodsPerOrigin }, (_, index) => ({
      organization: organizations[origin % 2] ?? organizations[0],
      key: { project: "shop", name: `hook-${origin}-${index}` },
      url,
    })),
  )
  let watch: (settlements: ReadonlyArray<Settlement>) => void = () => {}

  const dispatching = Effect.gen(function* () {
    for (const each of organizations) {
      const own = methods.filter(({ organization }) => organization === each)
      yield* putDefinitions(
        each,
        own.map(({ key, url }) => aMethod(key, { url, template })),
      )
    }
    const queue = yield* DeliveryQueue
    yield* dispatchDeliveries({ baseUrl, shutdownGraceMs: 1_000 }).pipe(
      Effect.provideService(DeliveryQueue, {
        ...queue,
        settle: (settlements) =>
          Effect.tap(queue.settle(settlements), () => Effect.sync(() => watch(settlements))),
      }),
    )
  })
  const stores = Layer.mergeAll(MemoryStores.layer, HashNode.layer, SigningKeyGeneratorNode.layer)
  const ports = Layer.mergeAll(
    SignerNode.layer,
    AcknowledgeTokensJose.layer(Redacted.make(new Uint8Array(32))),
    WebhookTransportUndici.layer({ allowCidrs: ["127.0.0.1/32"], caPem }),
  ).pipe(Layer.provideMerge(stores))
  const runtime = ManagedRuntime.make(Layer.provideMerge(Layer.effectDiscard(dispatching), ports))

  const notify = (count: number) =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(uuidV7, count)
      const store = yield* AlertStore
      const receipt = { alertId: "alert", isChanged: true, deliveries: [] }
      const lookup = { subject: { slo: { project: "shop", name: "checkout" } }, id: undefined }
      yield* Effect.forEach(
        ids,
        (id, index) => {
          const method = methods[index % methods.length]
          if (method === undefined) return Effect.die(new Error("there are no alert methods"))
          const { id: _, ...content } = notification(method.organization, id)
          const change: AlertChange = {
            event: { content, deliveries: [{ id, alertMethod: method.key }] },
            receipt,
          }
          return store.change(method.organization, lookup, undefined, () => Result.succeed(change))
        },
        { discard: true },
      )
    })

  sendAll = (count) =>
    new Promise((resolve, reject) => {
      let left = count
      const start = performance.now()
      watch = (settlements) => {
        const lost = settlements.find(({ outcome }) => outcome.kind !== "delivered")
        if (lost !== undefined) reject(new Error(`a delivery failed: ${lost.attempt.detail}`))
        left -= settlements.length
        if (left === 0) resolve((performance.now() - start) * 1_000)
      }
      runtime.runPromise(notify(count)).catch(reject)
    })

  return runtime.runPromise(
    Effect.andThen(
      Signer.use((signer) => signer.current("acme")),
      currentPublicKey(undefined),
    ),
  )
}

interface Origin {
  readonly url: URL
  readonly pool: Pool
}

/** undici's pool alone: encodes the same body, digests and signs it, and sends it with the same headers. */
const startUndici = ({ urls, caPem }: Sink): Promise<TestPublishedKey> => {
  const origins = urls.map((text) => {
    const url = new URL(text)
    const options = { connections: connectionsPerOrigin, pipelining: 1, connect: { ca: caPem } }
    return { url, pool: new Pool(url.origin, options) }
  })
  const rendered = renderTemplate(Result.getOrThrow(parseTemplate(template)), sampleVariableValues)
  const fields = JSON.parse(rendered) as { readonly alert: string }

  const sendOne = async ({ url, pool }: Origin, id: string): Promise<void> => {
    const body = Buffer.from(JSON.stringify({ ...fields, alert: `${id}${fields.alert}` }))
    const signed = Result.getOrThrow(
      signRequest(
        {
          method: "POST",
          authority: url.host,
          path: url.pathname,
          contentType: "application/json",
          body,
          created: Math.floor(Date.now() / 1_000),
        },
        testKey,
        HashNode.hashFunctions,
      ),
    )
    const answer = await pool.request({
      method: "POST",
      path: url.pathname,
      headers: {
        "content-type": "application/json",
        ...signed,
        "notification-event": "alert.triggered",
        "notification-id": id,
        "notification-attempt": "1",
      },
      body,
    })
    await answer.body.dump()
    if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`)
  }

  sendAll = async (count) => {
    const ids = Effect.runSync(Effect.replicateEffect(uuidV7, count))
    const start = performance.now()
    const work = async (origin: Origin): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await sendOne(origin, id)
    }
    await Promise.all(
      origins.flatMap((origin) => Array.from({ length: connectionsPerOrigin }, () => work(origin))),
    )
    return (performance.now() - start) * 1_000
  }
  return Promise.resolve(testKeyPublished)
}

answerParent({
  tocsin: startTocsin,
  undici: startUndici,
  send: (count: number) => sendAll(count),
})
