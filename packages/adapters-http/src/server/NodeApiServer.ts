import { Readiness, withoutIdleSpans } from "@tocsin/domain/adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { dispatch, type ApiRequirements } from "../api/ApiHandlers.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import { oneError } from "../frame/ErrorResponse.ts"
import { unknownMethod } from "../frame/FrameErrors.ts"
import { ArrivingBodies, arrivingBodiesMaxBytes } from "./ArrivingBodies.ts"
import { Connections, maxConnectionsDefault } from "./Connections.ts"
import { type ClientError, clientErrorStatus, headError, requestHeadMaxBytes } from "./MalformedRequest.ts"
import { listen, type PortIsNotAvailable } from "./Listen.ts"
import { NodeRequest, sendResponse } from "./NodeRequest.ts"

/** Where to listen, and the time limits of connections, in milliseconds. */
export interface NodeApiServerOptions {
  /** The address to listen on, such as `127.0.0.1`. */
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** The time limit for the head of a request. */
  readonly headTimeoutMs?: number
  /** The time limit for its body. */
  readonly bodyTimeoutMs?: number
  /** How long an idle connection is kept open. */
  readonly keepAliveMs?: number
  /** How long the server still accepts requests at shutdown, so that load balancers notice it; default 0. */
  readonly drainMs?: number
  /** How long requests in flight may take after that. */
  readonly requestGraceMs?: number
  /** Most open connections, as `Connections` explains. */
  readonly maxConnections?: number
  /** Most bytes of all bodies that are arriving; the oldest are rejected with 408. */
  readonly arrivingBodiesBytes?: number
}

/** The server that listens, and where. */
export class NodeApiServer extends Context.Service<
  NodeApiServer,
  {
    readonly host: string
    readonly port: number
    /** `http://host:port` */
    readonly url: string
  }
>()("@tocsin/adapters-http/internal/server/NodeApiServer") {}

/**
 * Serves requests on a port until its scope closes, then finishes what is in flight.
 *
 * A head that takes too long, exceeds 16 KiB or is not HTTP is rejected in the error shape and its connection closed, at
 * the latest `rejectedConnectionLingerMs` after the response.
 * When the scope closes, the server is no longer ready and sends `Connection: close` with each response, for `drainMs`.
 * Then it accepts no connections, closes idle ones, and destroys the remaining ones after `requestGraceMs`.
 *
 * Fails with `PortIsNotAvailable`.
 */
export const make = <R>(options: NodeApiServerOptions, dispatch: ApiDispatch<R>) =>
  Effect.gen(function* () {
    const { host, port, drainMs = 0, requestGraceMs = 20_000, bodyTimeoutMs = 20_000 } = options
    const { headTimeoutMs = 10_000, keepAliveMs = 15_000, maxConnections = maxConnectionsDefault } = options
    const runFork = Effect.runForkWith(withoutIdleSpans(yield* Effect.context<R>()))
    const running = yield* FiberSet.make<void, never>()
    const server = createServer({
      maxHeaderSize: requestHeadMaxBytes,
      headersTimeout: headTimeoutMs,
      requestTimeout: headTimeoutMs + bodyTimeoutMs + 5_000,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, headTimeoutMs),
      requireHostHeader: false,
    })
    server.setTimeout(socketIdleMs)
    const connections = new Connections(maxConnections)
    const bodies = new ArrivingBodies(options.arrivingBodiesBytes ?? arrivingBodiesMaxBytes)
    const drain = { isDraining: false }
    const logLimit = onceIn(limitLogMs, () => {
      runFork(Effect.annotateLogs(Effect.logWarning("Connection limit reached"), { maxConnections }))
    })
    server.on("connection", (socket) => {
      if (!connections.accept(socket)) logLimit()
    })

    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const connection = connections.get(request.socket)
      if (connection === undefined || connection.isRejected) return
      connection.begin(response)
      const fault = headError(request)
      if (fault !== undefined) connection.isRejected = true
      const incoming = new NodeRequest(request, response, bodyTimeoutMs, connection, bodies, fault)
      const responded = Effect.map(dispatch(incoming), (result): void => {
        if (drain.isDraining || incoming.endsConnection) response.setHeader("connection", "close")
        sendResponse(response, result)
        // Parts that are still to come are read from the store.
        if (result.rest === undefined) connection.finish()
        else response.on("finish", () => connection.finish())
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
    server.on("request", listener)
    server.on("checkContinue", listener)
    server.on("checkExpectation", listener)
    server.on("connect", ({ socket }: IncomingMessage) =>
      connections.get(socket)?.reject(oneError(501, unknownMethod)),
    )
    server.on("clientError", (error: ClientError, socket: Socket) => {
      const connection = connections.get(socket)
      if (connection === undefined || error.code === "ECONNRESET" || !socket.writable) socket.destroy()
      else connection.reject(clientErrorStatus(error))
    })

    const readiness = yield* Readiness.Readiness
    const startDraining = Effect.suspend(() => {
      readiness.beginShutdown()
      drain.isDraining = true
      if (drainMs === 0) return Effect.void
      const logged = Effect.annotateLogs(Effect.logInfo("Draining connections"), { drainMs })
      return Effect.andThen(logged, Effect.sleep(drainMs))
    })
    const logAcceptError = onceIn(limitLogMs, (reason: string) => {
      runFork(Effect.annotateLogs(Effect.logError("Connections cannot be accepted"), { reason }))
    })
    const onError = ({ code, name }: NodeJS.ErrnoException) => logAcceptError(code ?? name)
    yield* Effect.acquireRelease(listen(server, { host, port }, onError), () =>
      Effect.andThen(startDraining, close(server, connections, requestGraceMs)),
    )
    const address = server.address() as AddressInfo
    const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address
    return { host: address.address, port: address.port, url: `http://${shownHost}:${address.port}` }
  })

/** `make` as a layer, with the API or, with features of other packages, `apiWith` them. */
export const layer = <R = ApiRequirements>(
  options: NodeApiServerOptions,
  api: ApiDispatch<R> = dispatch as ApiDispatch<never>,
): Layer.Layer<NodeApiServer, PortIsNotAvailable, R> => Layer.effect(NodeApiServer, make(options, api))

const close = (server: Server, connections: Connections, requestGraceMs: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    // Node would wait for connections without a request, which browsers open in advance, and for those that become idle.
    const closeWaiting = (): void => {
      server.closeIdleConnections()
      connections.closeUnused()
    }
    const timer = setInterval(closeWaiting, closeWaitingMs)
    server.close(() => {
      clearInterval(timer)
      resume(Effect.void)
    })
    connections.closeUnused()
    return Effect.sync(() => clearInterval(timer))
  }).pipe(
    // Connections and requests that have arrived are accepted and read first.
    (closing) => Effect.andThen(Effect.promise(nextTurn), closing),
    Effect.interruptible,
    Effect.timeoutOption(requestGraceMs),
    Effect.asVoid,
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
  )

/** Lets Node handle what its sockets have received. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const closeWaitingMs = 50
const socketIdleMs = 120_000
const limitLogMs = 60_000

/** Runs an action at most once in a number of milliseconds. */
const onceIn = <A extends ReadonlyArray<unknown>>(
  ms: number,
  run: (...given: A) => void,
): ((...given: A) => void) => {
  let lastAt = -Infinity
  return (...given) => {
    const now = performance.now()
    if (now - lastAt < ms) return
    lastAt = now
    run(...given)
  }
}
