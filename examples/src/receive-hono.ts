// Receives notifications with Hono. `AUTHORITY` is the host of the webhook URL. Run it:
//   npm install
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-hono.ts
import { createServer } from "node:http"
import { createNotificationVerifier, type OnNotification } from "@tocsin/receiver"
import { honoHandler } from "@tocsin/receiver/hono"
import { Hono } from "hono"
import { nodeListener } from "@tocsin/adapters-http/mounts"

/** An app that passes every verified notification to `onNotification`. */
export const createReceiver = (baseUrl: string, authority: string, onNotification: OnNotification): Hono => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const app = new Hono()
  app.post("/hooks/tocsin", honoHandler(verifier, onNotification))
  return app
}

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  const app = createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  )
  // For Node.js. Deno, Bun and workers run `app` directly.
  createServer(nodeListener({ handle: async (request) => app.fetch(request) })).listen(Number(PORT))
  console.log(`receiving on port ${PORT}`)
}
