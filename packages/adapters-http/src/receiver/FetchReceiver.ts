import { readReceivedBody } from "./ReceivedBody.ts"
import { bodyAlreadyRead } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import { verifyNotification } from "./VerifyNotification.ts"

/**
 * Reads the raw body of a Fetch `Request` (Hono, Next, Deno, Bun, workers) and verifies it.
 *
 * Host and path are those of `request.url`. The body must be unread. Rejects with
 * `NotificationRejected`.
 */
export const verifyFetchRequest = async (
  verifier: NotificationVerifier,
  request: Request,
): Promise<VerifiedNotification> => {
  if (request.bodyUsed) throw bodyAlreadyRead()
  const rawBody = await readReceivedBody(request.body ?? [], verifier.bodyMaxBytes)
  const { method, url, headers } = request
  return verifyNotification(verifier, { method, url, headers, rawBody })
}
