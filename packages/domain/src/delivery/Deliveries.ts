import * as Result from "effect/Result"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { parseChoices, parseTimes } from "../pagination/ListFilter.ts"
import { listById, type PageQuery, readPage } from "../pagination/Page.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { type Delivery, deliveryStates } from "./Delivery.ts"
import { DeliveryLog, type DeliveryQuery } from "./DeliveryLog.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { deliveredEvents } from "../notification/Notification.ts"

/** The organization has no delivery with this ID, or its retention has ended. */
export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound")<{ readonly id: string }> {}

/** The query of a list of deliveries, not validated yet; an empty string is treated as omitted. */
export interface ListDeliveriesQuery extends PageQuery {
  /** The project and the name of an alert method. */
  readonly project?: string | undefined
  readonly alertMethod?: string | undefined
  readonly states: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
  /** The exact ID of an alert. */
  readonly alertId?: string | undefined
  /** Created at from ≤ t < to, as date-times in UTC. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Lists the deliveries of an organization, newest first: a page, its limit, and the cursor of the next page. */
export const listDeliveries = (organization: OrganizationId, query: ListDeliveriesQuery) =>
  readPage(deliveryList, query, (page) =>
    Effect.gen(function* () {
      const wanted = yield* Effect.fromResult(parseQuery(query))
      return yield* (yield* DeliveryLog).list(organization, wanted, page)
    }),
  )

/** Finds a delivery with its attempts; fails with `DeliveryNotFound`. */
export const findDelivery = (organization: OrganizationId, id: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* DeliveryLog).find(organization, id)
    return Option.isSome(found) ? found.value : yield* new DeliveryNotFound({ id })
  })

/** Resends a delivery with the same ID and a new retry schedule; fails with `DeliveryNotFound`. */
export const requestResend = (organization: OrganizationId, id: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* DeliveryQueue).resend(organization, id)
    return Option.isSome(found) ? found.value : yield* new DeliveryNotFound({ id })
  })

const deliveryList = listById("deliveries", ({ notification }: Delivery) => notification.id)

const parseQuery = (query: ListDeliveriesQuery): Result.Result<DeliveryQuery, ParameterIsInvalid> =>
  Result.gen(function* () {
    const states = yield* parseChoices("state", query.states, deliveryStates)
    const events = yield* parseChoices("event", query.events, deliveredEvents)
    const times = yield* parseTimes(query)
    return {
      alertMethod: {
        ...(query.project && { project: query.project }),
        ...(query.alertMethod && { name: query.alertMethod }),
      },
      ...(states !== undefined && { states }),
      ...(events !== undefined && { events }),
      ...(query.alertId && { alertId: query.alertId }),
      ...times,
    }
  })
