import * as Result from "effect/Result"
import { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import {
  connectionsPerOriginMax,
  idleConnectionsMax,
  closeConnection,
  makeConnectionPool,
} from "@tocsin/adapters-http/egress/ConnectionPool"
import { parseWebhookUrl } from "@tocsin/domain/alert-method/WebhookUrl"
import { publicAddressesOnly } from "@tocsin/domain/alert-method/AddressPolicy"
import { TransportFailure } from "@tocsin/domain/notification/WebhookTransport"
import { describe, expect, it } from "vitest"

const urlOf = (host: string) => {
  const url = parseWebhookUrl(`https://${host}/`, publicAddressesOnly)
  if (Result.isFailure(url)) throw new Error(url.failure.message)
  return url.success
}

const origin = urlOf("hooks.example.com")
const never = new AbortController().signal

/** A pool whose connections lead nowhere. */
const deadPool = () => makeConnectionPool(() => Promise.resolve(new TLSSocket(new Socket())))

/** Takes every place that an origin has. */
const fill = (pool: ReturnType<typeof deadPool>) =>
  Promise.all(Array.from({ length: connectionsPerOriginMax }, () => pool.acquire(origin, never)))

describe("the pool of connections", () => {
  it("gives the newest idle connection of the same origin, and says that it is reused", async () => {
    const pool = deadPool()
    const [first, second] = [await pool.acquire(origin, never), await pool.acquire(origin, never)]
    expect([first.isReused, second.isReused]).toEqual([false, false])
    pool.release(first)
    pool.release(second)
    expect(await pool.acquire(urlOf("hooks.example.com:8443"), never)).not.toBe(second)
    expect(await pool.acquire(origin, never)).toBe(second)
    expect(await pool.acquire(origin, never)).toBe(first)
    expect([first.isReused, second.isReused]).toEqual([true, true])
  })

  it("never gives a connection that was closed meanwhile", async () => {
    const pool = deadPool()
    const closed = await pool.acquire(origin, never)
    pool.release(closed)
    closed.socket.destroy()
    expect(await pool.acquire(origin, never)).not.toBe(closed)
  })

  it("lets a request beyond an origin's places wait for one that is given back", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const waiting = pool.acquire(origin, never)
    if (first !== undefined) pool.release(first)
    expect(await waiting).toBe(first)
  })

  it("lets a waiting request open a connection when one is closed", async () => {
    const pool = deadPool()
    const connections = await fill(pool)
    const waiting = pool.acquire(origin, never)
    if (connections[0] !== undefined) closeConnection(connections[0])
    expect(connections).not.toContain(await waiting)
  })

  it("a request that waits in vain is our own fault, and leaves its turn to the next", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const abort = new AbortController()
    const inVain = pool.acquire(origin, abort.signal).catch((error: unknown) => error)
    const next = pool.acquire(origin, never)
    abort.abort()
    const failure = await inVain
    expect(failure).toBeInstanceOf(TransportFailure)
    expect(failure).toMatchObject({ reason: "sender_unavailable", isInfrastructureFault: true })
    if (first !== undefined) pool.release(first)
    expect(await next).toBe(first)
  })

  it("a request whose time was up before it had to wait does not wait", async () => {
    const pool = deadPool()
    const [first] = await fill(pool)
    const inVain = pool.acquire(origin, AbortSignal.abort())
    await expect(inVain).rejects.toMatchObject({ reason: "sender_unavailable", isInfrastructureFault: true })
    const next = pool.acquire(origin, never)
    if (first !== undefined) pool.release(first)
    expect(await next).toBe(first)
  })

  it("a connection that fails gives its place back", async () => {
    let fails = true
    const pool = makeConnectionPool(() =>
      fails ? Promise.reject(new Error("no way")) : Promise.resolve(new TLSSocket(new Socket())),
    )
    for (let n = 0; n <= connectionsPerOriginMax; n++) {
      await expect(pool.acquire(origin, never)).rejects.toThrow("no way")
    }
    fails = false
    expect(await fill(pool)).toHaveLength(connectionsPerOriginMax)
  })

  it("keeps 256 idle connections over all origins, and closes the longest idle beyond", async () => {
    const pool = deadPool()
    const connections = await Promise.all(
      Array.from({ length: idleConnectionsMax + 1 }, (_, n) =>
        pool.acquire(urlOf(`h${n}.example.com`), never),
      ),
    )
    for (const connection of connections) pool.release(connection)
    expect(connections.map(({ socket }) => socket.destroyed).indexOf(false)).toBe(1)
    expect(connections.filter(({ socket }) => socket.destroyed)).toHaveLength(1)
    pool.closeIdle()
    expect(connections.every(({ socket }) => socket.destroyed)).toBe(true)
  })
})
