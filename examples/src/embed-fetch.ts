// Tocsin as a Fetch handler in your own process, for any host that calls `Request → Response`. Run it:
//   npm install
//   TOCSIN_BASE_URL=http://127.0.0.1:3000 node --import tsx --conditions=source examples/src/embed-fetch.ts
import { allParticipants } from "@tocsin/domain/features"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import {
  type ApiFetchHandler,
  ApiOptions,
  BackgroundWork,
  CryptoNode,
  makeApiFetchHandler,
} from "@tocsin/adapters-http"
import { nodeListener } from "@tocsin/adapters-http/mounts"
import { MemoryStores } from "@tocsin/adapters-memory"
import { createCredential } from "@tocsin/domain"
import type { WebhookTransport } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The options of a host. */
export interface EmbeddedOptions {
  /** Public base URL of the host, without a trailing slash. */
  readonly baseUrl: string
  /** 32 random bytes, the same in every process. */
  readonly masterKey: Uint8Array
  readonly credential: {
    readonly organization: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /** Sends webhooks. Default: to public addresses only. */
  readonly transport?: Layer.Layer<WebhookTransport>
}

/**
 * The service in this process. Nothing listens: a mount of the host calls it with requests to `/api/…`, `start` when it
 * starts, so that due deliveries are sent before the first request, and `dispose` when it ends.
 */
export const embedTocsin = (options: EmbeddedOptions): ApiFetchHandler => {
  const { baseUrl, masterKey, credential, transport } = options
  const ports = CryptoNode.layer(Redacted.make(masterKey)).pipe(
    Layer.provideMerge(allParticipants),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(transport ?? WebhookTransportUndici.layer({ allowCidrs: [] })),
    Layer.provideMerge(MetricSourcePrometheus.layer({ allowCidrs: [] })),
    Layer.provideMerge(Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), baseUrl })),
  )
  const firstCredential = Layer.effectDiscard(
    createCredential({ ...credential, role: "editor", clientSecret: Redacted.make(credential.clientSecret) }),
  )
  return makeApiFetchHandler(
    Layer.mergeAll(BackgroundWork.layer, firstCredential).pipe(Layer.provideMerge(ports)),
  )
}

if (process.argv[1] === import.meta.filename) {
  const { PORT = "3000", TOCSIN_BASE_URL = `http://127.0.0.1:${PORT}` } = process.env
  const credential = {
    organization: "acme",
    clientId: "me",
    clientSecret: randomBytes(32).toString("base64url"),
  }
  const tocsin = embedTocsin({ baseUrl: TOCSIN_BASE_URL, masterKey: randomBytes(32), credential })
  await tocsin.start()
  createServer(nodeListener(tocsin)).listen(Number(PORT), "127.0.0.1", () => {
    console.log(`serving on port ${PORT} for organization acme, as me with ${credential.clientSecret}`)
  })
}
