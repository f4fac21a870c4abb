import { bodyTooLarge, NotificationRejected } from "./NotificationRejected.ts"

/**
 * Reads the raw body of a notification, at most `bodyMaxBytes`.
 *
 * Rejects with `NotificationRejected`: `body_too_large`, or `body_incomplete` when the connection ends before the body.
 */
export const readReceivedBody = async (
  received: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  bodyMaxBytes: number,
): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of received) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
      size += bytes.length
      if (size > bodyMaxBytes) throw bodyTooLarge(bodyMaxBytes)
      chunks.push(bytes)
    }
  } catch (cause) {
    if (cause instanceof NotificationRejected) throw cause
    throw new NotificationRejected({
      code: "body_incomplete",
      message: "the connection ended before the body did",
      cause,
    })
  }
  return Buffer.concat(chunks)
}
