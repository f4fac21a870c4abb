// Receives notifications with Fastify. `AUTHORITY` is the host of the webhook URL. Run it:
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-fastify.ts
import { verifyFastifyRequest } from "@tocsin/adapters-http/receiver/FastifyReceiver"
import {
  createNotificationVerifier,
  type VerifiedNotification,
} from "@tocsin/adapters-http/receiver/NotificationVerifier"
import fastify, { type FastifyInstance } from "fastify"

/** An app that passes every verified notification to `onNotification`. Fastify responds to rejections with their status. */
export const createReceiver = (
  baseUrl: string,
  authority: string,
  onNotification: (notification: VerifiedNotification) => void,
): FastifyInstance => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const app = fastify({ bodyLimit: verifier.bodyMaxBytes })
  app.register(async (scope) => {
    // Do not parse the body in this scope: the signature is over the raw body.
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body)
    })
    scope.post("/hooks/tocsin", async (request, reply) => {
      onNotification(await verifyFastifyRequest(verifier, request))
      return reply.code(204).send()
    })
  })
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
