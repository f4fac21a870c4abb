import {
  deleteAdjustmentEvents,
  listAdjustmentEvents,
  updateAdjustmentEvents,
} from "@tocsin/domain/features/budget-change"
import * as Effect from "effect/Effect"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { costly, costlyReadsPolicy, costlyWritesPolicy } from "@tocsin/domain/rate-limit"
import { readJson } from "../frame/RequestBody.ts"
import { onlyKnownQuery, queryOf } from "../frame/RequestParameters.ts"

/** Units of costly requests for which a list or a change of events counts. */
export const eventsUnits = 5

const queryNames = ["from", "to", "sloName", "sloProject"] as const

const nameOf = ({ pathParams: { name = "" } }: ApiRequest): string => name

/** The calls of the service's public clients for the events of budget adjustments (spec/budget-adjustments §10). */
export const adjustmentEventRoutes = [
  {
    method: "GET",
    path: "/api/budgetadjustments/v1/:name/events",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { organization } = yield* accessOf(request)
      yield* onlyKnownQuery(request, queryNames)
      const events = yield* listAdjustmentEvents(
        organization,
        nameOf(request),
        queryOf(request, queryNames),
      ).pipe(costly(organization, costlyReadsPolicy, eventsUnits))
      const body = events.map(({ from, to, slos }) => ({
        eventStart: secondText(from),
        eventEnd: secondText(to),
        slos,
      }))
      return jsonResponse(200, JSON.stringify(body))
    }),
  },
  {
    method: "PUT",
    path: "/api/budgetadjustments/v1/:name/events/update",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { organization, clientId } = yield* accessWithRole(request, "editor")
      yield* onlyKnownQuery(request, [])
      const body = yield* readJson(request)
      yield* updateAdjustmentEvents(organization, nameOf(request), body, clientId).pipe(
        costly(organization, costlyWritesPolicy, eventsUnits),
      )
      return emptyResponse(204)
    }),
  },
  {
    method: "POST",
    path: "/api/budgetadjustments/v1/:name/events/delete",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { organization, clientId } = yield* accessWithRole(request, "editor")
      yield* onlyKnownQuery(request, [])
      const body = yield* readJson(request)
      yield* deleteAdjustmentEvents(organization, nameOf(request), body, clientId).pipe(
        costly(organization, costlyWritesPolicy, eventsUnits),
      )
      return emptyResponse(204)
    }),
  },
] as const

const secondText = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z")
