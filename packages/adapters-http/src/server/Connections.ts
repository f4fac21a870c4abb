import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { newTraceId } from "../frame/ApiRequest.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { errorResponse, type ErrorStatus, oneError } from "../frame/ErrorResponse.ts"

/** Default of the most inbound connections that a server keeps open. */
export const maxConnectionsDefault = 4_096

/** Longest time that a rejected connection stays open for its client to read the response, in milliseconds. */
export const rejectedConnectionLingerMs = 1_000

/** Shortest time that a new connection stays open for its first request while the server closes, in milliseconds. */
const unusedConnectionGraceMs = 1_000

/**
 * The inbound connections of a server, at most `max`.
 *
 * For a further one, the connection that has waited longest for its client is closed: for the rest of a request, for the
 * next one, or for the client to read a response. It is one of the address with the most such connections, so that no
 * address keeps the others out. While the server works for all of them, the further one is rejected with 503.
 */
export class Connections {
  readonly #max: number
  readonly #bySocket = new Map<Socket, Connection>()
  readonly #peers = new Map<string, Peer>()

  constructor(max: number) {
    this.#max = max
  }

  /** `false` if a connection had to be closed or rejected. */
  accept(socket: Socket): boolean {
    const isFull = this.#bySocket.size >= this.#max
    if (isFull && !this.#closeLongestWaiting()) {
      socket.end(rejectionText(tooManyConnections), () => socket.destroy())
      return false
    }
    const address = peerAddress(socket.remoteAddress ?? "")
    const peer = this.#peers.get(address) ?? { address, connections: 0, waiting: new Set() }
    this.#peers.set(address, peer)
    peer.connections += 1
    this.#bySocket.set(socket, new Connection(socket, peer))
    socket.on("close", () => this.release(socket))
    return !isFull
  }

  /** Counts a connection no longer. */
  release(socket: Socket): void {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return
    const { peer } = connection
    this.#bySocket.delete(socket)
    peer.waiting.delete(connection)
    peer.connections -= 1
    if (peer.connections === 0) this.#peers.delete(peer.address)
  }

  /** `undefined` once the connection is closed or released. */
  get(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket)
  }

  /** Closes the connections that have been open for a second without a request: that of a younger one may be on its way. */
  closeUnused(): void {
    const openedBefore = performance.now() - unusedConnectionGraceMs
    for (const { isUnused, waitingSince, socket } of this.#bySocket.values())
      if (isUnused && waitingSince <= openedBefore) socket.destroy()
  }

  #closeLongestWaiting(): boolean {
    let longest: Connection | undefined
    let most = 1
    for (const { waiting } of this.#peers.values()) {
      if (waiting.size < most) continue
      const [first] = waiting
      if (first === undefined) continue
      if (longest === undefined || waiting.size > most || first.waitingSince < longest.waitingSince)
        longest = first
      most = waiting.size
    }
    if (longest === undefined) return false
    // The descriptor is free only when the socket has closed, but no longer counts.
    this.release(longest.socket)
    longest.socket.destroy()
    return true
  }
}

/** The connections of one address. */
interface Peer {
  readonly address: string
  connections: number
  /** The longest waiting first. */
  readonly waiting: Set<Connection>
}

/** One connection, which waits for its client at first. */
export class Connection {
  readonly socket: Socket
  /** On the clock of `performance.now`. */
  waitingSince = 0
  isUnused = true
  /** An error is the last response; what the client sends further is ignored. */
  isRejected = false
  readonly peer: Peer
  #response: ServerResponse | undefined
  #requests = 0

  constructor(socket: Socket, peer: Peer) {
    this.socket = socket
    this.peer = peer
    this.waitForClient()
    // Node closes a connection with this after its last response. Destroying it before all that the client sent was read
    // would reset it, so that the client might never see the response.
    socket.destroySoon = () => this.#close()
  }

  /** A request has begun; its response comes last. */
  begin(response: ServerResponse): void {
    this.isUnused = false
    this.#response = response
    this.#requests += 1
    this.work()
  }

  /** The server has done its part for a request. */
  finish(): void {
    this.#requests -= 1
    if (this.#requests === 0) this.waitForClient()
  }

  waitForClient(): void {
    const { waiting } = this.peer
    if (waiting.has(this)) return
    this.waitingSince = performance.now()
    waiting.add(this)
  }

  /** The server works for the client, which keeps the connection open. */
  work(): void {
    this.peer.waiting.delete(this)
  }

  /** Sends an error after the responses that are due, and closes the connection. */
  reject(error: ErrorStatus): void {
    if (this.isRejected) return
    this.isRejected = true
    const response = this.#response
    if (response === undefined || response.writableFinished || isBrokenRequest(response))
      this.#sendError(error)
    else response.on("finish", () => this.#sendError(error))
  }

  #sendError(error: ErrorStatus): void {
    if (!this.socket.writable) return
    this.socket.write(rejectionText(error))
    this.#close()
  }

  #close(): void {
    const { socket } = this
    this.waitForClient()
    if (socket.destroyed) return
    const isAllRead = this.#response?.req.complete === true && !this.isRejected
    if (isAllRead) {
      socket.end(() => socket.destroy())
      return
    }
    socket.end()
    const timer = setTimeout(() => socket.destroy(), rejectedConnectionLingerMs)
    socket.on("close", () => clearTimeout(timer))
  }
}

/** Whether the response is the next one to be sent, and its request did not arrive whole. */
const isBrokenRequest = (response: ServerResponse): boolean =>
  response.socket !== null && !response.headersSent && !response.req.complete

/** An address of IPv4, or the /64 network of one of IPv6, which one client usually has for itself. */
const peerAddress = (address: string): string => {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [start = "", end] = address.split("::")
  const groups = start.split(":")
  if (end !== undefined) while (groups.length < 4) groups.push("0")
  return groups.slice(0, 4).join(":")
}

/** The response to a request that cannot be routed; the connection is closed after it. */
const rejectionResponse = (error: ErrorStatus): ApiResponse => {
  const { status, headers, body } = errorResponse(error)
  return {
    status,
    headers: {
      ...headers,
      "x-content-type-options": "nosniff",
      "trace-id": newTraceId(),
      connection: "close",
    },
    body,
  }
}

const rejectionText = (error: ErrorStatus): string => {
  const { status, headers, body } = rejectionResponse(error)
  const lines = Object.entries({ ...headers, "content-length": `${Buffer.byteLength(body)}` })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`
}

const tooManyConnections = oneError(
  503,
  {
    title: "Too many connections",
    code: "too_many_connections",
    detail: "Try again in a few seconds. TOCSIN_MAX_CONNECTIONS is the limit.",
  },
  { "retry-after": "1" },
)
