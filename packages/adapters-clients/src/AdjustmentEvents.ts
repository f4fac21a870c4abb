import * as Effect from "effect/Effect"
import { type ClientRequest, emptyResponse, jsonResponse } from "./ClientRequest.ts"
import {
  type BudgetAdjustmentNotFound,
  deleteAdjustmentEvents,
  listAdjustmentEvents,
  updateAdjustmentEvents,
} from "./Events.ts"
import { costly, costlyReadsPolicy, costlyWritesPolicy } from "@tocsin/domain/rate-limit"

/** Units of costly requests for which a list or a change of events counts. */
const eventsUnits = 5

const queryNames = ["from", "to", "sloName", "sloProject"] as const

const nameOf = ({ pathParams: { name = "" } }: ClientRequest): string => name

/** The calls of the service's public clients for the events of budget adjustments (spec/budget-adjustments §10). */
export const adjustmentEventRoutes = [
  {
    method: "GET",
    path: "/api/budgetadjustments/v1/:name/events",
    access: "token",
    query: queryNames,
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const events = yield* listAdjustmentEvents(
        organization,
        nameOf(request),
        Object.fromEntries(queryNames.map((name) => [name, request.parameters.get(name) ?? ""])),
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
    access: "token",
    role: "editor",
    query: [],
    body: "json",
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization, clientId } = request.access
      const body = request.json
      yield* updateAdjustmentEvents(organization, nameOf(request), body, clientId).pipe(
        costly(organization, costlyWritesPolicy, eventsUnits),
      )
      return emptyResponse
    }),
  },
  {
    method: "POST",
    path: "/api/budgetadjustments/v1/:name/events/delete",
    access: "token",
    role: "editor",
    query: [],
    body: "json",
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization, clientId } = request.access
      const body = request.json
      yield* deleteAdjustmentEvents(organization, nameOf(request), body, clientId).pipe(
        costly(organization, costlyWritesPolicy, eventsUnits),
      )
      return emptyResponse
    }),
  },
] as const

/** The statuses of failures that only these calls have. */
export const adjustmentErrors = {
  BudgetAdjustmentNotFound: ({ name }: BudgetAdjustmentNotFound) => ({
    status: 404,
    errors: [
      {
        title: "Budget adjustment not found",
        code: "not_found",
        detail: "No budget adjustment without a project has this name.",
        source: { propertyName: "name", propertyValue: name },
      },
    ] as const,
  }),
}

const secondText = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z")
