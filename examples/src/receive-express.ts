// Receives notifications with Express. `AUTHORITY` is the host of the webhook URL. Run it:
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-express.ts
import { verifyExpressRequest } from "@tocsin/adapters-http/receiver/ExpressReceiver"
import { NotificationRejected } from "@tocsin/adapters-http/receiver/NotificationRejected"
import {
  createNotificationVerifier,
  type VerifiedNotification,
} from "@tocsin/adapters-http/receiver/NotificationVerifier"
import express, { type ErrorRequestHandler, type Express } from "express"

/** An app that passes every verified notification to `onNotification`. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: (notification: VerifiedNotification) => void,
): Express => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const app = express()
  // Before express.json(): the signature is over the raw body.
  app.post("/hooks/tocsin", async (request, response) => {
    onNotification(await verifyExpressRequest(verifier, request))
    response.sendStatus(204)
  })
  app.use(express.json())
  app.use(respondToRejections)
  return app
}

const respondToRejections: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof NotificationRejected)) return next(error)
  console.error("not processed:", error)
  response.status(error.status).json({ code: error.code })
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
