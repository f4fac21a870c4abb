import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { dispatch, type ApiRequirements } from "../api/ApiHandlers.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import { newTraceId } from "../frame/ApiRequest.ts"
import { NodeRequest, sendResponse } from "./NodeRequest.ts"

/** Where to listen, and the time limits of connections, in milliseconds. */
export interface NodeApiServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** The time limit for the head of a request. */
  readonly headTimeoutMs?: number
  /** The time limit for its body. */
  readonly bodyTimeoutMs?: number
  /** How long an idle connection is kept open. */
  readonly keepAliveMs?: number
  /** How long requests in flight may take at shutdown. */
  readonly drainMs?: number
}

export class NodeApiServer extends Context.Service<
  NodeApiServer,
  {
    readonly host: string
    readonly port: number
    /** `http://host:port` */
    readonly url: string
  }
>()("@tocsin/adapters-http/server/NodeApiServer") {}

/**
 * Serves requests on a port until its scope closes, then finishes what is in flight.
 *
 * A head that takes too long, exceeds 16 KiB or is not HTTP is rejected in the error shape and its connection closed.
 * When the scope closes, the server accepts no connections, closes idle ones, sends `Connection: close` with each
 * response, and destroys the remaining connections after `drainMs`.
 *
 * Fails with `PortIsNotAvailable`.
 */
export const make = <R>(options: NodeApiServerOptions, dispatch: ApiDispatch<R>) =>
  Effect.gen(function* () {
    const { host, port, drainMs = 20_000, bodyTimeoutMs = 20_000 } = options
    const { headTimeoutMs = 10_000, keepAliveMs = 15_000 } = options
    const runFork = Effect.runForkWith(
      Context.add(yield* Effect.context<R>(), References.TracerEnabled, false),
    )
    const running = yield* FiberSet.make<void, never>()
    const server = createServer({
      maxHeaderSize: 16 * 1024,
      headersTimeout: headTimeoutMs,
      requestTimeout: headTimeoutMs + bodyTimeoutMs + 5_000,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, headTimeoutMs),
      requireHostHeader: false,
    })
    server.setTimeout(socketIdleMs)
    const drain: Drain = { isDraining: false, unusedSockets: new Set() }
    server.on("connection", (socket) => {
      drain.unusedSockets.add(socket)
      socket.on("close", () => drain.unusedSockets.delete(socket))
    })

    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      drain.unusedSockets.delete(request.socket)
      const rejection = hostError(request)
      if (rejection !== undefined) return rejectConnection(request.socket, rejection)
      const incoming = new NodeRequest(request, response, bodyTimeoutMs)
      const responded = Effect.map(dispatch(incoming), (result): void => {
        if (drain.isDraining || incoming.owesContinue) response.setHeader("connection", "close")
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
    server.on("request", listener)
    server.on("checkContinue", listener)
    server.on("checkExpectation", listener)
    server.on("clientError", rejectClientError)

    yield* Effect.acquireRelease(listen(server, host, port), () => close(server, drain, drainMs))
    const address = server.address() as AddressInfo
    const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address
    return { host: address.address, port: address.port, url: `http://${shownHost}:${address.port}` }
  })

export const layer = (
  options: NodeApiServerOptions,
): Layer.Layer<NodeApiServer, PortIsNotAvailable, ApiRequirements> =>
  Layer.effect(NodeApiServer, make(options, dispatch))

/** The address is in use, or not one of this host. */
export class PortIsNotAvailable extends Data.TaggedError("PortIsNotAvailable")<{
  readonly host: string
  readonly port: number
  /** Node's error code, such as `EADDRINUSE`. */
  readonly reason: string
}> {}

const listen = (server: Server, host: string, port: number): Effect.Effect<void, PortIsNotAvailable> =>
  Effect.callback((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      resume(Effect.fail(new PortIsNotAvailable({ host, port, reason: error.code ?? error.name })))
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners("error")
      resume(Effect.void)
    })
  })

interface Drain {
  isDraining: boolean
  /** Connections without a request so far. */
  readonly unusedSockets: Set<Duplex>
}

const close = (server: Server, drain: Drain, drainMs: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    drain.isDraining = true
    server.close(() => resume(Effect.void))
    // Node would wait for connections without a request, which browsers open in advance.
    for (const socket of drain.unusedSockets) socket.destroy()
  }).pipe(
    Effect.interruptible,
    Effect.timeoutOption(drainMs),
    Effect.asVoid,
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
  )

const rejectClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  rejectConnection(socket, errorByCode[error.code ?? ""] ?? notHttp)
}

/** Writes an error response to the socket of a request that cannot be routed, and closes it. */
const rejectConnection = (socket: Duplex, [status, phrase, title, code]: ConnectionError): void => {
  const body = JSON.stringify({ errors: [{ title, code }] })
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    "content-type: application/json",
    "cache-control: no-store",
    "x-content-type-options: nosniff",
    `trace-id: ${newTraceId()}`,
    `content-length: ${body.length}`,
    "connection: close",
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}

/** Rejects a missing or duplicate host (RFC 9112 section 3.2): a proxy in front may have used the other one. */
const hostError = ({ httpVersion, rawHeaders }: IncomingMessage): ConnectionError | undefined => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  if (hosts === 1) return undefined
  if (hosts > 1) return hostIsDuplicated
  return httpVersion === "1.1" ? hostIsMissing : undefined
}

/** The body is ASCII. */
type ConnectionError = readonly [status: number, phrase: string, title: string, code: string]

const hostIsMissing: ConnectionError = [400, "Bad Request", "Missing Host header", "host_missing"]
const hostIsDuplicated: ConnectionError = [400, "Bad Request", "Duplicate Host header", "host_duplicated"]
const notHttp: ConnectionError = [400, "Bad Request", "Malformed HTTP request", "invalid_request"]
const errorByCode: Readonly<Record<string, ConnectionError>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "Request headers too large",
    "headers_too_large",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "Request timeout", "request_timeout"],
}
const socketIdleMs = 120_000
