import * as Result from "effect/Result"
import { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import {
  closeConnection,
  type Connection,
  type ConnectionPool,
  idleConnectionsMax,
  makeConnectionPool,
  type StartedRequest,
} from "../../src/ConnectionPool.ts"
import { connectionsInUseMax, connectionsPerOriginMax } from "../../src/ConnectionSlots.ts"
import { parseWebhookUrl, publicAddressesOnly } from "@tocsin/domain/delivery"
import { TransportFailure } from "@tocsin/domain/ports"
import { describe, expect, it } from "vitest"
import { deferred } from "./deferred.ts"

const urlOf = (host: string) => {
  const url = parseWebhookUrl(`https://${host}/`, publicAddressesOnly)
  if (Result.isFailure(url)) throw new Error(url.failure.message)
  return url.success
}

/** A pool whose connections lead nowhere. */
const deadPool = () => makeConnectionPool(() => Promise.resolve(new TLSSocket(new Socket())))

interface RequestOptions {
  readonly organization?: string
  readonly host?: string
  readonly deadlineMs?: number
  readonly abort?: AbortController
}

/** A request that has its connection, and its end: the response was read completely, or the connection was closed. */
interface Exchange {
  readonly connection: Connection
  readonly started: StartedRequest
  readonly end: (isComplete?: boolean) => Promise<void>
}

const begin = async (pool: ConnectionPool, options: RequestOptions = {}): Promise<Exchange> => {
  const { organization = "acme", host = "hooks.example.com", deadlineMs = 15_000 } = options
  const { abort = new AbortController() } = options
  const connected = deferred<Omit<Exchange, "end">>()
  const ended = deferred<{ readonly isComplete: boolean }>()
  const used = pool.use({ organization, url: urlOf(host), deadlineMs, abort }, async (started) => {
    connected.resolve({ connection: await started.connect(), started })
    return ended.promise
  })
  const exchange = await Promise.race([connected.promise, used.then(() => connected.promise)])
  return {
    ...exchange,
    end: async (isComplete = true) => {
      if (!isComplete) closeConnection(exchange.connection)
      ended.resolve({ isComplete })
      await used
    },
  }
}

/** Takes every connection that an organization may use to one origin. */
const fill = (pool: ConnectionPool, options?: RequestOptions) =>
  Promise.all(Array.from({ length: connectionsPerOriginMax }, () => begin(pool, options)))

/** Whether a promise is still pending after everything that can happen at once has happened. */
const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise((resolve) => setTimeout(resolve, 10, "later"))
  return (await Promise.race([promise.catch(() => undefined), later])) === "later"
}

describe("the pool of connections", () => {
  it("reuses the newest idle connection to the same origin, and says so", async () => {
    const pool = deadPool()
    const [first, second] = [await begin(pool), await begin(pool)]
    expect([first.connection.isReused, second.connection.isReused]).toEqual([false, false])
    await first.end()
    await second.end()
    const other = await begin(pool, { host: "hooks.example.com:8443" })
    expect(other.connection).not.toBe(second.connection)
    expect((await begin(pool)).connection).toBe(second.connection)
    expect((await begin(pool)).connection).toBe(first.connection)
    expect([first.connection.isReused, second.connection.isReused]).toEqual([true, true])
  })

  it("spec/delivery §17: never reuses the connection of another organization", async () => {
    const pool = deadPool()
    const first = await begin(pool, { organization: "acme" })
    await first.end()
    const other = await begin(pool, { organization: "globex" })
    expect(other.connection).not.toBe(first.connection)
    expect(other.connection.isReused).toBe(false)
    expect((await begin(pool, { organization: "acme" })).connection).toBe(first.connection)
  })

  it("never reuses a connection that was closed meanwhile, or whose response is incomplete", async () => {
    const pool = deadPool()
    const closed = await begin(pool)
    await closed.end()
    closed.connection.socket.destroy()
    const incomplete = await begin(pool)
    expect(incomplete.connection).not.toBe(closed.connection)
    await incomplete.end(false)
    expect((await begin(pool)).connection).not.toBe(incomplete.connection)
  })

  it("spec/delivery §17: a request beyond the limit waits for a connection that is returned", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const waiting = begin(pool)
    expect(await isPending(waiting)).toBe(true)
    await first?.end()
    expect((await waiting).connection).toBe(first?.connection)
  })

  it("a request that waits opens a connection when one is closed", async () => {
    const pool = deadPool()
    const exchanges = await fill(pool)
    const waiting = begin(pool)
    await exchanges[0]?.end(false)
    const { connection } = await waiting
    expect(exchanges.map((exchange) => exchange.connection)).not.toContain(connection)
  })

  it("spec/delivery §17: a full organization delays no other at the same origin", async () => {
    const pool = deadPool()
    await fill(pool, { organization: "acme" })
    const waiting = begin(pool, { organization: "acme" })
    expect((await begin(pool, { organization: "globex" })).started.waitedMs).toBeLessThan(1_000)
    expect(await isPending(waiting)).toBe(true)
  })

  it("spec/delivery §17: the deadline counts from the start, not while the request waits", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const waiting = begin(pool, { deadlineMs: 40 })
    await new Promise((resolve) => setTimeout(resolve, 80))
    await first?.end()
    const { started } = await waiting
    expect(started.waitedMs).toBeGreaterThanOrEqual(75)
    expect(started.signal.aborted).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(started.signal.aborted).toBe(true)
  })

  it("a request that is interrupted while it waits leaves its turn to the next", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const abort = new AbortController()
    const interrupted = begin(pool, { abort }).catch((error: unknown) => error)
    const next = begin(pool)
    abort.abort()
    const failure = await interrupted
    expect(failure).toBeInstanceOf(TransportFailure)
    expect(failure).toMatchObject({ reason: "sender_unavailable", isInfrastructureFault: true })
    await first?.end()
    expect((await next).connection).toBe(first?.connection)
  })

  it("a request that was interrupted before it had to wait does not wait", async () => {
    const pool = deadPool()
    const abort = new AbortController()
    abort.abort()
    await expect(begin(pool, { abort })).rejects.toMatchObject({
      reason: "sender_unavailable",
      isInfrastructureFault: true,
    })
  })

  it("a connection that cannot be opened takes no place", async () => {
    let fails = true
    const pool = makeConnectionPool(() =>
      fails ? Promise.reject(new Error("no way")) : Promise.resolve(new TLSSocket(new Socket())),
    )
    for (let n = 0; n <= connectionsPerOriginMax; n++) await expect(begin(pool)).rejects.toThrow("no way")
    fails = false
    expect(await fill(pool)).toHaveLength(connectionsPerOriginMax)
  })

  it("keeps 256 idle connections over all origins, and closes the longest idle beyond", async () => {
    const pool = deadPool()
    const exchanges = await Promise.all(
      Array.from({ length: idleConnectionsMax + 1 }, (_, n) =>
        begin(pool, { organization: `o${n % 7}`, host: `h${n}.example.com` }),
      ),
    )
    for (const exchange of exchanges) await exchange.end()
    const isDestroyed = exchanges.map(({ connection }) => connection.socket.destroyed)
    expect(isDestroyed.indexOf(false)).toBe(1)
    expect(isDestroyed.filter((destroyed) => destroyed)).toHaveLength(1)
    await pool.close()
    expect(exchanges.every(({ connection }) => connection.socket.destroyed)).toBe(true)
  })

  it("spec/delivery §17: thousands of origins keep to the limits of connections in use and idle", async () => {
    let open = 0
    let openMax = 0
    const pool = makeConnectionPool(async () => {
      const socket = new Socket()
      openMax = Math.max(openMax, ++open)
      socket.once("close", () => (open -= 1))
      return socket
    })
    let inUse = 0
    let inUseMost = 0
    const requests = Array.from({ length: 3_000 }, (_, n) =>
      pool.use(
        {
          organization: `o${n % 30}`,
          url: urlOf(`h${n}.example.com`),
          deadlineMs: 15_000,
          abort: new AbortController(),
        },
        async ({ connect }) => {
          await connect()
          inUseMost = Math.max(inUseMost, ++inUse)
          await new Promise((resolve) => setImmediate(resolve))
          inUse -= 1
          return { isComplete: true }
        },
      ),
    )
    await Promise.all(requests)
    await new Promise((resolve) => setImmediate(resolve))
    expect(inUseMost).toBe(connectionsInUseMax)
    expect(openMax).toBeLessThanOrEqual(2 * connectionsInUseMax + idleConnectionsMax)
    expect(open).toBe(idleConnectionsMax)
    await pool.close()
  })

  it("closing rejects what waits and what comes, and waits for what has started", async () => {
    const pool = deadPool()
    const exchanges = await fill(pool)
    const waiting = begin(pool)
    const closing = pool.close()
    const shutDown = { reason: "sender_unavailable", detail: "the sender is shutting down" }
    await expect(waiting).rejects.toMatchObject(shutDown)
    await expect(begin(pool, { organization: "globex" })).rejects.toMatchObject(shutDown)
    expect(await isPending(closing)).toBe(true)
    for (const exchange of exchanges) await exchange.end()
    await closing
    expect(exchanges.every(({ connection }) => connection.socket.destroyed)).toBe(true)
  })
})
