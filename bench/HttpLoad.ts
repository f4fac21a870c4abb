import { Pool } from "undici"

/** A request, and the very answer that it must get. */
export interface ExpectedExchange {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Connections of the load, each with one request at a time. */
const loadConnections = 8

/** Connections to a server of this machine that stay open between rounds. */
export const openConnections = (port: number): Pool =>
  new Pool(`http://127.0.0.1:${port}`, {
    connections: loadConnections,
    pipelining: 1,
    keepAliveTimeout: 60_000,
  })

/** Makes every exchange once, over all connections; rejects at the first answer that is not the expected one. */
export const exchangeAll = async (pool: Pool, exchanges: ReadonlyArray<ExpectedExchange>): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    for (let exchange = exchanges[next++]; exchange !== undefined; exchange = exchanges[next++]) {
      const { statusCode, body } = await pool.request({
        method: "GET",
        path: exchange.path,
        headers: { ...exchange.headers },
      })
      const received = Buffer.from(await body.arrayBuffer())
      if (statusCode !== 200)
        throw new Error(`${exchange.path} was answered ${statusCode}: ${received.toString()}`)
      if (!received.equals(exchange.body)) throw new Error(`${exchange.path} was answered with another body`)
    }
  }
  await Promise.all(Array.from({ length: loadConnections }, work))
}
