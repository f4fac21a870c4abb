import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Attempt } from "../notification/Attempt.ts"
import { type NotificationEvent, notificationEvents } from "../notification/Notification.ts"
import { parseChoices, parseTimes } from "../pagination/ListFilter.ts"
import { listById, type Page, type PageQuery, type PageRequest, readPage } from "../pagination/Page.ts"
import { type Delivery, type DeliveryState, deliveryStates } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** A delivery with the latest `attemptsKeptMax` of its attempts, oldest first. */
export interface LoggedDelivery {
  /** The delivery as it is now. */
  readonly delivery: Delivery
  /** Oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  /** The project or the name of the alert method, or both; absent: all. */
  readonly alertMethod?: Partial<ProjectKey>
  /** Absent: all. */
  readonly states?: ReadonlyArray<DeliveryState>
  /** Absent: all. */
  readonly events?: ReadonlyArray<NotificationEvent>
  /** The ID of an alert, which is unique within the organization even if an external evaluator chose it. */
  readonly alertId?: string
  /** Created at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  /** The end of the range, which is not part of it. */
  readonly to?: number
}

/**
 * Port: reads deliveries, queued and settled, and their attempts, which `DeliveryQueue` writes. Settled deliveries may be
 * deleted, oldest first.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<LoggedDelivery>, StoreIsUnavailable>
    /** Newest first, by ID; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      filter: DeliveryFilter,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Delivery>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/delivery/DeliveryLog") {}

/** The query of a list of deliveries, not validated yet; an empty string is treated as omitted. */
export interface ListDeliveriesQuery extends PageQuery {
  /** The project of the alert method. */
  readonly project?: string | undefined
  /** The name of the alert method. */
  readonly alertMethod?: string | undefined
  /** Names of states; empty: all. */
  readonly states: ReadonlyArray<string>
  /** Names of events; empty: all. */
  readonly events: ReadonlyArray<string>
  /** The ID of an alert. */
  readonly alertId?: string | undefined
  /** Date-times in UTC. */
  readonly from?: string | undefined
  /** The end of the range, which is not part of it. */
  readonly to?: string | undefined
}

/** Lists the deliveries of an organization, newest first: a page, its limit, and the cursor of the next page. */
export const listDeliveries = (organization: OrganizationId, query: ListDeliveriesQuery) =>
  readPage(deliveryList, query, (page) =>
    Effect.gen(function* () {
      const states = yield* Effect.fromResult(parseChoices("state", query.states, deliveryStates))
      const events = yield* Effect.fromResult(parseChoices("event", query.events, notificationEvents))
      const times = yield* Effect.fromResult(parseTimes(query))
      const filter: DeliveryFilter = {
        alertMethod: {
          ...(query.project && { project: query.project }),
          ...(query.alertMethod && { name: query.alertMethod }),
        },
        ...(states !== undefined && { states }),
        ...(events !== undefined && { events }),
        ...(query.alertId && { alertId: query.alertId }),
        ...times,
      }
      return yield* (yield* DeliveryLog).list(organization, filter, page)
    }),
  )

const deliveryList = listById("deliveries", ({ notification }: Delivery) => notification.id)

/** Finds a delivery with its attempts; fails with `DeliveryNotFound`. */
export const findDelivery = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* DeliveryLog).find(organization, id)
  return Option.isSome(found) ? found.value : yield* new DeliveryNotFound({ id })
})

/**
 * Resends a delivery with the same ID and a new retry schedule. Fails with `DeliveryNotFound`, and with `TestIsNotResent` for a
 * test, which is one attempt.
 */
export const requestResend = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const { delivery } = yield* findDelivery(organization, id)
  if (delivery.notification.event === "test") return yield* new TestIsNotResent({ id })
  const found = yield* (yield* DeliveryQueue).resend(organization, id)
  return Option.isSome(found) ? found.value : yield* new DeliveryNotFound({ id })
})

/** A test of an alert method is not retried, and not resent. */
export class TestIsNotResent extends TaggedError("TestIsNotResent")<{
  /** The ID of the test. */
  readonly id: string
}> {}

/** The organization has no delivery with this ID, or its retention has ended. */
export class DeliveryNotFound extends TaggedError("DeliveryNotFound")<{
  /** The ID that was searched for. */
  readonly id: string
}> {}
