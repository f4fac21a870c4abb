import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { described, named } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { plainText } from "../codec/PlainText.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Alert, AlertStatus } from "./Alert.ts"
import { type AlertChange, type AlertLookupResult, AlertNotFound, AlertStore } from "./AlertStore.ts"
import { unchanged } from "./NotifyAlert.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Longest note of an acknowledgement, in characters. */
const acknowledgementNoteMaxCharacters = 1_000

/** The request to acknowledge an alert. */
export const acknowledgementRequest = named(
  object({
    note: optional(
      described(
        plainText({ max: acknowledgementNoteMaxCharacters }),
        "What others should know. Shown with the alert, never sent. A blank note is treated as omitted",
      ),
      { isEmpty: (note) => note.trim() === "" },
    ),
  }),
  "AcknowledgementRequest",
)

/**
 * Acknowledges an open alert, with a note without its surrounding whitespace if there is one: it is not sent again and does not escalate. Returns the alert.
 *
 * An alert that is acknowledged already stays as it is, with its first acknowledgement. Fails with `AlertNotFound`, or
 * with `AlertIsClosed` for an alert that was resolved or canceled before anyone acknowledged it.
 */
export const acknowledgeAlert = (
  organization: OrganizationId,
  alertId: string,
  by: string,
  note?: string,
): Effect.Effect<Alert, AlertNotFound | AlertIsClosed | StoreIsUnavailable, AlertStore> =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const text = note?.trim()
    const now = yield* Clock.currentTimeMillis
    const { items } = yield* store.list(organization, { ids: [alertId] }, { limit: 1 })
    const [found] = items
    if (found === undefined) return yield* new AlertNotFound()
    let acknowledged = found
    const decide = ({
      withId,
    }: AlertLookupResult): Result.Result<AlertChange, AlertNotFound | AlertIsClosed> => {
      if (withId === undefined) return Result.fail(new AlertNotFound())
      acknowledged = withId
      if (withId.acknowledgement !== undefined) return Result.succeed(unchanged(alertId))
      if (withId.status !== "triggered") return Result.fail(new AlertIsClosed({ status: withId.status }))
      acknowledged = {
        ...withId,
        acknowledgement: { at: Math.max(now, withId.triggeredAt), by, ...(text && { note: text }) },
      }
      return Result.succeed({ ...unchanged(alertId), put: acknowledged })
    }
    const lookup = { subject: found.subject, id: alertId }
    yield* Effect.catchTag(
      store.change(organization, lookup, undefined, decide),
      "IdempotencyKeyIsReused",
      Effect.die,
    )
    return acknowledged
  })

/** Only an open alert can be acknowledged. */
export class AlertIsClosed extends TaggedError("AlertIsClosed")<{
  /** How the alert was closed. */
  readonly status: Exclude<AlertStatus, "triggered">
}> {}
