import { Effect } from "effect"
import type { OrganizationId } from "../definition/Definition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { Delivery } from "../notification/Delivery.ts"
import { DeliveryQueue } from "../notification/DeliveryQueue.ts"
import { type MethodHealth, type MethodState, methodState } from "../notification/MethodHealth.ts"
import { readCursor, writeCursor } from "../pagination/Cursor.ts"
import { parsePageLimit } from "../pagination/PageLimit.ts"
import { resultToEffect } from "../Result.ts"
import type { AlertMethod } from "./AlertMethod.ts"

/** Which page of the alert methods to tell, as the query says it; an empty text counts as absent. */
export interface ListAlertMethodsQuery {
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
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
    const queue = yield* DeliveryQueue
    const limit = yield* resultToEffect(parsePageLimit(query.limit || undefined))
    const cursor = query.cursor ?? ""
    const after = cursor === "" ? undefined : yield* resultToEffect(readCursor(endpoint, 2, cursor))
    const { items, hasMore } = yield* store.list(
      organization,
      { kind: "AlertMethod", ...(query.project && { project: query.project }) },
      { limit, ...(after && { after: { project: after[0] ?? "", name: after[1] ?? "" } }) },
    )
    const definitions = items.map(({ definition }) => definition)
    const activities = yield* queue.activities(
      organization,
      definitions.map(({ metadata: { project, name } }) => ({ project, name })),
    )
    const { isPaused: isAllPaused } = yield* queue.pauseState("all")
    const alertMethods = definitions.flatMap((definition, index): ReadonlyArray<ListedAlertMethod> => {
      const activity = activities[index]
      if (activity === undefined) return []
      const { latestDelivery, ...known } = activity
      const health: MethodHealth = { ...known, isAllPaused }
      return [{ definition, state: methodState(health), health, ...(latestDelivery && { latestDelivery }) }]
    })
    const last = definitions.at(-1)?.metadata
    const next = hasMore && last ? writeCursor(endpoint, [last.project, last.name]) : undefined
    return { alertMethods, limit, next }
  })

const endpoint = "console/alertmethods"
