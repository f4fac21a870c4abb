import { NotificationRefused } from "./NotificationRefused.ts"
import {
  bodyAlreadyRead,
  bodyTooLarge,
  type NotificationVerifier,
  type VerifiedNotification,
} from "./NotificationVerifier.ts"
import { verifyNotification } from "./VerifyNotification.ts"

/**
 * Reads the raw body of a Fetch `Request` (Hono, Next, Deno, Bun, workers) and verifies it.
 *
 * Host and path are those of `request.url`. Nothing may have read the body before. Rejects with
 * `NotificationRefused`.
 *
 * Source: contract section 5.3.
 */
export const verifyFetchRequest = async (
  verifier: NotificationVerifier,
  request: Request,
): Promise<VerifiedNotification> => {
  if (request.bodyUsed) throw bodyAlreadyRead()
  const rawBody = await readBody(request, verifier.bodyMaxBytes)
  const { method, url, headers } = request
  return verifyNotification(verifier, { method, url, headers, rawBody })
}

const readBody = async (request: Request, bodyMaxBytes: number): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length
      if (size > bodyMaxBytes) throw bodyTooLarge(bodyMaxBytes)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof NotificationRefused) throw cause
    throw new NotificationRefused({
      code: "body_incomplete",
      message: "the connection ended before the body did",
      cause,
    })
  }
  return Buffer.concat(chunks)
}
