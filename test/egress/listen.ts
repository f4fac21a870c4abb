import type { AddressInfo, Server, Socket } from "node:net"

/** A server on a free port of 127.0.0.1, the sockets it has accepted, and its end. */
export interface Receiver {
  readonly port: number
  readonly sockets: ReadonlyArray<Socket>
  readonly close: () => Promise<void>
}

/** Listens on a free port of loopback and remembers every socket, so that closing is at once. */
export const listen = async (server: Server): Promise<Receiver> => {
  const sockets: Array<Socket> = []
  server.on("connection", (socket: Socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
