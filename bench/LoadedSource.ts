import { once } from "node:events"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

/** A Prometheus that has much else to do. */
export interface LoadedSource {
  readonly url: string
  /** How many queries it has answered. */
  readonly queries: () => number
  readonly close: () => void
}

/** Most queries that it works on at once; others wait. */
const queriesAtOnce = 4

/** What a query takes besides what Prometheus needs for it, in milliseconds: between 50 and 200, in a fixed order. */
const delayOf = (query: number): number => 50 + ((query * 37) % 151)

/** Answers for the server at `target` as if that were loaded. */
export const startLoadedSource = async (target: string): Promise<LoadedSource> => {
  const agent = new Agent({ keepAlive: true })
  const waiting: Array<() => void> = []
  let inFlight = 0
  let queries = 0
  const serve = async (handle: () => Promise<unknown>): Promise<void> => {
    if (inFlight === queriesAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else inFlight++
    try {
      await wait(delayOf(queries++))
      await handle()
    } finally {
      const next = waiting.shift()
      if (next === undefined) inFlight--
      else next()
    }
  }
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const forward = async (): Promise<void> => {
      const outbound = request(`${target}${url ?? "/"}`, { method, headers, agent })
      incoming.pipe(outbound)
      const [response] = await once(outbound, "response")
      outgoing.writeHead(response.statusCode, response.headers)
      response.pipe(outgoing)
      await once(outgoing, "close")
    }
    // A client that has ended its request early has no use for the answer.
    serve(forward).catch(() => outgoing.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries: () => queries,
    close: () => {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
