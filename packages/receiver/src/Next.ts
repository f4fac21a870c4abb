import { fetchHandler } from "./Fetch.ts"
import { nodeHandler, type NodeRequest, type NodeResponse } from "./Node.ts"
import type { NotificationVerifier } from "./NotificationVerifier.ts"
import type { OnNotification, OnRejected } from "./Respond.ts"

/**
 * A route handler of Next's App Router: `export const POST = routeHandler(verifier, onNotification)`.
 *
 * Set the verifier's `authority` to the one host of the webhook URL: behind a proxy, Next's URL has another one.
 */
export const routeHandler: (
  verifier: NotificationVerifier,
  onNotification: OnNotification,
  onRejected?: OnRejected,
) => (request: Request) => Promise<Response> = fetchHandler

/**
 * An API route of Next's Pages Router: `export default apiHandler(verifier, onNotification)`.
 *
 * The page must also have `export const config = { api: { bodyParser: false } }`; otherwise each notification is rejected
 * with `body_already_read`.
 */
export const apiHandler: (
  verifier: NotificationVerifier,
  onNotification: OnNotification,
  onRejected?: OnRejected,
) => (request: NodeRequest, response: NodeResponse) => Promise<void> = nodeHandler
