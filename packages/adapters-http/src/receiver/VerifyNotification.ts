import { bodyAlreadyRead } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"

/** A request of any platform. */
export interface NotificationRequest {
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
 * Verifies a request of a platform that has no receiver of its own.
 *
 * Rejects with `NotificationRejected`.
 */
export const verifyNotification = async (
  verifier: NotificationVerifier,
  { method, url, headers, rawBody }: NotificationRequest,
): Promise<VerifiedNotification> => {
  if (!(rawBody instanceof Uint8Array)) throw bodyAlreadyRead()
  const { host, pathname, search } = new URL(url)
  return verifier.verify({
    method,
    authority: host,
    target: pathname + search,
    headers: isIterable(headers) ? [...headers] : Object.entries(headers).flatMap(fieldToLines),
    body: rawBody,
  })
}

const isIterable = (
  headers: NotificationRequest["headers"],
): headers is Iterable<readonly [name: string, value: string]> => Symbol.iterator in headers

const fieldToLines = ([name, value]: readonly [string, string | ReadonlyArray<string> | undefined]) =>
  (value === undefined ? [] : typeof value === "string" ? [value] : value).map(
    (line) => [name, line] as const,
  )
