// Receives notifications with Express. `AUTHORITY` is the host of the webhook URL. Run it:
//   npm install
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-express.ts
import { createNotificationVerifier, type OnNotification } from "@tocsin/receiver"
import { expressHandler } from "@tocsin/receiver/express"
import express, { type Express } from "express"

/** An app that passes every verified notification to `onNotification`. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: OnNotification,
): Express => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const app = express()
  // Before express.json(): the signature covers the raw body.
  app.post("/hooks/tocsin", expressHandler(verifier, onNotification))
  app.use(express.json())
  return app
}

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  ).listen(Number(PORT))
  console.log(`receiving on port ${PORT}`)
}
