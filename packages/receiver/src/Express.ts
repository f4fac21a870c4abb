import {
  type NodeRequest,
  type NodeResponse,
  sendResponse,
  verifyNodeBody,
  verifyNodeRequest,
} from "./Node.ts"
import { rejectReadBody } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import { type OnNotification, type OnRejected, respond } from "./Respond.ts"

/** A request of Express 4 or 5. */
export interface ExpressRequest extends NodeRequest {
  /** What `express.raw()` or another parser has read; absent before. */
  readonly body?: unknown
}

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
  return request.readableDidRead ? rejectReadBody() : verifyNodeRequest(verifier, request)
}

/**
 * A handler of Express: `app.post("/hooks/tocsin", expressHandler(verifier, onNotification))`, before `express.json()`.
 *
 * Passes each verified notification to `onNotification` and responds with 204; rejected notifications get the status of
 * the rejection. What `onNotification` rejects with goes to `next`.
 */
export const expressHandler =
  (verifier: NotificationVerifier, onNotification: OnNotification, onRejected?: OnRejected) =>
  async (request: ExpressRequest, response: NodeResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      const verifying = verifyExpressRequest(verifier, request)
      sendResponse(response, await respond(verifying, onNotification, onRejected))
    } catch (error) {
      next(error)
    }
  }
