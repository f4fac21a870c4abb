import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { described, named, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { boolean, literals } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { findAlertMethod } from "../notification/FindAlertMethod.ts"
import { logOutages } from "../OutageLog.ts"
import { listById, type PageQuery, readPage } from "../pagination/Page.ts"
import {
  type BulkResend,
  bulkResendBatchMax,
  bulkResendPollMs,
  bulkResendReadMax,
  resendableStates,
  type ResendFilter,
} from "./BulkResend.ts"
import { BulkResendStore } from "./BulkResendStore.ts"

/** The wire format of a resend request. Rejects `null` and `""`, which could otherwise resend more than intended. */
export const resendRequest = named(
  object(
    {
      alertMethod: exactOptional(projectKey(objectName)),
      states: exactOptional(
        described(
          list(literals(resendableStates), { distinct: { by: (state) => state } }),
          "Default: exhausted and failed",
        ),
      ),
      from: exactOptional(described(utcInstant, "Start of the creation time range (inclusive), in UTC")),
      to: exactOptional(described(utcInstant, "End of the creation time range (exclusive), in UTC")),
      dryRun: exactOptional(boolean),
    },
    {
      rules: ({ value: { from, to }, at, issues }) => {
        if (from !== undefined && to !== undefined && from >= to) {
          issues.add(at("to"), "out_of_range", "must be after from")
        }
      },
    },
  ),
  "ResendRequest",
)

/** Which deliveries to resend, and whether only to count them. */
export type ResendRequest = TypeOf<typeof resendRequest>

/**
 * Starts to resend the deliveries that match a request; a dry run only counts them, and returns no `resend`. Without states,
 * it is for exhausted and failed deliveries. Fails with `AlertMethodNotFound`, or with `BulkResendsAreTooMany` unless it is a
 * dry run.
 */
export const requestBulkResend = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { dryRun = false, states = [], ...rest }: ResendRequest,
) {
  const store = yield* BulkResendStore
  // Otherwise a misspelled name would look as if nothing was lost.
  if (rest.alertMethod !== undefined) yield* findAlertMethod(organization, rest.alertMethod)
  const filter: ResendFilter = { ...rest, states: states.length === 0 ? ["exhausted", "failed"] : states }
  const count = yield* store.count(organization, filter, bulkResendReadMax)
  const resend = dryRun ? undefined : yield* store.add(organization, { id: yield* uuidV7, filter, ...count })
  return { count, resend }
})

/** Lists the bulk resends of an organization, newest first: a page, its limit, and the cursor of the next page. */
export const listBulkResends = (organization: OrganizationId, query: PageQuery) =>
  Effect.flatMap(BulkResendStore, (store) =>
    readPage(resendList, query, (page) => store.list(organization, page)),
  )

const resendList = listById("resends", ({ id }: BulkResend) => id)

/** Finds a bulk resend; fails with `BulkResendNotFound`. */
export const findBulkResend = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* BulkResendStore).find(organization, id)
  return Option.isSome(found) ? found.value : yield* new BulkResendNotFound({ id })
})

/** Cancels a bulk resend that is running, and returns it in any state; fails with `BulkResendNotFound`. */
export const cancelBulkResend = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* BulkResendStore).cancel(organization, id)
  return Option.isSome(found) ? found.value : yield* new BulkResendNotFound({ id })
})

/** The organization has no bulk resend with this ID, or its retention has ended. */
export class BulkResendNotFound extends TaggedError("BulkResendNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}

/**
 * Processes the bulk resends of all organizations until its fiber is interrupted.
 *
 * Several processes may run it on one database. A step that fails changes nothing and is retried.
 */
export const runBulkResends: Effect.Effect<never, never, BulkResendStore> = Effect.gen(function* () {
  const store = yield* BulkResendStore
  const logging = yield* logOutages("Bulk resend failed")
  const step = logging(store.step({ batchMax: bulkResendBatchMax, readMax: bulkResendReadMax })).pipe(
    Effect.catchCause(() => Effect.succeed(false)),
  )
  return yield* Effect.forever(
    Effect.flatMap(step, (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(bulkResendPollMs))),
  )
})
