import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Effect from "effect/Effect"
import { NotificationRejected, type NotificationVerifier, type VerifiedNotification } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { type NodeRequest, verifyNodeRequest } from "@tocsin/receiver/node"

/**
 * Reads the raw body of the request that Effect is serving, on Node's server or in a Fetch handler, and verifies it.
 *
 * Uses the original request: changes by middleware have no effect. Fails with `NotificationRejected`.
 */
export const verifyEffectRequest = (
  verifier: NotificationVerifier,
): Effect.Effect<VerifiedNotification, NotificationRejected, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ source }) => {
    if (source instanceof Request) return attempt(() => verifyFetchRequest(verifier, source))
    if (isNodeRequest(source)) return attempt(() => verifyNodeRequest(verifier, source))
    return Effect.die(new Error("verifyEffectRequest knows Node's server and Fetch handlers only"))
  })

/** Verification rejects with `NotificationRejected`; anything else is a defect. */
const attempt = (verify: () => Promise<VerifiedNotification>) =>
  Effect.catchDefect(Effect.promise(verify), (cause) =>
    cause instanceof NotificationRejected ? Effect.fail(cause) : Effect.die(cause),
  )

const isNodeRequest = (source: unknown): source is NodeRequest =>
  typeof source === "object" && source !== null && "rawHeaders" in source && "iterator" in source
