import { type NodeRequest, verifyNodeBody, verifyNodeRequest } from "./NodeReceiver.ts"
import { bodyAlreadyRead } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"

/** A request of Express 4 or 5. */
export type ExpressRequest = NodeRequest & { readonly body?: unknown }

/**
 * Verifies a request of Express.
 *
 * Put the route before `express.json()`, or use `express.raw({ type: "application/json" })` on it: a parsed body is
 * rejected with `body_already_read`, since its raw bytes are lost. The path is `originalUrl`, so that routers may be
 * mounted anywhere.
 *
 * Rejects with `NotificationRejected`, which Express's own error handling turns into a response with its `status`.
 */
export const verifyExpressRequest = async (
  verifier: NotificationVerifier,
  request: ExpressRequest,
): Promise<VerifiedNotification> => {
  if (request.body instanceof Uint8Array) return verifyNodeBody(verifier, request, request.body)
  if (request.readableDidRead) throw bodyAlreadyRead()
  return verifyNodeRequest(verifier, request)
}
