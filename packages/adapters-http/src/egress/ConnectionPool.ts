import type { Socket } from "node:net"
import type { WebhookUrl } from "@tocsin/domain/alert-method/WebhookUrl"
import { Client } from "undici"
import type { GuardedConnector } from "./GuardedConnector.ts"
import { failure } from "./NetworkFailure.ts"

/** Most bytes of an answer's status line and header fields. */
export const responseHeadMaxBytes = 16 * 1024

/** Age beyond which an open connection to a receiver is not used again, in milliseconds. */
export const connectionMaxAgeMs = 60_000

/** How long an unused connection to a receiver is kept, in milliseconds; under 4 s. */
export const connectionIdleMaxMs = 3_500

/** Connections to one origin at once. */
export const connectionsPerOriginMax = 64

/** Unused connections kept over all origins. */
export const idleConnectionsMax = 256

/**
 * One HTTP/1.1 connection that came through the guard, used by one request at a time.
 *
 * `client` owns the socket and closes it when it is idle for too long; it never opens another one. `isReused` says
 * that a request went over it before. `openedAtMs` is of `performance.now()`.
 */
export interface Connection {
  /** The scheme and authority of the URLs that it serves. */
  readonly origin: string
  readonly client: Client
  readonly socket: Socket
  readonly openedAtMs: number
  isReused: boolean
}

/** Hands out connections, newest idle one first. */
export interface ConnectionPool {
  /** Rejects with `TransportFailure` when none can be had before `signal` aborts. */
  readonly acquire: (url: WebhookUrl, signal: AbortSignal) => Promise<Connection>
  /** Takes back a connection whose answer was read to its end. */
  readonly release: (connection: Connection) => void
  /** Closes what is idle. */
  readonly closeIdle: () => void
}

/** The code of the error that a request gets when its connection was closed while nobody used it. */
export const connectionIsGone = "CONNECTION_IS_GONE"

/**
 * Makes a pool that is bounded per origin and over all origins.
 *
 * An origin with `connectionsPerOriginMax` connections makes further requests wait. A connection older than
 * `connectionMaxAgeMs` is not used again, so that a changed name takes effect; an idle one lives for
 * `connectionIdleMaxMs`, less than common receivers keep theirs. Above `idleConnectionsMax` the longest idle is closed.
 * An origin without connections leaves nothing behind.
 *
 * Source: spec/delivery §4.
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

/** Closes a connection at once, whatever it is doing; a request on it fails. */
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

/** Waits for a place or an idle connection; who gives up leaves the queue. */
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
    // A signal that has aborted says so to nobody who listens later.
    if (signal.aborted) return reject(noTurn())
    origin.waiting.push(take)
    signal.addEventListener("abort", giveUp, { once: true })
  })

const noTurn = () =>
  failure(
    "sender_unavailable",
    "too many notifications are under way to this host; the attempt does not count",
  )

/**
 * A client over one socket that is open already; asked to connect again, it refuses.
 *
 * Its own time-outs are off, since one deadline covers the exchange.
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
      // The client expects its connector to answer later.
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
