// Receives notifications with a Fetch handler, as Next, Deno, Bun and workers call it. `AUTHORITY` is the host of the
// webhook URL. Run it on Node:
//   npm install
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-fetch.ts
import { createServer } from "node:http"
import { createNotificationVerifier, type OnNotification } from "@tocsin/receiver"
import { fetchHandler } from "@tocsin/receiver/fetch"
import { nodeListener } from "@tocsin/adapters-http/mounts"

/** A Fetch handler that passes every verified notification to `onNotification`. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: OnNotification,
): ((request: Request) => Promise<Response>) =>
  fetchHandler(createNotificationVerifier({ baseUrl, authority }), onNotification)

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  const receive = createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  )
  createServer(nodeListener({ handle: receive })).listen(Number(PORT))
  console.log(`receiving on port ${PORT}`)
}
