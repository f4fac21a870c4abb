import { fetchHandler, verifyFetchRequest } from "./Fetch.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import type { OnNotification, OnRejected } from "./Respond.ts"

/** A context of Hono 4. */
export interface HonoContext {
  /** The request, and within it that of Fetch. */
  readonly req: { readonly raw: Request }
}

/** Verifies the request of a context of Hono, whose body must be unread. Rejects with `NotificationRejected`. */
export const verifyHonoRequest = (
  verifier: NotificationVerifier,
  context: HonoContext,
): Promise<VerifiedNotification> => verifyFetchRequest(verifier, context.req.raw)

/**
 * A handler of Hono: `app.post("/hooks/tocsin", honoHandler(verifier, onNotification))`.
 *
 * Passes each verified notification to `onNotification` and responds with 204; rejected notifications get the status of
 * the rejection. What `onNotification` rejects with goes to `app.onError`.
 */
export const honoHandler = (
  verifier: NotificationVerifier,
  onNotification: OnNotification,
  onRejected?: OnRejected,
): ((context: HonoContext) => Promise<Response>) => {
  const handle = fetchHandler(verifier, onNotification, onRejected)
  return (context) => handle(context.req.raw)
}
