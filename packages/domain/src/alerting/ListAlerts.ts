import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import { severities } from "../alert-policy/AlertPolicy.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { parseChoices, parseNumbers, parseTimes } from "../pagination/ListFilter.ts"
import { type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
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
  readonly services?: ReadonlyArray<string>
  /** Numbers: thresholds of objectives. */
  readonly objectiveValues?: ReadonlyArray<string>
  readonly statuses: ReadonlyArray<string>
  readonly severities: ReadonlyArray<string>
  /** Open at some time of from ≤ t < to: date-times of RFC 3339. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Lists alerts, those that triggered last first. Returns a page, its limit and the cursor of the next page. */
export const listAlerts = (organization: OrganizationId, query: ListAlertsQuery, page: PageQuery) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const wanted = yield* Effect.fromResult(parseQuery(query))
    return yield* readPage(newestAlerts, page, (request) => store.list(organization, wanted, request))
  })

/** The highest number of open alerts that `countActiveAlerts` counts to. */
export const countedAlertsMax = 100

/** How many alerts are active, at most `countedAlertsMax`. */
export const countActiveAlerts = (organization: OrganizationId) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const active = yield* store.list(organization, { statuses: ["triggered"] }, { limit: countedAlertsMax })
    return active.items.length
  })

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
    const statuses = yield* parseChoices("status", query.statuses, alertStatuses)
    const wantedSeverities = yield* parseChoices("severity", query.severities, severities)
    const { from: activeFrom, to } = yield* parseTimes(query)
    const objectiveValues = yield* parseNumbers("objective_value", query.objectiveValues ?? [])
    const { project, names } = query
    const [slos = [], objectives = [], alertPolicies = [], services = []] = [
      query.slos,
      query.objectives,
      query.alertPolicies,
      query.services ?? [],
    ].map((texts) => texts.filter((text) => text !== ""))
    return {
      ...(project !== undefined && { project }),
      ...(names.length > 0 && { ids: names }),
      ...(slos.length > 0 && { slos }),
      ...(objectives.length > 0 && { objectives }),
      ...(alertPolicies.length > 0 && { alertPolicies }),
      ...(services.length > 0 && { services }),
      ...(objectiveValues !== undefined && { objectiveValues }),
      ...(statuses !== undefined && { statuses }),
      ...(wantedSeverities !== undefined && { severities: wantedSeverities }),
      ...(activeFrom !== undefined && { activeFrom }),
      ...(to !== undefined && { to }),
    }
  })
