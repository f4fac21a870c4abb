import type * as Cause from "effect/Cause"
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
import { NodeRequest, sendAnswer } from "./NodeRequest.ts"

/** Where to listen, and how long a slow client is waited for; times are in milliseconds. */
export interface NodeApiServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** The head of a request must be there within this time. */
  readonly headTimeoutMs?: number
  /** And its body within this one. */
  readonly bodyTimeoutMs?: number
  /** A connection without a request is kept this long. */
  readonly keepAliveMs?: number
  /** What is in flight at shutdown gets this long to finish. */
  readonly drainMs?: number
}

/** The server that listens, and where. */
export class NodeApiServer extends Context.Service<
  NodeApiServer,
  {
    readonly host: string
    /** The port that was bound. */
    readonly port: number
    /** `http://host:port` */
    readonly url: string
  }
>()("@tocsin/adapters-http/server/NodeApiServer") {}

/**
 * Serves requests on a port until its scope closes, then finishes what is in flight.
 *
 * Slow clients are cut off: a head that takes too long, or is over 16 KiB, or is no HTTP is answered in the error
 * shape and its connection closed. When the scope closes, no connection is accepted any more, idle ones are closed,
 * answers say `Connection: close`, and after `drainMs` what is left is cut.
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
      const answered = Effect.map(dispatch(incoming), (answer): void => {
        if (drain.isDraining || incoming.owesContinue) response.setHeader("connection", "close")
        sendAnswer(response, answer)
      })
      // Only an answer that is no HTTP gets here, as one with a line break in a header.
      const cut = (cause: Cause.Cause<never>) =>
        Effect.andThen(
          Effect.logError(cause),
          Effect.sync(() => void response.destroy()),
        )
      const fiber = runFork(Effect.catchCause(answered, cut))
      // Most requests are handled before this line, without a wait: those need nothing further.
      if (fiber.pollUnsafe() !== undefined) return
      FiberSet.addUnsafe(running, fiber)
      response.on("close", () => {
        if (!response.writableEnded) fiber.interruptUnsafe()
      })
    }
    server.on("request", listener)
    server.on("checkContinue", listener)
    server.on("checkExpectation", listener)
    server.on("clientError", answerClientError)

    yield* Effect.acquireRelease(listen(server, host, port), () => close(server, drain, drainMs))
    const address = server.address() as AddressInfo
    const shownHost = address.family === "IPv6" ? `[${address.address}]` : address.address
    return { host: address.address, port: address.port, url: `http://${shownHost}:${address.port}` }
  })

/** The API's server as a layer over its ports. */
export const layer = (
  options: NodeApiServerOptions,
): Layer.Layer<NodeApiServer, PortIsNotAvailable, ApiRequirements> =>
  Layer.effect(NodeApiServer, make(options, dispatch))

/** The address cannot be listened on: it is taken, or not ours. */
export class PortIsNotAvailable extends Data.TaggedError("PortIsNotAvailable")<{
  readonly host: string
  readonly port: number
  /** Node's code, as `EADDRINUSE`. */
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

/** What the end of a server needs to know of its connections. */
interface Drain {
  isDraining: boolean
  /** Connections without a request so far. */
  readonly unusedSockets: Set<Duplex>
}

const close = (server: Server, drain: Drain, drainMs: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    drain.isDraining = true
    server.close(() => resume(Effect.void))
    // Node waits for those that have not begun a request yet, as browsers open them in advance.
    for (const socket of drain.unusedSockets) socket.destroy()
  }).pipe(
    Effect.interruptible,
    Effect.timeoutOption(drainMs),
    Effect.asVoid,
    Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
  )

const answerClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  rejectConnection(socket, errorByCode[error.code ?? ""] ?? notHttp)
}

/** What arrived cannot be routed, so the answer is written to the socket as it is, and that is closed. */
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

/** Of two hosts, a proxy in front may have gone by the other one. Source: RFC 9112 section 3.2. */
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
