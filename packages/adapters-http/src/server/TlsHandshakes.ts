import type { Socket } from "node:net"
import { Server, type TLSSocket } from "node:tls"
import { Connections } from "./Connections.ts"

/** A certificate with its chain, and its private key without a passphrase, in PEM. */
export interface TlsCertificate {
  /** The certificate, followed by intermediate certificates. */
  readonly cert: string
  /** Its private key. */
  readonly key: string
}

/**
 * The TLS handshakes of a server, which takes at most 10 seconds each. Connections are HTTP/1.1 over TLS 1.2 or later.
 *
 * At most `handshakesMax` are pending. For a further one, the oldest of the address with the most is closed.
 */
export class TlsHandshakes {
  readonly #server: Server
  readonly #pending: Connections
  readonly #sockets = new Map<string, Socket>()

  constructor(certificate: TlsCertificate, onSecure: (socket: TLSSocket) => void) {
    this.#pending = new Connections(handshakesMax)
    // It never listens: connections are passed to it.
    this.#server = new Server({
      ...certificate,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: handshakeTimeoutMs,
      minVersion: "TLSv1.2",
    })
    this.#server.on("secureConnection", (socket) => {
      this.#end(socket)
      onSecure(socket)
    })
    this.#server.on("tlsClientError", (_, socket) => socket.destroy())
  }

  /** Begins the handshake of a connection. */
  begin(socket: Socket): void {
    const key = endpointOf(socket)
    this.#sockets.set(key, socket)
    this.#pending.accept(socket)
    socket.on("close", () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key)
    })
    this.#server.emit("connection", socket)
  }

  /** Uses another certificate for the handshakes that begin from now on. */
  setCertificate(certificate: TlsCertificate): void {
    this.#server.setSecureContext({ ...certificate, minVersion: "TLSv1.2" })
  }

  /** Closes connections that have been in a handshake for a second, as those without a request. */
  closeUnused(): void {
    this.#pending.closeUnused()
  }

  #end(secure: TLSSocket): void {
    const socket = this.#sockets.get(endpointOf(secure))
    if (socket !== undefined) this.#pending.release(socket)
  }
}

/** Tells the connections of one listener apart. */
const endpointOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

const handshakesMax = 1_024
const handshakeTimeoutMs = 10_000
