import type { ReceivedBody } from "./Body.ts"
import { rejectReadBody } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"
import { type NotificationResponse, type OnNotification, type OnRejected, respond } from "./Respond.ts"

/** The head of a request of Node's HTTP/1 or HTTP/2 server. */
export interface NodeRequestHead {
  /** Absent before a request has one. */
  readonly method?: string | undefined
  /** The target of the request, or what a framework has left of it. */
  readonly url?: string | undefined
  /** The whole target, where a framework has shortened `url`. */
  readonly originalUrl?: string | undefined
  /** Names and values of the header lines in turn. */
  readonly rawHeaders: ReadonlyArray<string>
}

/** A request of Node's HTTP/1 or HTTP/2 server: `IncomingMessage` or `Http2ServerRequest`. */
export interface NodeRequest extends NodeRequestHead {
  /** Whether something has read of the body. */
  readonly readableDidRead: boolean
  /** Reads the body, and leaves the connection open when it stops early. */
  readonly iterator: (options: { readonly destroyOnReturn: boolean }) => AsyncIterator<unknown>
}

/** A response of Node's HTTP/1 or HTTP/2 server: `ServerResponse` or `Http2ServerResponse`. */
export interface NodeResponse {
  /** The status to send. */
  statusCode: number
  /** Sets a header field. */
  readonly setHeader: (name: string, value: string) => unknown
  /** Sends the response. */
  readonly end: (text?: string) => unknown
}

/**
 * Verifies a request of Node's server.
 *
 * The body must be unread. Rejects with `NotificationRejected`; then respond with `Connection: close` on HTTP/1.1, as the
 * body may be unread.
 */
export const verifyNodeRequest = async (
  verifier: NotificationVerifier,
  request: NodeRequest,
): Promise<VerifiedNotification> => {
  if (request.readableDidRead) return rejectReadBody()
  // Stopping early must not destroy the stream: that would also close the connection of the response.
  const body = {
    [Symbol.asyncIterator]: () =>
      request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array | string>,
  }
  return verifyNodeBody(verifier, request, body)
}

/** Verifies a request of Node's server with a raw body that was already read, for instance by a framework. */
export const verifyNodeBody = (
  verifier: NotificationVerifier,
  request: NodeRequestHead,
  body: ReceivedBody,
): Promise<VerifiedNotification> => {
  const headers: Array<readonly [string, string]> = []
  let authority = ""
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? ""
    const value = request.rawHeaders[index + 1] ?? ""
    const lower = name.toLowerCase()
    if (lower === ":authority" || (lower === "host" && authority === "")) authority = value
    if (!name.startsWith(":")) headers.push([name, value])
  }
  return verifier.verify({
    method: request.method ?? "",
    authority,
    target: request.originalUrl ?? request.url ?? "",
    headers,
    body,
  })
}

/**
 * A listener of Node's server that passes each verified notification to `onNotification` and responds with 204.
 *
 * Rejected notifications get the status of the rejection. When `onNotification` rejects, it responds with 500 and logs the
 * error with `console.error`; the sender repeats the notification.
 */
export const nodeHandler =
  (verifier: NotificationVerifier, onNotification: OnNotification, onRejected?: OnRejected) =>
  async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    try {
      const verifying = verifyNodeRequest(verifier, request)
      sendResponse(response, await respond(verifying, onNotification, onRejected))
    } catch (error) {
      // oxlint-disable-next-line no-console
      console.error("Notification not processed:", error)
      response.statusCode = 500
      response.end()
    }
  }

/** Sends a response, and ends the connection if the body of the request may be unread. */
export const sendResponse = (response: NodeResponse, { status, body }: NotificationResponse): void => {
  response.statusCode = status
  if (body !== undefined) {
    response.setHeader("connection", "close")
    response.setHeader("content-type", "application/json")
  }
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
