import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { logOutages } from "../OutageLog.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { listById, type PageQuery, readPage } from "../pagination/Page.ts"
import { bulkResendReadMax, bulkResendBatchMax, bulkResendPollMs, type BulkResend } from "./BulkResend.ts"
import { BulkResendStore } from "./BulkResendStore.ts"
import { decodeResendRequest } from "./DecodeResendRequest.ts"

/** The organization has no bulk resend with this ID, or its retention has expired. */
export class BulkResendNotFound extends Data.TaggedError("BulkResendNotFound")<{ readonly id: string }> {}

/**
 * Begins to resend the deliveries that a request, parsed from JSON, asks for; a dry run only counts them. Fails with
 * `ResendIsInvalid`, and with `BulkResendsAreTooMany`, but for a dry run.
 *
 * `resend` is absent after a dry run.
 */
export const requestBulkResend = (organization: OrganizationId, body: unknown) =>
  Effect.gen(function* () {
    const store = yield* BulkResendStore
    const { filter, isDryRun } = yield* Effect.fromResult(decodeResendRequest(body))
    const count = yield* store.count(organization, filter, bulkResendReadMax)
    const resend = isDryRun
      ? undefined
      : yield* store.add(organization, { id: yield* uuidV7, filter, ...count })
    return { count, resend }
  })

/**
 * Lists bulk resends of an organization, newest first. Returns a page, its limit and the cursor of the next page.
 */
export const listBulkResends = (organization: OrganizationId, query: PageQuery) =>
  Effect.flatMap(BulkResendStore, (store) =>
    readPage(resendList, query, (page) => store.list(organization, page)),
  )

/** Finds a bulk resend; fails with `BulkResendNotFound`. */
export const findBulkResend = (organization: OrganizationId, id: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* BulkResendStore).find(organization, id)
    return Option.isSome(found) ? found.value : yield* new BulkResendNotFound({ id })
  })

/** Ends a bulk resend before all is resent, if it still runs; fails with `BulkResendNotFound`. */
export const cancelBulkResend = (organization: OrganizationId, id: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* BulkResendStore).cancel(organization, id)
    return Option.isSome(found) ? found.value : yield* new BulkResendNotFound({ id })
  })

const resendList = listById("resends", ({ id }: BulkResend) => id)

/**
 * Carries out the bulk resends of all organizations, for as long as its fiber lives; a host forks it into a scope.
 *
 * Several processes may run it on one database. A step that fails changes nothing: it is tried again.
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
