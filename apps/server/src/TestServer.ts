import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { EventEmitter, once } from "node:events"
import * as WebhookTransportUndici from "@tocsin/adapters-http/internal/egress/WebhookTransportUndici"
import * as MetricSourceMemory from "@tocsin/adapters-memory/internal/MetricSourceMemory"
import * as WebhookTransportRecording from "@tocsin/adapters-memory/internal/WebhookTransportRecording"
import { type WebhookRequest, WebhookTransport } from "@tocsin/domain/internal/notification/WebhookTransport"
import { makeApiClient } from "./client/ApiClient.ts"
import { startServer } from "./server/Server.ts"
import { serverDefaults } from "./config/ServerConfig.ts"
import { version } from "./config/Version.ts"

export interface TestServerOptions {
  /** Default: `test`. */
  readonly organization?: string
  /**
   * Sends notifications and queries Prometheus over the network: at public addresses, and at those in `allowCidrs`.
   * `caPem` is trusted in addition to the public CAs. By default nothing is sent: each notification gets 204, and each
   * query returns no series.
   */
  readonly egress?: { readonly allowCidrs: ReadonlyArray<string>; readonly caPem?: string }
}

/** A notification as sent. `body` is what was digested and signed. */
export interface SentNotification {
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** A server for tests, with an editor credential. */
export interface TestServer {
  /** The address that the server listens on, such as `http://127.0.0.1:41234`. */
  readonly url: string
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: string
  /** An access token of the credential; the same for each call, since the API issues only one in 3 s. */
  readonly accessToken: () => Promise<string>
  /** Creates or updates definitions: YAML, an object, or a list of objects. Rejects with all issues. */
  readonly apply: (definitions: string | object) => Promise<void>
  /** Every attempt so far, oldest first. */
  readonly notifications: ReadonlyArray<SentNotification>
  /** Resolves with `notifications` when there are `count`. Rejects after `timeoutMs` (default: 5,000). */
  readonly notificationsArrived: (
    count: number,
    timeoutMs?: number,
  ) => Promise<ReadonlyArray<SentNotification>>
  /** Completes what is in flight and closes the port. */
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts a server on a free loopback port for tests, with its data in memory. Stop it when done, or use `await using`.
 *
 * Servers share nothing: each has its own stores, keys and limits.
 */
export const startTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { organization = "test", egress } = options
  const clientId = "test-client"
  const clientSecret = randomBytes(32).toString("base64url")
  const credential = { organization, clientId, clientSecret: Redacted.make(clientSecret) }
  const sent: Array<SentNotification> = []
  const sending = new EventEmitter()
  const record = (request: WebhookRequest): void => {
    sent.push(sentNotification(request))
    sending.emit("sent")
  }

  const scope = await Effect.runPromise(Scope.make())
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const starting = startServer(
    {
      ...serverDefaults,
      port: 0,
      store: { kind: "memory", masterKey: Redacted.make(new Uint8Array(randomBytes(32))) },
      bootstrapCredentials: [{ ...credential, role: "editor" }],
      egressAllowCidrs: egress?.allowCidrs ?? [],
    },
    {
      transport: recorded(egress, record),
      ...(egress === undefined ? { metricSource: MetricSourceMemory.layer } : {}),
    },
  )
  const { url } = await Effect.runPromise(Scope.provide(starting, scope)).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const client = await Effect.runPromise(makeApiClient({ url, ...credential }))

  return {
    url,
    organization,
    clientId,
    clientSecret,
    accessToken: () => Effect.runPromise(client.accessToken),
    apply: async (definitions) => {
      const content =
        typeof definitions === "string"
          ? { headers: { "content-type": "application/yaml" }, body: definitions }
          : { json: definitions }
      await Effect.runPromise(client.call({ method: "PUT", path: "/api/apply", ...content }))
    },
    notifications: sent,
    notificationsArrived: async (count, timeoutMs = 5_000) => {
      const signal = AbortSignal.timeout(timeoutMs)
      while (sent.length < count) {
        await once(sending, "sent", { signal }).catch(() => {
          throw new Error(`${sent.length} instead of ${count} notifications arrived within ${timeoutMs} ms`)
        })
      }
      return sent
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Records each request when its attempt has ended. */
const recorded = (
  egress: TestServerOptions["egress"],
  record: (request: WebhookRequest) => void,
): Layer.Layer<WebhookTransport> => {
  const transport =
    egress === undefined
      ? WebhookTransportRecording.make().layer
      : WebhookTransportUndici.layer({ allowCidrs: egress.allowCidrs, caPem: egress.caPem, version })
  const recording = Effect.map(WebhookTransport, ({ send }) => ({
    send: (request: WebhookRequest) =>
      Effect.ensuring(
        send(request),
        Effect.sync(() => record(request)),
      ),
  }))
  return Layer.provide(Layer.effect(WebhookTransport, recording), transport)
}

const sentNotification = ({ url, headers, body }: WebhookRequest): SentNotification => ({
  url: url.href,
  headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
  body: new TextDecoder().decode(body),
})
