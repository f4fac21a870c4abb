import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** What the line to a server does: it forwards, ends every connection, or lets requests wait for ever. */
type LineState = "connected" | "cut" | "silent"

/** A line to a server that a test cuts and joins again, at one address. */
export interface ServerLine {
  readonly url: string
  readonly set: (state: LineState) => void
  readonly close: () => Promise<void>
}

/** Opens a line to a server on this machine. */
export const openLine = async (url: string): Promise<ServerLine> => {
  const { hostname, port } = new URL(url)
  let state: LineState = "connected"
  const sockets = new Set<Socket>()
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  }
  const listener = createServer((near) => {
    track(near)
    if (state === "cut") {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    track(far)
    near.on("data", (bytes) => {
      if (state === "connected") far.write(bytes)
    })
    far.on("data", (bytes) => {
      if (state === "connected") near.write(bytes)
    })
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    set: (next) => {
      // Whoever waited in silence starts anew when the line is joined.
      if (next !== state && next !== "silent") for (const socket of sockets) socket.destroy()
      state = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
