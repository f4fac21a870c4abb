import { withoutIdleSpans } from "@tocsin/domain/adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { dispatch, type ApiRequirements } from "../api/ApiHandlers.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import {
  atMostOnceAMinute,
  HardenedServer,
  requestOfMessage,
  serverEvents,
  type ServerLimits,
} from "./HardenedServer.ts"
import { listen, type PortIsNotAvailable } from "./Listen.ts"
import { type NodeRequest, sendResponse } from "./NodeRequest.ts"
import type { TlsCertificate } from "./TlsHandshakes.ts"

/** Where to listen, and the limits of connections. */
export interface NodeApiServerOptions extends ServerLimits {
  /** The address to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** With a certificate, the server accepts connections over TLS 1.2 or later only. */
  readonly tls?: {
    readonly certificate: TlsCertificate
    /** Certificates that replace it for new connections. */
    readonly renewals: Stream.Stream<TlsCertificate>
  }
}

/** The server that listens, and where. */
export class NodeApiServer extends Context.Service<
  NodeApiServer,
  {
    readonly host: string
    readonly port: number
    /** `http://host:port`, or `https://host:port` with a certificate */
    readonly url: string
  }
>()("@tocsin/adapters-http/internal/server/NodeApiServer") {}

/**
 * Serves requests on a port until its scope closes, then finishes what is in flight, as `HardenedServer` does.
 *
 * Fails with `PortIsNotAvailable`.
 */
export const make = <R>(options: NodeApiServerOptions, dispatch: ApiDispatch<R>) =>
  Effect.gen(function* () {
    const { host, port, tls } = options
    const runFork = Effect.runForkWith(withoutIdleSpans(yield* Effect.context<R>()))
    const running = yield* FiberSet.make<void, never>()

    const respond = (incoming: NodeRequest, response: ServerResponse): void => {
      const responded = Effect.map(dispatch(incoming), (result): void => {
        if (incoming.endsConnection) response.setHeader("connection", "close")
        sendResponse(response, result)
      })
      // Only a response that cannot be sent as HTTP fails, such as one with a line break in a header.
      const fiber = runFork(
        Effect.catchCause(responded, (cause) => {
          response.destroy()
          return Effect.logError(cause)
        }),
      )
      // Most requests complete synchronously and need no tracking.
      if (fiber.pollUnsafe() !== undefined) return
      FiberSet.addUnsafe(running, fiber)
      response.on("close", () => {
        if (!response.writableEnded) fiber.interruptUnsafe()
      })
    }
    const events = yield* serverEvents
    const server = new HardenedServer(options, { ...events, onFault: respond }, tls?.certificate)
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const incoming = requestOfMessage(request)
      if (incoming !== undefined) respond(incoming, response)
    }
    server.on("request", listener)
    server.on("checkContinue", listener)
    server.on("checkExpectation", listener)

    const logAcceptError = atMostOnceAMinute((reason: string) => {
      runFork(Effect.annotateLogs(Effect.logError("Connections cannot be accepted"), { reason }))
    })
    const onError = ({ code, name }: NodeJS.ErrnoException) => logAcceptError(code ?? name)
    yield* Effect.acquireRelease(listen(server, { host, port }, onError), () => closeServer(server))
    if (tls !== undefined)
      yield* Effect.forkScoped(
        Stream.runForEach(tls.renewals, (renewed) => Effect.sync(() => server.setCertificate(renewed))),
      )
    const address = server.address() as AddressInfo
    const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address
    return {
      host: address.address,
      port: address.port,
      url: `${tls === undefined ? "http" : "https"}://${shownHost}:${address.port}`,
    }
  })

/** `make` as a layer, with the API or, with features of other packages, `apiWith` them. */
export const layer = <R = ApiRequirements>(
  options: NodeApiServerOptions,
  api: ApiDispatch<R> = dispatch as ApiDispatch<never>,
): Layer.Layer<NodeApiServer, PortIsNotAvailable, R> => Layer.effect(NodeApiServer, make(options, api))

const closeServer = (server: HardenedServer): Effect.Effect<void> =>
  Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
