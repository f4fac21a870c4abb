import { findDelivery, listDeliveries, requestResend } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { DeliveriesApi } from "./DeliveriesApi.ts"
import { deliveryLogToJson, deliveryToJson } from "./DeliveryJson.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { filteredLinks, queryOf } from "../frame/RequestParameters.ts"

export const deliveriesRoutes = routesOf(DeliveriesApi, {
  listDeliveries: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const { items, ...page } = yield* listDeliveries(organization, {
      ...queryOf(request, ["limit", "cursor", "project", "alertMethod", "alertId", "from", "to"]),
      states: request.query.getAll("state"),
      events: request.query.getAll("event"),
    })
    const links = filteredLinks(request, "/api/deliveries", filterNames, page)
    return jsonResponse(200, JSON.stringify({ data: items.map(deliveryToJson), links }))
  }),

  findDelivery: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const log = yield* findDelivery(organization, request.pathParams["id"] ?? "")
    return jsonResponse(200, JSON.stringify(deliveryLogToJson(log)))
  }),

  resendDelivery: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const delivery = yield* requestResend(organization, request.pathParams["id"] ?? "")
    return jsonResponse(202, JSON.stringify(deliveryToJson(delivery)))
  }),
})

const filterNames = ["project", "alertMethod", "state", "event", "alertId", "from", "to"]
