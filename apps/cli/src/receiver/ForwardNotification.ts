import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"

/** How a receiver that a notification was forwarded to responded. */
export interface Forwarded {
  readonly url: string
  /** 502 if the receiver did not respond. */
  readonly status: number
  readonly retryAfter?: string | undefined
  /** Why the receiver did not respond. */
  readonly reason?: string
}

/** Longer than a receiver should take, and shorter than the server waits for a response. */
const timeoutMs = 10_000

/**
 * Sends a verified notification to a receiver: with its method, path, query and header fields, also `Host`, so that the receiver can
 * verify the signature again. Redirects are not followed.
 */
export const forwardNotification = (
  origin: URL,
  received: IncomingMessage,
  body: Uint8Array,
): Promise<Forwarded> =>
  new Promise((resolve) => {
    const target = received.url ?? "/"
    const url = `${origin.origin}${target}`
    // These fields are about the connection.
    const {
      "transfer-encoding": _encoding,
      "keep-alive": _keepAlive,
      expect: _expect,
      ...headers
    } = received.headers
    const send = origin.protocol === "https:" ? httpsRequest : httpRequest
    const request = send({
      host: origin.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: origin.port,
      method: received.method,
      path: target,
      headers: { ...headers, connection: "close", "content-length": body.length },
      timeout: timeoutMs,
    })
    request
      .once("response", (response) => {
        response.resume()
        resolve({ url, status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] })
      })
      .once("timeout", () => request.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)))
      .once("error", ({ code, message }: NodeJS.ErrnoException) =>
        resolve({ url, status: 502, reason: code ?? message }),
      )
      .end(body)
  })
