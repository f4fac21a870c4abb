import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { limitFailedCredentials } from "../access/ProveCredential.ts"
import { AcknowledgeTokens } from "../notification/AcknowledgeLink.ts"
import { acknowledgeAlert, AlertIsClosed } from "./AcknowledgeAlert.ts"
import { AlertNotFound, AlertStore } from "./AlertStore.ts"

/** The author of an acknowledgement by link: whoever has the link. */
const linkAuthor = "link"

/**
 * The alert of a link, without a change. Fails with `AlertNotFound`, `AlertIsClosed` for an alert that was resolved or
 * canceled before anyone acknowledged it, or `AcknowledgeTokenIsInvalid`.
 *
 * Forged tokens count against the limit of failed credentials of the client's network, and fail with `RateLimitIsExceeded`
 * beyond it.
 */
export const findLinkedAlert = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const { organization, alertId } = yield* linkedAlert(token, clientAddress)
  const { items } = yield* (yield* AlertStore).list(organization, { ids: [alertId] }, { limit: 1 })
  const [alert] = items
  if (alert === undefined) return yield* new AlertNotFound()
  if (alert.acknowledgement === undefined && alert.status !== "triggered")
    return yield* new AlertIsClosed({ status: alert.status })
  return alert
})

/**
 * Acknowledges the alert of a link; fails as `findLinkedAlert` does. Only the first acknowledgement of an alert changes it, so
 * a link has an effect at most once.
 */
export const acknowledgeByLink = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const { organization, alertId } = yield* linkedAlert(token, clientAddress)
  return yield* acknowledgeAlert(organization, alertId, linkAuthor)
})

/** The token is verified before the limit, so that forged tokens of others block nobody. */
const linkedAlert = Effect.fnUntraced(function* (token: string, clientAddress: string) {
  const tokens = yield* AcknowledgeTokens
  return yield* Effect.tapError(tokens.verify(token, yield* Clock.currentTimeMillis), ({ reason }) =>
    reason === "malformed" ? limitFailedCredentials(clientAddress) : Effect.void,
  )
})
