// Receives notifications with Effect. `AUTHORITY` is the host of the webhook URL. Run it:
//   npm install
//   export TOCSIN_BASE_URL=https://tocsin.example.com AUTHORITY=hooks.example.com
//   node --import tsx --conditions=source examples/src/receive-effect.ts
import { createServer } from "node:http"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { verifyEffectRequest } from "@tocsin/adapters-http"
import { nodeListener } from "@tocsin/adapters-http/mounts"
import { createNotificationVerifier, type VerifiedNotification } from "@tocsin/receiver"
import * as Effect from "effect/Effect"

/** A route that passes every verified notification to `onNotification`. */
export const receiverRoute = (
  baseUrl: string,
  authority: string,
  onNotification: (notification: VerifiedNotification) => Effect.Effect<void>,
) => {
  const verifier = createNotificationVerifier({ baseUrl, authority })
  const receive = verifyEffectRequest(verifier).pipe(
    Effect.flatMap(onNotification),
    Effect.as(HttpServerResponse.empty({ status: 204 })),
    Effect.catchTag("NotificationRejected", (rejection) =>
      HttpServerResponse.json({ code: rejection.code }, { status: rejection.status }),
    ),
  )
  return HttpRouter.add("POST", "/hooks/tocsin", receive)
}

if (process.argv[1] === import.meta.filename) {
  const {
    TOCSIN_BASE_URL = "http://127.0.0.1:8080",
    AUTHORITY = "hooks.example.com",
    PORT = "3000",
  } = process.env
  const route = receiverRoute(TOCSIN_BASE_URL, AUTHORITY, (notification) =>
    Effect.log(notification.id, notification.json()),
  )
  const { handler } = HttpRouter.toWebHandler(route, { disableLogger: true })
  createServer(nodeListener({ handle: (request) => handler(request) })).listen(Number(PORT))
  console.log(`receiving on port ${PORT}`)
}
