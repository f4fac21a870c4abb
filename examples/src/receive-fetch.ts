// Receives notifications with a Fetch handler, as Hono, Next, Deno, Bun and workers call it. `AUTHORITY` is the host of
// the webhook URL. Run it on Node:
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-fetch.ts
import { createServer } from "node:http"
import { Readable } from "node:stream"
import { verifyFetchRequest } from "@tocsin/adapters-http/receiver/FetchReceiver"
import { NotificationRejected } from "@tocsin/adapters-http/receiver/NotificationRejected"
import {
  createNotificationVerifier,
  type VerifiedNotification,
} from "@tocsin/adapters-http/receiver/NotificationVerifier"

/** A Fetch handler that passes every verified notification to `onNotification`. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: (notification: VerifiedNotification) => void,
): ((request: Request) => Promise<Response>) => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  return async (request) => {
    try {
      onNotification(await verifyFetchRequest(verifier, request))
      return new Response(null, { status: 204 })
    } catch (error) {
      console.error("not processed:", error)
      return new Response(null, { status: error instanceof NotificationRejected ? error.status : 500 })
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  const receive = createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  )
  createServer(async (incoming, outgoing) => {
    const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ])
    const url = `http://${incoming.headers.host}${incoming.url}`
    const method = incoming.method ?? "GET"
    const hasBody = method !== "GET" && method !== "HEAD"
    const request = new Request(url, { method, headers, ...(hasBody ? { body, duplex: "half" } : {}) })
    outgoing.writeHead((await receive(request)).status).end()
  }).listen(Number(PORT))
  console.log(`receiving on port ${PORT}`)
}
