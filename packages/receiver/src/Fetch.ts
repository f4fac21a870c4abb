import { rejectReadBody } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import { type OnNotification, type OnRejected, respond } from "./Respond.ts"

/**
 * Verifies a Fetch `Request` (Hono, Next, Deno, Bun, workers).
 *
 * Host and path are those of `request.url`. The body must be unread. Rejects with `NotificationRejected`.
 */
export const verifyFetchRequest = async (
  verifier: NotificationVerifier,
  request: Request,
): Promise<VerifiedNotification> => {
  if (request.bodyUsed) return rejectReadBody()
  const { host, pathname, search } = new URL(request.url)
  const { method, headers, body } = request
  return verifier.verify({ method, authority: host, target: pathname + search, headers: [...headers], body })
}

/**
 * A Fetch handler that passes each verified notification to `onNotification` and responds with 204.
 *
 * Rejected notifications get the status of the rejection. Rejects with what `onNotification` rejects with: the platform
 * then responds with 500, and the sender repeats the notification.
 */
export const fetchHandler =
  (verifier: NotificationVerifier, onNotification: OnNotification, onRejected?: OnRejected) =>
  async (request: Request): Promise<Response> => {
    const { status, body } = await respond(verifyFetchRequest(verifier, request), onNotification, onRejected)
    return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
  }
