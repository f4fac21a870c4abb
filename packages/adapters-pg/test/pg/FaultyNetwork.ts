import type { PgConnection } from "@tocsin/adapters-pg/admin"
import * as Redacted from "effect/Redacted"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { freePort } from "../../../../test/FreePort.ts"

/** A network between a pool and the database that can fail. */
export interface FaultyNetwork {
  readonly connection: PgConnection
  /** Breaks every connection and refuses new ones. */
  readonly cut: () => Promise<void>
  /** Breaks every connection; new ones work. */
  readonly breakConnections: () => void
  /** Takes what is sent and passes nothing on. */
  readonly hang: () => void
  /** Makes everything work again. */
  readonly repair: () => Promise<void>
}

/** Puts a network that can fail in front of a database. `watch` is called for each connection; what it returns, for what is sent. */
export const faultyNetwork = async (
  to: PgConnection,
  watch: () => (sent: Buffer) => void = () => () => undefined,
): Promise<FaultyNetwork> => {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = reach(to)
    near.on("data", watch())
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on("data", (data) => isHanging || other.write(data))
      one.on("error", () => undefined)
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  let isHanging = false
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, "127.0.0.1", resolve))
  const breakConnections = (): void => sockets.forEach((socket) => socket.destroy())
  const port = Number(await freePort())
  await listen(port)
  return {
    connection: { url: Redacted.make(urlThrough(to, port)) },
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        breakConnections()
      }),
    breakConnections,
    hang: () => {
      isHanging = true
    },
    repair: async () => {
      // What was swallowed makes a connection useless.
      if (isHanging) breakConnections()
      isHanging = false
      if (!server.listening) await listen(port)
    },
  }
}

const reach = (to: PgConnection): Socket => {
  if ("socketDirectory" in to) return connect(join(to.socketDirectory, `.s.PGSQL.${to.port}`))
  const { hostname, port } = new URL(Redacted.value(to.url))
  return connect(Number(port || "5432"), hostname)
}

const urlThrough = (to: PgConnection, port: number): string => {
  if ("socketDirectory" in to) return `postgres://${to.user}@127.0.0.1:${port}/${to.database}`
  const url = new URL(Redacted.value(to.url))
  url.host = `127.0.0.1:${port}`
  return url.href
}
