import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import type { WebhookUrl } from "@tocsin/domain/delivery"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { TransportFailure } from "@tocsin/domain/ports"
import { Client } from "undici"
import type { Canceler, CancelSignal } from "./Cancellation.ts"
import { makeConnectionSlots, type SlotLimits, slotLimits } from "./ConnectionSlots.ts"
import type { GuardedConnector, MeasuredTimings } from "./GuardedConnector.ts"
import { clientCertificateText, exchangeFailure, failure } from "./NetworkFailure.ts"
import type { ConnectionTls } from "./SourceTls.ts"

/** Largest status line and headers of a receiver's response, in bytes. */
export const responseHeadMaxBytes = 16 * 1024

/** Longest time that a connection to a receiver is reused, in milliseconds. */
export const connectionMaxAgeMs = 60_000

/** Longest time that an idle connection to a receiver stays open, in milliseconds; must be less than 4 s. */
const connectionIdleMaxMs = 3_500

/** Most idle connections to all receivers together. */
export const idleConnectionsMax = 256

/**
 * One HTTP/1.1 connection that the guard opened, used by one request at a time.
 *
 * `client` owns the socket, closes it when it is idle for too long, and never opens another one. `openedAtMs` is in the
 * time of `performance.now()`.
 */
export interface Connection {
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: number
  /** Whether the server has asked for a client certificate. */
  readonly asksForCertificate: boolean
  isReused: boolean
}

/** A request to a receiver, and how long it may take once it has started, in milliseconds. */
interface PooledRequest {
  readonly organization: OrganizationId
  readonly url: WebhookUrl
  /** What its slots are shared by at the origin. Default: the path of the URL. */
  readonly path?: string
  readonly deadlineMs: number
  /** TLS settings other than those of the pool. */
  readonly tls?: ConnectionTls | undefined
  /** Interrupts the request, also while it waits. The pool aborts it at the deadline. */
  readonly abort: Canceler
}

/** A request that has started. */
export interface StartedRequest {
  /** How long the request waited before it started, in milliseconds. */
  readonly waitedMs: number
  /** Aborts at the deadline, which counts from the start, and when the request is interrupted. */
  readonly signal: CancelSignal
  /** Gives the connection that became idle last, or opens one. Rejects with `TransportFailure`. */
  readonly connect: (timings?: MeasuredTimings) => Promise<Connection>
}

/** What came of a request. `isComplete`: the response was read completely, so the connection can be reused. */
export interface Outcome {
  readonly isComplete: boolean
}

export interface ConnectionPool {
  /**
   * Runs a request over a connection when it is the organization's turn.
   *
   * `run` closes a connection that cannot be reused. Rejects with `TransportFailure`, an infrastructure fault, when no
   * connection is available in time.
   */
  readonly use: <A extends Outcome>(
    request: PooledRequest,
    run: (started: StartedRequest) => Promise<A>,
  ) => Promise<A>
  /** Rejects what waits and what comes, waits for the requests that have started, and closes all connections. */
  readonly close: () => Promise<void>
}

/** The error code of a request whose connection was closed while idle. */
export const connectionIsGone = "CONNECTION_IS_GONE"

/**
 * Makes a pool that is bounded for each organization at each origin, and in all.
 *
 * A connection is reused only by the organization that opened it, with the same TLS settings: no response can reach another one, and whether a
 * connection was reused does not reveal where others send. Connections in use are limited by slots. Above
 * `idleConnectionsMax` the longest idle is closed. A connection older than `connectionMaxAgeMs` is not reused, so that
 * DNS changes take effect; an idle one is closed after `connectionIdleMaxMs`, before common receivers close theirs.
 */
export const makeConnectionPool = (
  connect: GuardedConnector,
  limits: SlotLimits = slotLimits,
): ConnectionPool => {
  const slots = makeConnectionSlots(limits)
  /** Idle connections by organization and origin, the longest idle first. */
  const idle = new Map<string, Array<Connection>>()
  /** All of them, the longest idle first, with their keys. */
  const allIdle = new Map<Connection, string>()
  const running = new Set<Promise<unknown>>()

  const removeIdle = (connection: Connection): void => {
    const key = allIdle.get(connection)
    if (key === undefined) return
    allIdle.delete(connection)
    const left = idle.get(key)?.filter((other) => other !== connection) ?? []
    if (left.length > 0) idle.set(key, left)
    else idle.delete(key)
  }

  const takeIdle = (key: string): Connection | undefined => {
    for (;;) {
      const own = idle.get(key)
      const connection = own?.pop()
      if (connection === undefined) return undefined
      allIdle.delete(connection)
      if (own?.length === 0) idle.delete(key)
      if (!connection.socket.destroyed) {
        if (performance.now() - connection.openedAtMs < connectionMaxAgeMs) {
          connection.isReused = true
          return connection
        }
        closeConnection(connection)
      }
    }
  }

  const open = async (
    url: WebhookUrl,
    signal: CancelSignal,
    tls: ConnectionTls | undefined,
    timings: MeasuredTimings | undefined,
  ): Promise<Connection> => {
    const socket = await connect(url, signal, tls?.secureContext, timings)
    if (socket.destroyed) throw failure("connection_reset")
    const connection: Connection = {
      client: clientOf(url, socket),
      socket,
      openedAtMs: performance.now(),
      // A client shares algorithms with the request for its certificate (SSL_get_shared_sigalgs(3)).
      asksForCertificate: socket instanceof TLSSocket && socket.getSharedSigalgs().length > 0,
      isReused: false,
    }
    socket.once("close", () => removeIdle(connection))
    return connection
  }

  const release = (key: string, connection: Connection): void => {
    if (connection.socket.destroyed) return
    allIdle.set(connection, key)
    const others = idle.get(key)
    if (others === undefined) idle.set(key, [connection])
    else others.push(connection)
    if (allIdle.size > idleConnectionsMax) {
      const [longestIdle] = allIdle.keys()
      if (longestIdle === undefined) return
      removeIdle(longestIdle)
      closeConnection(longestIdle)
    }
  }

  const closeIdle = (): void => {
    for (const connection of allIdle.keys()) closeConnection(connection)
  }

  const use = async <A extends Outcome>(
    { organization, url, path = url.path, deadlineMs, tls, abort }: PooledRequest,
    run: (started: StartedRequest) => Promise<A>,
  ): Promise<A> => {
    const origin = originOf(url)
    const key = `${organization} ${origin} ${tls?.id ?? ""}`
    const askedAtMs = performance.now()
    const freeSlot = await slots.take(organization, { origin, path }, abort.signal)
    const timer = setTimeout(() => abort.abort(), deadlineMs)
    let connection: Connection | undefined
    try {
      const outcome = await run({
        waitedMs: performance.now() - askedAtMs,
        signal: abort.signal,
        connect: async (timings) =>
          (connection = takeIdle(key) ?? (await open(url, abort.signal, tls, timings))),
      })
      if (outcome.isComplete && connection !== undefined) release(key, connection)
      return outcome
    } finally {
      clearTimeout(timer)
      freeSlot()
    }
  }

  return {
    use: async (request, run) => {
      const outcome = use(request, run)
      running.add(outcome)
      try {
        return await outcome
      } finally {
        running.delete(outcome)
      }
    },
    close: async () => {
      slots.close()
      closeIdle()
      await Promise.allSettled(running)
      closeIdle()
    },
  }
}

/** Closes a connection immediately; a request on it fails. */
export const closeConnection = ({ client, socket }: Connection): void => {
  client.destroy(null, () => {})
  // The client does not know the socket before its first request.
  socket.destroy()
}

/**
 * Why a request over a connection had no response. `undefined`: the client did not send it, which is a defect.
 *
 * With TLS 1.3, a server rejects a client certificate after the handshake, and often closes before its alert is read.
 */
export const failureOn = (
  { asksForCertificate, isReused }: Connection,
  error: Error,
): TransportFailure | undefined => {
  const isGone = "code" in error && error.code === connectionIsGone
  const found = isGone ? failure("connection_reset") : exchangeFailure(error)
  const isRejected = asksForCertificate && !isReused && found?.reason === "connection_reset"
  return isRejected ? failure("tls_invalid", clientCertificateText) : found
}

const originOf = (url: WebhookUrl): string =>
  `${url.href.startsWith("http://") ? "http" : "https"}://${url.authority}`

/**
 * A client over one open socket, which never reconnects. Its own timeouts are off: one deadline covers the exchange.
 */
const clientOf = (url: WebhookUrl, socket: Socket): Client => {
  let isTaken = false
  return new Client(originOf(url), {
    pipelining: 1,
    maxHeaderSize: responseHeadMaxBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: connectionIdleMaxMs,
    keepAliveMaxTimeout: connectionIdleMaxMs,
    connect: (_, callback) => {
      // The client expects its connector to call back asynchronously.
      queueMicrotask(() => {
        if (isTaken) {
          const error = Object.assign(new Error("the connection is gone"), { code: connectionIsGone })
          return callback(error, null)
        }
        isTaken = true
        callback(null, socket)
      })
    },
  })
}
