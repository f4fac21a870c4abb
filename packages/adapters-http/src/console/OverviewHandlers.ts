import { countStates, findSloTrends, recordKey, type Series, type SloTrend, workFor } from "@tocsin/domain"
import { inParts } from "@tocsin/domain/adapter"
import { ParameterIsInvalid } from "@tocsin/domain/codec"
import {
  type Overview,
  type OverviewAlert,
  type OverviewObjective,
  type OverviewService,
  readOverview as readDomainOverview,
  readSloSnapshot,
  type SloSnapshot,
} from "@tocsin/domain/features/overview"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { readCursor, writeCursor } from "@tocsin/domain/pagination"
import { enforceRateLimit } from "@tocsin/domain/ports"
import { costly, costlyListUnits, costlyReadsPolicy, sloRowsPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { timeText } from "../frame/TimeText.ts"
import { roundedBudget, sloRowsJson, trackToJson } from "./SloRows.ts"
import { responseOf, sloSnapshotOf } from "./SloSnapshots.ts"
import { urgentPart } from "./UrgentRows.ts"

const list = "console/rows"

export const listSloRows = Effect.fnUntraced(function* (request: ApiRequest) {
  const { organization } = yield* accessOf(request)
  const rateLimit = yield* enforceRateLimit(organization, sloRowsPolicy)
  const response = yield* sloRowsResponse(organization, request)
  return { ...response, headers: { ...response.headers, ...rateLimitHeaders(rateLimit) } }
})

const sloRowsResponse = Effect.fnUntraced(function* (organization: OrganizationId, request: ApiRequest) {
  const part = request.query.get("part")
  if (part === "urgent") return yield* listUrgentRows(organization)
  if (part !== null) {
    const detail = "part must be urgent, or omitted"
    return yield* new ParameterIsInvalid({
      code: "part_invalid",
      propertyName: "part",
      propertyValue: part,
      detail,
    })
  }
  const cursor = request.query.get("cursor") ?? ""
  if (cursor !== "") {
    const [project = "", name = ""] = yield* Effect.fromResult(readCursor(list, 2, cursor))
    // Not kept: a client chooses how many cursors there are.
    return yield* readSloSnapshot(organization, { project, name }).pipe(
      Effect.flatMap((snapshot) => sloRowsPage(snapshot, cursor)),
      costly(organization, costlyReadsPolicy, costlyListUnits),
    )
  }
  const kept = yield* sloSnapshotOf(organization)
  return yield* responseOf(kept, "rows", sloRowsPage(kept.snapshot, cursor)).pipe(workFor(organization))
})

const sloRowsPage = Effect.fnUntraced(function* (snapshot: SloSnapshot, cursor: string) {
  const last = snapshot.hasMore ? snapshot.records.at(-1) : undefined
  const linkTo = (to: string) => `/api/console/rows?cursor=${to}`
  const next = last === undefined ? undefined : recordKey(last)
  const links = {
    self: linkTo(cursor),
    ...(next !== undefined && { next: linkTo(writeCursor(list, [next.project, next.name])) }),
  }
  return shared(yield* inParts(() => sloRowsJson(snapshot, links)))
})

/** The SLOs that the console lists first, with what it counts of all of them. */
const listUrgentRows = Effect.fnUntraced(function* (organization: OrganizationId) {
  const kept = yield* sloSnapshotOf(organization)
  return yield* responseOf(kept, "urgent", urgentRows(kept.snapshot)).pipe(workFor(organization))
})

const urgentRows = (snapshot: SloSnapshot): Effect.Effect<ApiResponse> => {
  const links = { self: "/api/console/rows?part=urgent" }
  return inParts(function* () {
    if (snapshot.hasMore) {
      return shared(yield* sloRowsJson({ ...snapshot, records: [], openAlerts: new Map() }, links))
    }
    const { part, states } = yield* urgentPart(snapshot)
    return shared(yield* sloRowsJson(part, links, countStates(states)))
  })
}

export const readOverview = Effect.fnUntraced(function* (request: ApiRequest) {
  const { organization } = yield* accessOf(request)
  const kept = yield* sloSnapshotOf(organization)
  const make = Effect.map(readDomainOverview(organization, kept.snapshot), (overview) =>
    shared(new TextEncoder().encode(JSON.stringify(overviewToJson(overview)))),
  )
  return yield* responseOf(kept, "overview", make).pipe(workFor(organization))
})

/** SLOs whose trends count as one unit of costly requests. */
const trendsPerUnit = 10

export const readTrends = Effect.fnUntraced(function* (request: ApiRequest) {
  const { organization } = yield* accessOf(request)
  const texts = [...new Set(request.query.getAll("slo"))]
  const slos = yield* Effect.forEach(texts, (text) => {
    const [project = "", name = "", ...rest] = text.split("/")
    if (project !== "" && name !== "" && rest.length === 0) return Effect.succeed({ project, name })
    return Effect.fail(
      new ParameterIsInvalid({
        code: "slo_invalid",
        propertyName: "slo",
        propertyValue: text,
        detail: "slo must be a project and a name, as in shop/checkout",
      }),
    )
  })
  const trends = yield* findSloTrends(organization, slos).pipe(
    costly(organization, costlyReadsPolicy, 1 + Math.floor(slos.length / trendsPerUnit)),
  )
  return jsonResponse(200, JSON.stringify({ data: trends.map(trendToJson) }))
})

/** A browser may keep it, and asks whether it is still the same. */
const revalidated = { "cache-control": "private, no-cache" }

/** A response that many requests get: hashed and compressed once. */
const shared = (bytes: Uint8Array): ApiResponse => ({
  ...withETag(jsonResponse(200, bytes, revalidated)),
  precompressed: compressOnce(bytes, "fast"),
})

const trendToJson = ({ slo, objectives, composite }: SloTrend): object => ({
  slo,
  objectives: objectives.map(({ name, errorBudgetRemaining }) => ({
    name,
    errorBudgetRemaining: rounded(errorBudgetRemaining),
  })),
  ...(composite !== undefined && { composite: rounded(composite) }),
})

const rounded = (series: Series): Series =>
  series.map((budget) => (budget === null ? null : roundedBudget(budget)))

const objectiveToJson = (each: OverviewObjective): object => ({
  slo: each.slo,
  sloDisplayName: each.sloDisplayName,
  state: each.state,
  ...trackToJson(each),
})

const overviewToJson = (overview: Overview): object => ({
  states: overview.states,
  hasMoreSlos: overview.hasMoreSlos,
  lowestBudgets: overview.lowestBudgets.map(objectiveToJson),
  fastestBurns: overview.fastestBurns.map(objectiveToJson),
  exhausting: overview.exhausting.map((each) => ({
    ...objectiveToJson(each),
    exhaustedAt: timeText(each.exhaustedAt),
  })),
  closing: overview.closing.map((each) => ({ ...objectiveToJson(each), endsAt: timeText(each.endsAt) })),
  alerts: {
    ...overview.alerts,
    newest: overview.alerts.newest.map(alertToJson),
  },
  alertMethods: overview.alertMethods,
  troubledMethods: overview.troubledMethods,
  sources: overview.sources.map(({ problem, ...source }) => ({
    ...source,
    reason: problem.reason,
    detail: problem.detail,
    at: timeText(problem.at),
  })),
  withoutData: overview.withoutData,
  services: overview.services.map(serviceToJson),
})

const alertToJson = ({ alert, sloDisplayName, objectiveDisplayName }: OverviewAlert): object => ({
  id: alert.id,
  slo: alert.subject.slo,
  sloDisplayName,
  ...(alert.subject.objective !== undefined && { objective: alert.subject.objective, objectiveDisplayName }),
  ...(alert.severity !== undefined && { severity: alert.severity }),
  isNoData: alert.anomaly !== undefined,
  isSilenced: alert.isSilenced === true,
  ...(alert.acknowledgement !== undefined && { acknowledgedBy: alert.acknowledgement.by }),
  triggeredAt: timeText(alert.triggeredAt),
})

const serviceToJson = ({ project, service, ...rest }: OverviewService): object => ({
  project: { name: project.name, displayName: project.displayName },
  service: { name: service.name, displayName: service.displayName },
  ...rest,
})
