import { Client } from "pg"

/**
 * A class of connections that break when a statement stays without an answer for `deadlineMs`.
 *
 * The server's own time-out comes first. This one is for a server that hangs or a network that swallows: whoever waits
 * gets an error, and the pool a new connection, rather than one whose next answer would belong to somebody else.
 */
export const deadlineClient = (deadlineMs: number): typeof Client => {
  class DeadlineClient extends Client {
    // The driver's signatures are many; the callback is the last argument in all that are used.
    override query(...given: ReadonlyArray<unknown>): never {
      const callback = given.at(-1)
      const query = super.query.bind(this) as (...args: ReadonlyArray<unknown>) => never
      if (typeof callback !== "function") return query(...given)
      const timer = setTimeout(() => breakConnection(this), deadlineMs)
      return query(...given.slice(0, -1), (...answer: ReadonlyArray<unknown>) => {
        clearTimeout(timer)
        callback(...answer)
      })
    }
  }
  return DeadlineClient
}

const breakConnection = (client: Client): void => {
  const { connection } = client as unknown as {
    readonly connection: { readonly stream: { destroy(): void } }
  }
  connection.stream.destroy()
}
