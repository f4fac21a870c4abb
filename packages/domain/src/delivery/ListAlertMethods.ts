import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import type { Delivery } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { type MethodHealth, type MethodState, methodState } from "./MethodHealth.ts"
import { listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"

/** Which page of the alert methods to tell, as the query says it; an empty text counts as absent. */
export interface ListAlertMethodsQuery extends PageQuery {
  readonly project?: string | undefined
}

/** An alert method, and how it is. */
export interface ListedAlertMethod {
  readonly definition: AlertMethod
  readonly state: MethodState
  readonly health: MethodHealth
  /** Absent: there was none, or it is forgotten. */
  readonly latestDelivery?: Delivery
}

/**
 * Lists alert methods with how each of them is, in the order of project, then name, by code point: a page, its limit,
 * and the cursor of the next one.
 *
 * Source: decision 0707.
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
