import { isBytes, NotificationRejected, reject, rejectWrongBody } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"

/** A request of any platform. */
export interface NotificationRequest {
  /** As sent: `POST`. */
  readonly method: string
  /** The full URL, with the host and path that the sender used. */
  readonly url: string
  /** The header fields, as an object (several lines of one field as an array) or as lines. */
  readonly headers:
    | Iterable<readonly [name: string, value: string]>
    | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The raw bytes of the body. */
  readonly rawBody: Uint8Array
}

/**
 * Verifies a request of a platform that has no function of its own here.
 *
 * Rejects with `NotificationRejected` only, even if the argument is not a request.
 */
export const verifyNotification = async (
  verifier: NotificationVerifier,
  request: NotificationRequest,
): Promise<VerifiedNotification> => {
  try {
    const { method, url, headers, rawBody } = request
    if (!isBytes(rawBody)) return rejectWrongBody("rawBody", rawBody)
    const { host, pathname, search } = new URL(url)
    const lines = Symbol.iterator in headers ? [...headers] : Object.entries(headers).flatMap(fieldToLines)
    return await verifier.verify({
      method,
      authority: host,
      target: pathname + search,
      headers: lines,
      body: rawBody,
    })
  } catch (cause) {
    if (cause instanceof NotificationRejected) throw cause
    return reject(
      "request_invalid",
      "the request must have method, headers, and url as an absolute URL",
      cause,
    )
  }
}

const fieldToLines = ([name, value]: readonly [string, string | ReadonlyArray<string> | undefined]) =>
  (value === undefined ? [] : typeof value === "string" ? [value] : value).map(
    (line) => [name, line] as const,
  )
