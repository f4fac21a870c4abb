import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import type { AlertMethod } from "../alert-method/AlertMethod.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { findAlertMethod } from "../notification/FindAlertMethod.ts"
import { listByProjectKey, type PageQuery, readPage } from "../pagination/Page.ts"
import type { Delivery } from "./Delivery.ts"
import { DeliveryQueue } from "./DeliveryQueue.ts"
import { type EndpointState, EndpointStore } from "./EndpointStore.ts"

/** The health of an alert method, and every pause that applies to it. */
export interface MethodHealth extends EndpointState {
  /** Whether the operator paused all deliveries. */
  readonly isAllPaused: boolean
}

/** The states of alert methods; the first that applies is shown. `unused`: nothing was sent to the receiver yet. */
export const methodStates = ["disabled", "paused", "failing", "unused", "healthy"] as const

export const methodState = ({ health, pause, isAllPaused }: MethodHealth): (typeof methodStates)[number] => {
  if (health.disabled !== undefined) return "disabled"
  if (pause.isPaused || isAllPaused) return "paused"
  if (health.failures > 0) return "failing"
  return health.lastSuccessAt === undefined ? "unused" : "healthy"
}

/**
 * Those of some alert methods that send nothing now, by `projectKeyText`: they are disabled or paused, do not exist, or are of types that
 * are stored without effect. Those that `exists` names exist even if they are not stored. A pause of all deliveries by the operator
 * does not count.
 */
export const readStoppedMethods = Effect.fnUntraced(function* (
  organization: OrganizationId,
  alertMethods: Iterable<ProjectKey>,
  exists: ReadonlySet<string> = new Set(),
) {
  const keys = new Map([...alertMethods].map((key) => [projectKeyText(key), key]))
  const stopped = new Set(keys.keys())
  if (stopped.size === 0) return stopped
  for (const each of exists) stopped.delete(each)
  const wanted = [...keys.values()].map(({ project, name }) => ({ project, name }))
  const found = yield* (yield* DefinitionStore).findAll(organization, "AlertMethod", wanted)
  for (const { definition } of found) stopped.delete(projectKeyText(definition.metadata))
  for (const key of yield* (yield* EndpointStore).stopped(organization, wanted))
    stopped.add(projectKeyText(key))
  return stopped
})

/** Finds the health of an alert method, and its pauses; fails with `AlertMethodNotFound`. */
export const findMethodHealth = (organization: OrganizationId, key: ProjectKey) =>
  Effect.andThen(findAlertMethod(organization, key), healthOf(organization, key))

/**
 * Enables an alert method that was disabled after failures; fails with `AlertMethodNotFound`. Deliveries that failed
 * meanwhile are not resent.
 */
export const enableMethod = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  yield* findAlertMethod(organization, key)
  yield* (yield* EndpointStore).enable(organization, key)
  return yield* healthOf(organization, key)
})

/**
 * Pauses or resumes the deliveries of an alert method; fails with `AlertMethodNotFound`.
 *
 * Deliveries in flight are finished: the method is drained once `pause.inFlight` is 0.
 */
export const pauseMethod = Effect.fnUntraced(function* (
  organization: OrganizationId,
  key: ProjectKey,
  isPaused: boolean,
) {
  yield* findAlertMethod(organization, key)
  yield* (yield* EndpointStore).setPaused(organization, key, isPaused)
  return yield* healthOf(organization, key)
})

const healthOf = Effect.fnUntraced(function* (organization: OrganizationId, key: ProjectKey) {
  const endpoint = yield* (yield* EndpointStore).find(organization, key)
  const isAllPaused = yield* (yield* DeliveryQueue).isPaused
  const health: MethodHealth = { ...endpoint, isAllPaused }
  return health
})

/** The query of a list of alert methods, not validated yet; an empty string is treated as omitted. */
export interface ListAlertMethodsQuery extends PageQuery {
  readonly project?: string | undefined
}

/** An alert method with its health. */
export interface ListedAlertMethod {
  readonly definition: AlertMethod
  readonly state: (typeof methodStates)[number]
  readonly health: MethodHealth
  /** Absent if there was none, or its retention has ended. */
  readonly latestDelivery?: Delivery
}

/**
 * Lists alert methods with their health, in the order of project, then name, by code point: a page, its limit, and the
 * cursor of the next page.
 */
export const listAlertMethods = Effect.fnUntraced(function* (
  organization: OrganizationId,
  query: ListAlertMethodsQuery,
) {
  const store = yield* DefinitionStore
  const wanted = { kind: "AlertMethod", ...(query.project && { project: query.project }) } as const
  const { items, ...page } = yield* readPage(alertMethodList, query, (request) =>
    store.list(organization, wanted, request),
  )
  const activities = yield* (yield* EndpointStore).activities(
    organization,
    items.map(({ definition: { metadata } }) => ({ project: metadata.project, name: metadata.name })),
  )
  const isAllPaused = yield* (yield* DeliveryQueue).isPaused
  const alertMethods = Array.zipWith(items, activities, ({ definition }, activity): ListedAlertMethod => {
    const { latestDelivery, ...endpoint } = activity
    const health: MethodHealth = { ...endpoint, isAllPaused }
    return { definition, state: methodState(health), health, ...(latestDelivery && { latestDelivery }) }
  })
  return { alertMethods, ...page }
})

const alertMethodList = listByProjectKey(
  "console/alertmethods",
  ({ definition }: StoredDefinition<AlertMethod>) => definition.metadata,
)
