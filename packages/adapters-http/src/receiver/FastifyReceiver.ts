import { type NodeRequest, verifyNodeBody } from "./NodeReceiver.ts"
import { bodyAlreadyRead } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"

/** A request of Fastify 4 or 5. */
export interface FastifyRequest {
  readonly body: unknown
  readonly originalUrl: string
  readonly raw: Pick<NodeRequest, "method" | "rawHeaders">
}

/**
 * Verifies a request of Fastify.
 *
 * The scope of the route needs a parser that returns the raw bytes:
 * `scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body))`.
 * Without it the request is rejected with `body_already_read`.
 *
 * Rejects with `NotificationRejected`, which Fastify's own error handling turns into a response with its `statusCode`.
 */
export const verifyFastifyRequest = async (
  verifier: NotificationVerifier,
  request: FastifyRequest,
): Promise<VerifiedNotification> => {
  if (!(request.body instanceof Uint8Array)) throw bodyAlreadyRead()
  const { method, rawHeaders } = request.raw
  return verifyNodeBody(
    verifier,
    { ...(method === undefined ? {} : { method }), url: request.originalUrl, rawHeaders },
    request.body,
  )
}
