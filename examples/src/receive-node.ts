// Receives notifications with Node's own server. `AUTHORITY` is the host of the webhook URL. Run it:
//   node --import tsx --conditions=source examples/src/receive-node.ts
import { createServer, type Server } from "node:http"
import { createNotificationVerifier, type OnNotification } from "@tocsin/receiver"
import { nodeHandler } from "@tocsin/receiver/node"

/** A server that passes every verified notification to `onNotification`. If that fails, it responds with 500, and Tocsin retries. */
export const createReceiver = (baseUrl: string, authority: string, onNotification: OnNotification): Server =>
  createServer(nodeHandler(createNotificationVerifier({ baseUrl, authority }), onNotification))

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  ).listen(Number(PORT), "127.0.0.1", () => console.log(`receiving on port ${PORT}`))
}
