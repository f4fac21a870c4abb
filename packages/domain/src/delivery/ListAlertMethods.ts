import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Delivery } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { type MethodHealth, type MethodState, methodState } from "./MethodHealth.ts"
import { listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"

/** The query of a list of alert methods, not validated yet; an empty string is treated as omitted. */
export interface ListAlertMethodsQuery extends PageQuery {
  readonly project?: string | undefined
}

/** An alert method with its health. */
export interface ListedAlertMethod {
  readonly definition: AlertMethod
  readonly state: MethodState
  readonly health: MethodHealth
  /** Absent: there was none, or its retention has ended. */
  readonly latestDelivery?: Delivery
}

/**
 * Lists alert methods with their health, in the order of project, then name, by code point: a page, its limit, and the
 * cursor of the next page.
 */
export const listAlertMethods = (organization: OrganizationId, query: ListAlertMethodsQuery) =>
  Effect.gen(function* () {
    const store = yield* DefinitionStore
    const endpoints = yield* EndpointStore
    const queue = yield* DeliveryQueue
    const wanted = { kind: "AlertMethod", ...(query.project && { project: query.project }) } as const
    const { items, ...page } = yield* readPage(alertMethodList, query, (request) =>
      store.list(organization, wanted, request),
    )
    const activities = yield* endpoints.activities(
      organization,
      items.map(({ definition: { metadata } }) => ({ project: metadata.project, name: metadata.name })),
    )
    const { isPaused: isAllPaused } = yield* queue.pauseState
    const alertMethods = items.flatMap(({ definition }, index): ReadonlyArray<ListedAlertMethod> => {
      const activity = activities[index]
      if (activity === undefined) return []
      const { latestDelivery, ...endpoint } = activity
      const health: MethodHealth = { ...endpoint, isAllPaused }
      return [{ definition, state: methodState(health), health, ...(latestDelivery && { latestDelivery }) }]
    })
    return { alertMethods, ...page }
  })

const alertMethodList = listByProjectKey(
  "console/alertmethods",
  ({ definition }: StoredDefinition<AlertMethod>) => definition.metadata,
)
