import type { IncomingMessage } from "node:http"
import { readReceivedBody } from "./ReceivedBody.ts"
import { bodyAlreadyRead } from "./NotificationRejected.ts"
import type { NotificationVerifier, VerifiedNotification } from "./NotificationVerifier.ts"

/** A request of Node's HTTP/1 or HTTP/2 server; `originalUrl` is set where a framework has shortened `url`. */
export type NodeRequest = Pick<
  IncomingMessage,
  "method" | "url" | "rawHeaders" | "readableDidRead" | "iterator"
> & { readonly originalUrl?: string }

/**
 * Reads the raw body of a request of Node's server and verifies it.
 *
 * The body must be unread. Rejects with `NotificationRejected`; then respond with `Connection: close`, as the rest of the
 * body is unread.
 */
export const verifyNodeRequest = async (
  verifier: NotificationVerifier,
  request: NodeRequest,
): Promise<VerifiedNotification> => {
  if (request.readableDidRead) throw bodyAlreadyRead()
  // Stopping early must not destroy the stream: that would also close the connection of the response.
  const chunks = request.iterator({ destroyOnReturn: false })
  return verifyNodeBody(verifier, request, await readReceivedBody(chunks, verifier.bodyMaxBytes))
}

/** Verifies a request of Node's server with a raw body that was already read, for instance by a framework. */
export const verifyNodeBody = (
  verifier: NotificationVerifier,
  request: Pick<NodeRequest, "method" | "url" | "originalUrl" | "rawHeaders">,
  body: Uint8Array,
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
