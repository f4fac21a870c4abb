import { type AddressInfo, connect, type Socket } from "node:net"
import { createServer } from "node:tls"
import type { Certificates } from "../egress/certificates.ts"

/** A proxy that ends TLS, forwards each byte as it came to a port of 127.0.0.1, and keeps the requests. */
export interface TlsFront {
  /** `localhost:port`, or `[::1]:port`. */
  readonly authority: string
  readonly port: number
  readonly forwardTo: (port: number) => void
  /** The bytes of the last request to a target, such as `/hook?x=1`; fails if there was none. */
  readonly lastTo: (target: string) => Buffer
  readonly close: () => Promise<void>
}

/** Listens on a free port of a loopback address. */
export const startTlsFront = async (
  { cert, key }: Certificates,
  host: "127.0.0.1" | "::1",
): Promise<TlsFront> => {
  let receiverPort = 0
  const sockets = new Set<Socket>()
  const streams: Array<Array<Buffer>> = []
  const server = createServer({ cert, key }, (outside) => {
    const inside = connect(receiverPort, "127.0.0.1")
    const stream: Array<Buffer> = []
    streams.push(stream)
    outside.on("data", (chunk: Buffer) => stream.push(chunk))
    for (const socket of [outside, inside]) {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      socket.on("error", () => {
        outside.destroy()
        inside.destroy()
      })
    }
    outside.pipe(inside).pipe(outside)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    authority: host === "::1" ? `[::1]:${port}` : `localhost:${port}`,
    port,
    forwardTo: (to) => void (receiverPort = to),
    lastTo: (target) => {
      const requests = streams.flatMap((stream) => requestsOf(Buffer.concat(stream)))
      const last = requests.findLast((bytes) => bytes.toString("latin1").split(" ", 2)[1] === target)
      if (last === undefined) throw new Error(`no request to ${target}`)
      return last
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** The requests of a connection, in order; each announces the length of its body. */
const requestsOf = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const headEnd = bytes.indexOf("\r\n\r\n") + 4
  if (headEnd < 4) return []
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(bytes.toString("latin1", 0, headEnd))?.[1])
  const end = headEnd + length
  return [bytes.subarray(0, end), ...requestsOf(bytes.subarray(end))]
}

/** Sends a request as it is to a port of 127.0.0.1 and gives the status of the response. */
export const sendBytes = (port: number, bytes: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    let response = ""
    socket.setTimeout(30_000, () => socket.destroy(new Error("no response within 30 s")))
    socket.on("error", reject)
    socket.on("close", () => reject(new Error(`the connection was closed after "${response}"`)))
    socket.on("data", (chunk) => {
      response += chunk.toString("latin1")
      const status = /^HTTP\/1\.[01] (\d{3})[^\r]*\r\n/.exec(response)?.[1]
      if (status === undefined) return
      resolve(Number(status))
      socket.destroy()
    })
  })
