import { allParticipants } from "@tocsin/domain/features"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { EventEmitter, once } from "node:events"
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import { ApiOptions, apiWith, BackgroundWork, CryptoNode, NodeApiServer } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import { checkPromQl, promqlAdvisor, promqlParser } from "@tocsin/promql"
import { prometheusApi } from "@tocsin/adapters-prometheus"
import { MemoryStores, MetricSourceMemory, WebhookTransportRecording } from "@tocsin/adapters-memory"
import { createCredential, ensureSigningKey } from "@tocsin/domain"
import { Readiness } from "@tocsin/domain/adapter"
import { makeAddressPolicy, publicAddressesOnly } from "@tocsin/domain/delivery"
import { type WebhookRequest, WebhookTransport } from "@tocsin/domain/ports"
import { AdvanceableClock } from "./AdvanceableClock.ts"

/** Options of a server for tests. */
export interface TestServerOptions {
  /** The organization of its credential. Default: `test`. */
  readonly organization?: string
  /**
   * Sends notifications and queries Prometheus over the network. By default nothing is sent: each notification gets 204,
   * and each query returns no series.
   */
  readonly egress?: {
    /** Addresses that may be reached beside public ones, such as `127.0.0.0/8`. */
    readonly allowCidrs: ReadonlyArray<string>
    /** Certificates in PEM that are trusted in addition to the public CAs. */
    readonly caPem?: string
  }
}

/** A notification as sent. */
export interface SentNotification {
  /** The URL of the alert method. */
  readonly url: string
  /** With those of the signature. */
  readonly headers: Headers
  /** What was digested and signed. */
  readonly body: string
}

/** A server for tests, with an editor credential. */
export interface TestServer {
  /** The address that the server listens on, such as `http://127.0.0.1:41234`. */
  readonly url: string
  /** The organization of the credential. */
  readonly organization: string
  /** The client ID of the credential. */
  readonly clientId: string
  /** The client secret of the credential. */
  readonly clientSecret: string
  /** An access token of the credential: the same for each call until it expires, since the API issues only one in 3 s. */
  readonly accessToken: () => Promise<string>
  /** Creates or updates definitions: YAML, an object, or a list of objects. Rejects with all issues. */
  readonly apply: (definitions: string | object) => Promise<void>
  /** The server's time, in Unix milliseconds: that of the process, and what it was advanced. */
  readonly now: () => number
  /**
   * Moves the server's time ahead by milliseconds, in steps of 5 s or, beyond an hour, in 720 steps: what is due in
   * between happens, such as retries and the end of a cool-down. Resolves when the last step was made; what it causes may
   * still be in progress.
   */
  readonly advance: (ms: number) => Promise<void>
  /** Every attempt so far, oldest first. */
  readonly notifications: ReadonlyArray<SentNotification>
  /** Resolves with `notifications` when there are `count`. Rejects after `timeoutMs` of real time (default: 5,000). */
  readonly notificationsArrived: (
    count: number,
    timeoutMs?: number,
  ) => Promise<ReadonlyArray<SentNotification>>
  /** Completes what is in flight and closes the port. May be called again. */
  readonly stop: () => Promise<void>
  /** The same as `stop`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts a server on a free loopback port for tests, with its data in memory. Stop it when done, or use `await using`.
 *
 * Servers share nothing: each has its own stores, keys, limits and clock.
 */
export const startTocsin = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { organization = "test", egress } = options
  const clientId = "test-client"
  const clientSecret = randomBytes(32).toString("base64url")
  const sent: Array<SentNotification> = []
  const sending = new EventEmitter()
  const attempts = { inFlight: 0 }
  const watch = {
    onStart: () => void attempts.inFlight++,
    onEnd: (request: WebhookRequest) => {
      attempts.inFlight--
      sent.push(sentNotification(request))
      sending.emit("sent")
    },
  }
  const scope = await Effect.runPromise(Scope.make())
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const clock = new AdvanceableClock(await Effect.runPromise(Clock.Clock))
  const url = await serve(egress, watch, { organization, clientId, clientSecret })
    .pipe(Effect.provideService(Clock.Clock, clock), Scope.provide(scope), Effect.runPromise)
    .catch(async (error: unknown) => {
      await stop()
      throw error
    })
  const now = () => clock.currentTimeMillisUnsafe()
  const accessToken = makeAccessToken({ url, organization, clientId, clientSecret, now })
  return {
    url,
    organization,
    clientId,
    clientSecret,
    accessToken,
    apply: async (definitions) => {
      const isText = typeof definitions === "string"
      const response = await fetch(`${url}/api/apply`, {
        method: "PUT",
        headers: {
          authorization: `Bearer ${await accessToken()}`,
          organization,
          "content-type": isText ? "application/yaml" : "application/json",
        },
        body: isText ? definitions : JSON.stringify(definitions),
      })
      if (!response.ok) throw new Error(await rejectionText(response))
    },
    now,
    advance: async (ms) => {
      const stepMs = Math.max(5_000, Math.ceil(ms / 720))
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left))
        await new Promise((resolve) => setTimeout(resolve, 1))
        // An attempt takes real time, and would take the whole step otherwise.
        for (let waits = 0; attempts.inFlight > 0 && waits < attemptWaits; waits++) {
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
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

/** How often 5 ms are waited for an attempt that is in flight, before the time moves on. */
const attemptWaits = 200

/** Callbacks for the start and the end of each attempt. */
interface AttemptWatch {
  readonly onStart: () => void
  readonly onEnd: (request: WebhookRequest) => void
}

interface TestCredential {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Runs the whole service until the scope closes. Succeeds with its address. */
const serve = (egress: TestServerOptions["egress"], watch: AttemptWatch, credential: TestCredential) =>
  Effect.gen(function* () {
    const addressPolicy =
      egress === undefined
        ? publicAddressesOnly
        : yield* Effect.fromResult(makeAddressPolicy(egress.allowCidrs))
    const ports = CryptoNode.layer(Redacted.make(new Uint8Array(randomBytes(32)))).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          allParticipants.pipe(Layer.provideMerge(MemoryStores.layer)),
          Readiness.layer,
          watched(egress, watch),
          egress === undefined ? MetricSourceMemory.layer : MetricSourcePrometheus.layer(egress),
          Layer.succeed(DefinitionOptions, {
            vendorPrefix: "tocsin",
            addressPolicy,
            checkPromQl,
            promqlAdvisor,
            promqlParser,
          }),
        ),
      ),
    )
    const context = yield* Layer.build(ports)
    return yield* Effect.gen(function* () {
      yield* ensureSigningKey
      yield* createCredential({
        ...credential,
        role: "editor",
        clientSecret: Redacted.make(credential.clientSecret),
      })
      const { url } = yield* NodeApiServer.make({ host: "127.0.0.1", port: 0 }, apiWith([prometheusApi]))
      yield* Effect.provideService(BackgroundWork.start, ApiOptions, {
        ...ApiOptions.defaultValue(),
        baseUrl: url,
      })
      return url
    }).pipe(Effect.provide(context))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))

const watched = (
  egress: TestServerOptions["egress"],
  { onStart, onEnd }: AttemptWatch,
): Layer.Layer<WebhookTransport> => {
  const transport =
    egress === undefined ? WebhookTransportRecording.make().layer : WebhookTransportUndici.layer(egress)
  const watching = Effect.map(WebhookTransport, ({ send }) => ({
    send: (request: WebhookRequest) =>
      Effect.acquireUseRelease(
        Effect.sync(onStart),
        () => send(request),
        () => Effect.sync(() => onEnd(request)),
      ),
  }))
  return Layer.provide(Layer.effect(WebhookTransport, watching), transport)
}

const sentNotification = ({ url, headers, body }: WebhookRequest): SentNotification => ({
  url: url.href,
  headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
  body: new TextDecoder().decode(body),
})

/** Calls at the same time share one token; it is replaced a minute before it expires. */
const makeAccessToken = (
  server: TestCredential & { readonly url: string; readonly now: () => number },
): (() => Promise<string>) => {
  let current: Promise<string> | undefined
  let expiresAt = 0
  const issue = async () => {
    const { url, organization, clientId, clientSecret, now } = server
    const response = await fetch(`${url}/api/accessToken`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, organization },
    })
    if (!response.ok) throw new Error(await rejectionText(response))
    const { access_token: token, expires_in: seconds } = (await response.json()) as {
      readonly access_token: string
      readonly expires_in: number
    }
    expiresAt = now() + (seconds - 60) * 1_000
    return token
  }
  return () => {
    if (current === undefined || expiresAt <= server.now()) {
      expiresAt = Infinity
      current = issue().catch((error: unknown) => {
        current = undefined
        throw error
      })
    }
    return current
  }
}

/** One line for each error of a response. */
const rejectionText = async (response: Response): Promise<string> => {
  const { errors } = (await response.json()) as { readonly errors: ReadonlyArray<ErrorItem> }
  return errors
    .map(({ title, detail, source }) => {
      const problem = [source?.propertyName, title].filter((part) => part !== undefined).join(": ")
      return detail === undefined ? problem : `${problem} (${detail})`
    })
    .join("\n")
}

interface ErrorItem {
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly propertyName?: string }
}
