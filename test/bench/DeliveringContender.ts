import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { Pool } from "undici"
import * as AcknowledgeTokensJose from "@tocsin/adapters-http/internal/crypto/AcknowledgeTokensJose"
import * as HashNode from "@tocsin/adapters-http/internal/crypto/HashNode"
import * as SignerNode from "@tocsin/adapters-http/internal/crypto/SignerNode"
import * as SigningKeyGeneratorNode from "@tocsin/adapters-http/internal/crypto/SigningKeyGeneratorNode"
import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { MemoryStores } from "@tocsin/adapters-memory"
import { dispatchDeliveries } from "@tocsin/domain"
import { endpointInFlightMax, type Notification, uuidV7 } from "@tocsin/domain/adapter"
import {
  type AlertChange,
  AlertStore,
  DeliveryQueue,
  type Settlement,
  Signer,
  SigningKeyStore,
  theServer,
} from "@tocsin/domain/ports"
import { notificationValues } from "@tocsin/domain/internal/notification/Notification"
import {
  notificationContentType,
  notificationHeaders,
  renderBody,
} from "@tocsin/domain/internal/notification/NotificationRequest"
import { prepareMethod } from "@tocsin/domain/internal/notification/PreparedMethod"
import { type PublishedKey, publishKey } from "@tocsin/domain/internal/signature/SigningKeySchedule"
import { signRequest } from "@tocsin/domain/signature"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { testKey, testKeyPublished } from "../signature/TestKey.ts"
import { answerParent } from "./ContenderProcess.ts"
import { connectionsPerOriginMax } from "@tocsin/adapters-egress/internal/ConnectionSlots"

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
const startTocsin = async ({ urls, caPem }: Sink): Promise<PublishedKey> => {
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
    Effect.gen(function* () {
      const { keyId } = yield* (yield* Signer).current("acme")
      const keys = yield* (yield* SigningKeyStore).list(theServer)
      const key = keys.find((one) => one.keyId === keyId)
      return key === undefined
        ? yield* Effect.die(new Error("the signer's key is not stored"))
        : publishKey(key)
    }),
  )
}

interface Origin {
  readonly url: URL
  readonly pool: Pool
}

/** undici's pool alone: encodes the same body, digests and signs it, and sends it with the same headers. */
const startUndici = ({ urls, caPem }: Sink): Promise<PublishedKey> => {
  const origins = urls.map((text) => {
    const url = new URL(text)
    const options = { connections: connectionsPerOrigin, pipelining: 1, connect: { ca: caPem } }
    return { url, pool: new Pool(url.origin, options) }
  })
  const prepared = prepareMethod(aMethod({ project: "shop", name: "hook" }, { template }))
  const rendered =
    prepared && renderBody(prepared, notificationValues(notification(organizations[0], ""), baseUrl))
  if (rendered === undefined || Result.isFailure(rendered))
    throw new Error("the template of the benchmark does not render")
  const fields = JSON.parse(new TextDecoder().decode(rendered.success)) as { readonly alert: string }

  const sendOne = async ({ url, pool }: Origin, id: string): Promise<void> => {
    const body = Buffer.from(JSON.stringify({ ...fields, alert: `${id}${fields.alert}` }))
    const signed = Result.getOrThrow(
      signRequest(
        {
          method: "POST",
          authority: url.host,
          path: url.pathname,
          contentType: notificationContentType,
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
        "content-type": notificationContentType,
        ...signed,
        ...Object.fromEntries(notificationHeaders({ id, event: "alert.triggered", attempt: 1 })),
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
