import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ApiFetchHandler } from "../server/FetchHandler.ts"

/** A listener of `http.createServer`, and a handler of Express and other frameworks on Node's server. */
export type NodeListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: (error: unknown) => void,
) => Promise<void>

/**
 * Mounts the API on Node's server: `http.createServer(nodeListener(tocsin))`, or in Express `app.use("/api", nodeListener(tocsin))`,
 * before anything that reads the body.
 */
export const nodeListener =
  ({ handle }: Pick<ApiFetchHandler, "handle">): NodeListener =>
  async (incoming, outgoing, next) => {
    const departure = new AbortController()
    outgoing.on("close", () => departure.abort())
    try {
      const request = fetchRequest(incoming, departure.signal)
      if (request === undefined) return void outgoing.writeHead(400, { connection: "close" }).end()
      const { status, headers, body } = await handle(request, { peerAddress: incoming.socket.remoteAddress })
      // What has not been read of the body would be read before the next request of the connection.
      if (!incoming.complete) outgoing.setHeader("connection", "close")
      for (const [name, value] of headers) outgoing.appendHeader(name, value)
      outgoing.writeHead(status)
      if (body === null) outgoing.end()
      else await pipeline(Readable.fromWeb(body as never), outgoing)
    } catch (error) {
      // If the client has disconnected, nothing is sent. A response that has begun is cut off, so that the client notices.
      if (departure.signal.aborted || outgoing.headersSent) outgoing.destroy()
      else if (next !== undefined) next(error)
      else outgoing.writeHead(500).end()
    }
  }

/** The request of a Fetch handler; `undefined` if it can have none, such as for TRACE or a `Host` that is no host. */
const fetchRequest = (incoming: IncomingMessage, signal: AbortSignal): Request | undefined => {
  const { method = "GET", rawHeaders } = incoming
  // Express removes the mount path from `url`; `originalUrl` is the complete URL.
  const target = (incoming as { originalUrl?: string }).originalUrl ?? incoming.url
  const host = incoming.headers.host ?? "localhost"
  // A host with a path would send the request to another path than the one that the framework has routed.
  if (/[/\\?#@]/.test(host) || target?.startsWith("/") !== true) return undefined
  try {
    const headers = new Headers()
    for (let index = 0; index < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "")
    }
    return new Request(`http://${host}${target}`, {
      method,
      headers,
      signal,
      ...(method === "GET" || method === "HEAD"
        ? {}
        : { body: Readable.toWeb(incoming) as never, duplex: "half" }),
    })
  } catch {
    return undefined
  }
}
