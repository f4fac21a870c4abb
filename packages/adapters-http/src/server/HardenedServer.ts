import { Readiness } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import { IncomingMessage, Server, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { oneError } from "../frame/ErrorResponse.ts"
import { unknownMethod } from "../frame/FrameErrors.ts"
import { ArrivingBodies, arrivingBodiesMaxBytes } from "./ArrivingBodies.ts"
import { Connections, maxConnectionsDefault } from "./Connections.ts"
import { type ClientError, clientErrorStatus, headError, requestHeadMaxBytes } from "./MalformedRequest.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { type TlsCertificate, TlsHandshakes } from "./TlsHandshakes.ts"

/** The limits of connections and requests, in milliseconds where nothing else is said. */
export interface ServerLimits {
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

/** What a server reports to its owner. */
export interface ServerEvents {
  /** The limit of connections is reached; at most once a minute. */
  readonly onConnectionLimit: (maxConnections: number) => void
  /** `close` was called: connections are drained for `drainMs`, then closed. */
  readonly onClose: (drainMs: number) => void
  /** Responds to a request whose head is wrong (`NodeRequest.fault`). Default: in the error shape, and closes the connection. */
  readonly onFault?: (request: NodeRequest, response: ServerResponse) => void
}

const admittedRequest = Symbol("admittedRequest")

interface AdmittedMessage extends IncomingMessage {
  [admittedRequest]?: NodeRequest
}

/** The request of a message that a `HardenedServer` emitted. */
export const requestOfMessage = (message: object): NodeRequest | undefined =>
  (message as AdmittedMessage)[admittedRequest]

/**
 * Node's HTTP server with the limits of the API, for any `request` listener.
 *
 * A head that takes too long, exceeds 16 KiB or is not HTTP is rejected in the error shape and its connection closed, at the
 * latest `rejectedConnectionLingerMs` after the response. `close` sends `Connection: close` with each response for `drainMs`,
 * then accepts no connections, closes idle ones, and destroys the remaining ones after `requestGraceMs`.
 */
export class HardenedServer extends Server {
  readonly #connections: Connections
  readonly #handshakes: TlsHandshakes | undefined
  readonly #bodies: ArrivingBodies
  readonly #events: ServerEvents
  readonly #bodyTimeoutMs: number
  readonly #drainMs: number
  readonly #requestGraceMs: number
  #isDraining = false

  /** With a certificate, all connections use TLS. */
  constructor(limits: ServerLimits, events: ServerEvents, certificate?: TlsCertificate) {
    const { headTimeoutMs = 10_000, bodyTimeoutMs = 20_000, keepAliveMs = 15_000 } = limits
    super({
      maxHeaderSize: requestHeadMaxBytes,
      headersTimeout: headTimeoutMs,
      requestTimeout: headTimeoutMs + bodyTimeoutMs + 5_000,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, headTimeoutMs),
      requireHostHeader: false,
    })
    const { maxConnections = maxConnectionsDefault, arrivingBodiesBytes = arrivingBodiesMaxBytes } = limits
    this.#events = events
    this.#bodyTimeoutMs = bodyTimeoutMs
    this.#drainMs = limits.drainMs ?? 0
    this.#requestGraceMs = limits.requestGraceMs ?? 20_000
    this.#bodies = new ArrivingBodies(arrivingBodiesBytes)
    this.#connections = new Connections(maxConnections)
    this.#handshakes =
      certificate && new TlsHandshakes(certificate, (socket) => void super.emit("connection", socket))
    this.setTimeout(socketIdleMs)
    const reportLimit = atMostOnceAMinute(() => events.onConnectionLimit(maxConnections))
    this.on("connection", (socket) => {
      if (!this.#connections.accept(socket)) reportLimit()
    })
    this.on("connect", ({ socket }: IncomingMessage) =>
      this.#connections.get(socket)?.reject(oneError(501, unknownMethod)),
    )
    this.on("clientError", (error: ClientError, socket: Socket) => {
      const connection = this.#connections.get(socket)
      if (connection === undefined || error.code === "ECONNRESET" || !socket.writable) socket.destroy()
      else connection.reject(clientErrorStatus(error))
    })
  }

  /** Uses another certificate for the connections that are opened from now on. Only for a server that was made with a certificate. */
  setCertificate(certificate: TlsCertificate): void {
    this.#handshakes?.setCertificate(certificate)
  }

  /** Emits only connections after their handshake and requests that are admitted. */
  override emit(event: string, ...given: ReadonlyArray<unknown>): boolean {
    const [request, response] = given
    if (!(request instanceof IncomingMessage)) {
      if (event !== "connection" || this.#handshakes === undefined || !(request instanceof Socket))
        return super.emit(event, ...given)
      this.#handshakes.begin(request)
      return true
    }
    if (response instanceof ServerResponse)
      return this.#admit(request, response) ? super.emit(event, ...given) : true
    const fault = event === "upgrade" ? headError(request) : undefined
    if (fault === undefined) return super.emit(event, ...given)
    this.#connections.get(request.socket)?.reject(fault)
    return true
  }

  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connections.get(request.socket)
    if (connection === undefined || connection.isRejected) return false
    const fault = headError(request)
    const { onFault } = this.#events
    if (fault !== undefined && onFault === undefined) {
      connection.reject(fault)
      return false
    }
    connection.begin(response)
    response.on("prefinish", () => connection.finish())
    if (fault !== undefined) connection.isRejected = true
    const admitted = new NodeRequest(
      request,
      response,
      this.#bodyTimeoutMs,
      connection,
      this.#bodies,
      () => this.#isDraining,
      fault,
    )
    ;(request as AdmittedMessage)[admittedRequest] = admitted
    if (fault === undefined) return true
    onFault?.(admitted, response)
    return false
  }

  override close(callback?: (error?: Error) => void): this {
    if (this.#isDraining) return super.close(callback)
    this.#isDraining = true
    this.#events.onClose(this.#drainMs)
    // Connections and requests that have arrived are accepted and read first.
    const start = (): unknown => setImmediate(() => setImmediate(() => this.#closeConnections(callback)))
    if (this.#drainMs === 0) start()
    else setTimeout(start, this.#drainMs)
    return this
  }

  #closeConnections(callback?: (error?: Error) => void): void {
    // Node would wait for connections without a request, which browsers open in advance, and for those that become idle.
    const waiting = setInterval(() => {
      this.closeIdleConnections()
      this.#closeUnused()
    }, closeWaitingMs)
    const grace = setTimeout(() => this.closeAllConnections(), this.#requestGraceMs)
    super.close((error) => {
      clearInterval(waiting)
      clearTimeout(grace)
      callback?.(error)
    })
    this.#closeUnused()
  }

  #closeUnused(): void {
    this.#handshakes?.closeUnused()
    this.#connections.closeUnused()
  }
}

/** Logs what a server reports, and ends the readiness of the process when it closes. */
export const serverEvents: Effect.Effect<ServerEvents> = Effect.gen(function* () {
  const readiness = yield* Readiness.Readiness
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  return {
    onConnectionLimit: (maxConnections) => {
      runFork(Effect.annotateLogs(Effect.logWarning("Connection limit reached"), { maxConnections }))
    },
    onClose: (drainMs) => {
      readiness.beginShutdown()
      if (drainMs > 0) runFork(Effect.annotateLogs(Effect.logInfo("Draining connections"), { drainMs }))
    },
  }
})

const closeWaitingMs = 50
const socketIdleMs = 120_000

/** Runs an action at most once a minute. */
export const atMostOnceAMinute = <A extends ReadonlyArray<unknown>>(
  run: (...given: A) => void,
): ((...given: A) => void) => {
  let lastAt = -Infinity
  return (...given) => {
    const now = performance.now()
    if (now - lastAt < 60_000) return
    lastAt = now
    run(...given)
  }
}
