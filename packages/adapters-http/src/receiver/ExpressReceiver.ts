import { type NodeRequest, verifyNodeBody, verifyNodeRequest } from "./NodeReceiver.ts"
import {
  bodyAlreadyRead,
  type NotificationVerifier,
  type VerifiedNotification,
} from "./NotificationVerifier.ts"

/** What is used of Express's request, version 4 or 5. */
export type ExpressRequest = NodeRequest & { readonly body?: unknown }

/**
 * Verifies a request of Express.
 *
 * Put the route before `express.json()`, or use `express.raw({ type: "application/json" })` on it: a parsed body is
 * refused with `body_already_read`, since its raw bytes are gone. The path is `originalUrl`, so that routers may be
 * mounted anywhere.
 *
 * Rejects with `NotificationRejected`, which Express's own error handling answers with its `status`.
 *
 * Source: spec/signatures §9.
 */
export const verifyExpressRequest = async (
  verifier: NotificationVerifier,
  request: ExpressRequest,
): Promise<VerifiedNotification> => {
  if (request.body instanceof Uint8Array) return verifyNodeBody(verifier, request, request.body)
  if (request.readableDidRead) throw bodyAlreadyRead()
  return verifyNodeRequest(verifier, request)
}
