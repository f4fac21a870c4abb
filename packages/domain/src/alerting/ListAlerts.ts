import { Effect } from "effect"
import type { OrganizationId } from "../definition/Definition.ts"
import { CursorIsInvalid, readCursor, writeCursor } from "../pagination/Cursor.ts"
import { parseChoices, parseTimes } from "../pagination/ListFilter.ts"
import { parsePageLimit } from "../pagination/PageLimit.ts"
import type { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { ok, type Result, resultToEffect } from "../Result.ts"
import { alertStatuses } from "./Alert.ts"
import { type AlertQuery, AlertStore } from "./AlertStore.ts"

/** Which alerts to tell, as the query says it; an empty list counts as absent, and but for `names` an empty text. */
export interface ListAlertsQuery {
  /** The project of the SLO. */
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

/** The orders of alerts beside that by ID. Source: decision 0618. */
export const alertOrders = ["newest"] as const

/** Which page of the alerts to tell, as the query says it; an empty text counts as absent. */
export interface AlertsPageQuery {
  readonly limit?: string | undefined
  readonly cursor?: string | undefined
}

/**
 * Lists the alerts of an organization, by ID or the newest first: a page, its limit, and the cursor of the next one.
 *
 * Source: decisions 0600, 0612 and 0618.
 */
export const listAlerts = (organization: OrganizationId, query: ListAlertsQuery, page: AlertsPageQuery) =>
  Effect.gen(function* () {
    const limit = yield* resultToEffect(parsePageLimit(page.limit || undefined))
    const orders = yield* resultToEffect(parseChoices("order", [query.order ?? ""], alertOrders))
    const read = orders === undefined ? readById : readNewest
    const wanted = yield* resultToEffect(parseQuery(query))
    return { ...(yield* read(organization, wanted, limit, page.cursor ?? "")), limit }
  })

const readById = (organization: OrganizationId, query: AlertQuery, limit: number, cursor: string) =>
  Effect.gen(function* () {
    const [id] = cursor === "" ? [] : yield* resultToEffect(readCursor("alerts", 1, cursor))
    const page = { limit, ...(id !== undefined && { after: id }) }
    const { items, hasMore } = yield* (yield* AlertStore).list(organization, query, page)
    const last = items.at(-1)
    return { alerts: items, next: hasMore && last ? writeCursor("alerts", [last.id]) : undefined }
  })

const readNewest = (organization: OrganizationId, query: AlertQuery, limit: number, cursor: string) =>
  Effect.gen(function* () {
    const endpoint = "alerts/newest"
    const [time = "", id] = cursor === "" ? [] : yield* resultToEffect(readCursor(endpoint, 2, cursor))
    const triggeredAt = Number(time)
    if (!Number.isSafeInteger(triggeredAt)) return yield* new CursorIsInvalid({ value: cursor })
    const page = { limit, ...(id !== undefined && { after: { triggeredAt, id } }) }
    const { items, hasMore } = yield* (yield* AlertStore).listNewest(organization, query, page)
    const last = items.at(-1)
    const next = hasMore && last ? writeCursor(endpoint, [`${last.triggeredAt}`, last.id]) : undefined
    return { alerts: items, next }
  })

const parseQuery = (query: ListAlertsQuery): Result<AlertQuery, ParameterIsInvalid> => {
  const statuses = parseChoices("state", query.states, alertStatuses)
  if (!statuses.ok) return statuses
  const times = parseTimes(query)
  if (!times.ok) return times
  const { project, names } = query
  const [slos = [], objectives = [], alertPolicies = []] = [
    query.slos,
    query.objectives,
    query.alertPolicies,
  ].map((texts) => texts.filter((text) => text !== ""))
  return ok({
    ...(project !== undefined && { project }),
    ...(names.length > 0 && { ids: names }),
    ...(slos.length > 0 && { slos }),
    ...(objectives.length > 0 && { objectives }),
    ...(alertPolicies.length > 0 && { alertPolicies }),
    ...(statuses.value !== undefined && { statuses: statuses.value }),
    ...times.value,
  })
}
