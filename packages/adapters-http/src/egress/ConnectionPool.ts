import type { Socket } from "node:net"
import type { WebhookUrl } from "@tocsin/domain/alert-method/WebhookUrl"
import { Client } from "undici"
import type { GuardedConnector } from "./GuardedConnector.ts"
import { failure } from "./NetworkFailure.ts"

/** Largest status line and headers of a receiver's response, in bytes. */
export const responseHeadMaxBytes = 16 * 1024

/** Longest time that a connection to a receiver is reused, in milliseconds. */
export const connectionMaxAgeMs = 60_000

/** Longest time that an idle connection to a receiver stays open, in milliseconds; must be less than 4 s. */
export const connectionIdleMaxMs = 3_500

/** Most connections to one origin. */
export const connectionsPerOriginMax = 64

/** Most idle connections to all receivers together. */
export const idleConnectionsMax = 256

/**
 * One HTTP/1.1 connection that the guard opened, used by one request at a time.
 *
 * `client` owns the socket, closes it when it is idle for too long, and never opens another one. `openedAtMs` is in the
 * time of `performance.now()`.
 */
export interface Connection {
  /** Scheme and authority. */
  readonly origin: string
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: number
  isReused: boolean
}

/** Reuses the connection that became idle last. */
export interface ConnectionPool {
  /** Rejects with `TransportFailure` when no connection is available before `signal` aborts. */
  readonly acquire: (url: WebhookUrl, signal: AbortSignal) => Promise<Connection>
  /** Returns a connection once its response was read completely. */
  readonly release: (connection: Connection) => void
  readonly closeIdle: () => void
}

/** The error code of a request whose connection was closed while idle. */
export const connectionIsGone = "CONNECTION_IS_GONE"

/**
 * Makes a pool that is bounded per origin and over all origins.
 *
 * An origin with `connectionsPerOriginMax` connections makes further requests wait. A connection older than
 * `connectionMaxAgeMs` is not reused, so that DNS changes take effect; an idle one is closed after
 * `connectionIdleMaxMs`, before common receivers close theirs. Above `idleConnectionsMax` the longest idle is closed.
 */
export const makeConnectionPool = (connect: GuardedConnector): ConnectionPool => {
  const origins = new Map<string, Origin>()
  const allIdle = new Set<Connection>()

  const placesOf = (origin: string): Origin => {
    const known = origins.get(origin)
    if (known !== undefined) return known
    const places: Origin = { open: 0, idle: [], waiting: [] }
    origins.set(origin, places)
    return places
  }

  const takeIdle = (origin: Origin): Connection | undefined => {
    for (;;) {
      const connection = origin.idle.pop()
      if (connection === undefined) return undefined
      allIdle.delete(connection)
      if (!connection.socket.destroyed) {
        if (performance.now() - connection.openedAtMs < connectionMaxAgeMs) {
          connection.isReused = true
          return connection
        }
        closeConnection(connection)
      }
    }
  }

  const freePlace = (name: string, origin: Origin): void => {
    origin.open -= 1
    origin.waiting.shift()?.()
    if (origin.open === 0 && origin.waiting.length === 0) origins.delete(name)
  }

  const open = async (url: WebhookUrl, origin: Origin, signal: AbortSignal): Promise<Connection> => {
    origin.open += 1
    let socket: Socket
    try {
      socket = await connect(url, signal)
    } catch (error) {
      freePlace(originOf(url), origin)
      throw error
    }
    if (socket.destroyed) {
      freePlace(originOf(url), origin)
      throw failure("connection_reset")
    }
    const connection: Connection = {
      origin: originOf(url),
      client: clientOf(url, socket),
      socket,
      openedAtMs: performance.now(),
      isReused: false,
    }
    socket.once("close", () => {
      if (allIdle.delete(connection)) origin.idle = origin.idle.filter((other) => other !== connection)
      freePlace(originOf(url), origin)
    })
    return connection
  }

  return {
    acquire: async (url, signal) => {
      for (;;) {
        const origin = placesOf(originOf(url))
        const idle = takeIdle(origin)
        if (idle !== undefined) return idle
        if (origin.open < connectionsPerOriginMax) return open(url, origin, signal)
        await turn(origin, signal)
      }
    },
    release: (connection) => {
      if (connection.socket.destroyed) return
      const origin = placesOf(connection.origin)
      origin.idle.push(connection)
      allIdle.add(connection)
      origin.waiting.shift()?.()
      if (allIdle.size > idleConnectionsMax) {
        const [longestIdle] = allIdle
        if (longestIdle !== undefined) closeConnection(longestIdle)
      }
    },
    closeIdle: () => {
      for (const connection of allIdle) closeConnection(connection)
    },
  }
}

/** Closes a connection immediately; a request on it fails. */
export const closeConnection = ({ client, socket }: Connection): void => {
  client.destroy(null, () => {})
  // The client does not know the socket before its first request.
  socket.destroy()
}

const originOf = (url: WebhookUrl): string =>
  `${url.href.startsWith("http://") ? "http" : "https"}://${url.authority}`

interface Origin {
  /** Connections that are open, idle ones included, or being opened. */
  open: number
  idle: Array<Connection>
  readonly waiting: Array<() => void>
}

/** Waits for capacity or an idle connection; leaves the queue on abort. */
const turn = (origin: Origin, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const take = (): void => {
      signal.removeEventListener("abort", giveUp)
      resolve()
    }
    const giveUp = (): void => {
      origin.waiting.splice(origin.waiting.indexOf(take), 1)
      reject(noTurn())
    }
    // A signal that has already aborted sends no event.
    if (signal.aborted) return reject(noTurn())
    origin.waiting.push(take)
    signal.addEventListener("abort", giveUp, { once: true })
  })

const noTurn = () =>
  failure(
    "sender_unavailable",
    "too many notifications are in flight to this host; the attempt does not count",
  )

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
