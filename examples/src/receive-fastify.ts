// Receives notifications with Fastify. `AUTHORITY` is the host of the webhook URL. Run it:
//   npm install
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-fastify.ts
import { createNotificationVerifier, type OnNotification } from "@tocsin/receiver"
import { fastifyReceiver } from "@tocsin/receiver/fastify"
import fastify, { type FastifyInstance } from "fastify"

/** An app that passes every verified notification to `onNotification`. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: OnNotification,
): FastifyInstance => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const app = fastify()
  app.register(fastifyReceiver(verifier, "/hooks/tocsin", onNotification))
  return app
}

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  const receiver = createReceiver(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    console.log(notification.id, notification.json()),
  )
  await receiver.listen({ port: Number(PORT) })
  console.log(`receiving on port ${PORT}`)
}
