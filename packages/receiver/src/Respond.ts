import { NotificationRejected, type NotificationRejectionCode } from "./NotificationRejected.ts"
import type { VerifiedNotification } from "./NotificationVerifier.ts"

/**
 * Processes a verified notification; a promise is awaited. The sender repeats a notification that this rejects, so do what may take long after
 * the response: store the notification here, and process it from there.
 */
export type OnNotification = (notification: VerifiedNotification) => unknown

/** Called with each rejection, to log it. Default: logs with `console.error`. */
export type OnRejected = (rejection: NotificationRejected) => void

/** The response to a notification: 204, or the status of the rejection with its code as JSON. */
export interface NotificationResponse {
  readonly status: number
  readonly body: { readonly code: NotificationRejectionCode } | undefined
}

/** Verifies, processes, and gives the response. Rejects with what `onNotification` rejects with. */
export const respond = async (
  verifying: Promise<VerifiedNotification>,
  onNotification: OnNotification,
  onRejected: OnRejected = logRejection,
): Promise<NotificationResponse> => {
  let notification: VerifiedNotification
  try {
    notification = await verifying
  } catch (rejection) {
    if (!(rejection instanceof NotificationRejected)) throw rejection
    onRejected(rejection)
    return { status: rejection.status, body: { code: rejection.code } }
  }
  await onNotification(notification)
  return { status: 204, body: undefined }
}

const logRejection: OnRejected = (rejection) => {
  // oxlint-disable-next-line no-console
  console.error(`Notification rejected: ${rejection.code}: ${rejection.message}`, ...causeOf(rejection))
}

/** What the message does not say. */
const causeOf = ({ code, cause }: NotificationRejected): ReadonlyArray<unknown> =>
  cause === undefined || code === "keys_unavailable" ? [] : [cause]
