import type { IncomingMessage } from "node:http"
import { readReceivedBody } from "./ReceivedBody.ts"
import {
  bodyAlreadyRead,
  type NotificationVerifier,
  type VerifiedNotification,
} from "./NotificationVerifier.ts"

/** A request of Node's HTTP/1 or HTTP/2 server; `originalUrl` is there where a framework has cut `url`. */
export type NodeRequest = Pick<
  IncomingMessage,
  "method" | "url" | "rawHeaders" | "readableDidRead" | "iterator"
> & { readonly originalUrl?: string }

/**
 * Reads the raw body of a request of Node's server and verifies it.
 *
 * Nothing may have read the body before. Rejects with `NotificationRejected`; then the rest of the body is unread, so
 * answer with `Connection: close`.
 *
 * Source: spec/signatures §9.
 */
export const verifyNodeRequest = async (
  verifier: NotificationVerifier,
  request: NodeRequest,
): Promise<VerifiedNotification> => {
  if (request.readableDidRead) throw bodyAlreadyRead()
  // The stream is kept when reading stops early: destroying it would take the answer's connection with it.
  const chunks = request.iterator({ destroyOnReturn: false })
  return verifyNodeBody(verifier, request, await readReceivedBody(chunks, verifier.bodyMaxBytes))
}

/** Verifies a request of Node's server whose raw body was read already, for instance by a framework. */
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
