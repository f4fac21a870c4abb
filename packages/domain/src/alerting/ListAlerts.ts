import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { parseChoices, parseTimes } from "../pagination/ListFilter.ts"
import { listById, type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { type Alert, alertStatuses } from "./Alert.ts"
import { type AlertPlace, type AlertQuery, AlertStore } from "./AlertStore.ts"

/** The filters of the query. Empty lists are treated as omitted, and so are empty strings except in `names`. */
export interface ListAlertsQuery {
  readonly project?: string | undefined
  /** Alert IDs, and the names of SLOs, objectives and alert policies. */
  readonly names: ReadonlyArray<string>
  readonly slos: ReadonlyArray<string>
  readonly objectives: ReadonlyArray<string>
  readonly alertPolicies: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
  /** Triggered at from ≤ t < to: date-times in UTC. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** One of `alertOrders`; absent: by ID. */
  readonly order?: string | undefined
}

/** The orders other than by ID. */
export const alertOrders = ["newest"] as const

/** Lists alerts by ID, or newest first. Returns a page, its limit and the cursor of the next page. */
export const listAlerts = (organization: OrganizationId, query: ListAlertsQuery, page: PageQuery) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const orders = yield* Effect.fromResult(parseChoices("order", [query.order ?? ""], alertOrders))
    const wanted = yield* Effect.fromResult(parseQuery(query))
    return yield* orders === undefined
      ? readPage(alertsById, page, (request) => store.list(organization, wanted, request))
      : readPage(newestAlerts, page, (request) => store.listNewest(organization, wanted, request))
  })

const alertsById = listById("alerts", ({ id }: Alert) => id)

const newestAlerts: PagedList<Alert, AlertPlace> = {
  endpoint: "alerts/newest",
  keyLength: 2,
  partsToKey: ([time, id = ""]) => {
    const triggeredAt = Number(time)
    return Number.isSafeInteger(triggeredAt) ? { triggeredAt, id } : undefined
  },
  itemToParts: ({ triggeredAt, id }) => [`${triggeredAt}`, id],
}

const parseQuery = (query: ListAlertsQuery): Result.Result<AlertQuery, ParameterIsInvalid> =>
  Result.gen(function* () {
    const statuses = yield* parseChoices("state", query.states, alertStatuses)
    const times = yield* parseTimes(query)
    const { project, names } = query
    const [slos = [], objectives = [], alertPolicies = []] = [
      query.slos,
      query.objectives,
      query.alertPolicies,
    ].map((texts) => texts.filter((text) => text !== ""))
    return {
      ...(project !== undefined && { project }),
      ...(names.length > 0 && { ids: names }),
      ...(slos.length > 0 && { slos }),
      ...(objectives.length > 0 && { objectives }),
      ...(alertPolicies.length > 0 && { alertPolicies }),
      ...(statuses !== undefined && { statuses }),
      ...times,
    }
  })
