import { alertMethodHealth, delivery } from "@tocsin/api"
import { countActiveAlerts, definitionToJson, listAlertMethods, searchSlos } from "@tocsin/domain"
import { listMetricNames } from "@tocsin/domain/features/data-source"
import { enforceRateLimit } from "@tocsin/domain/ports"
import { searchSlosPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { ConsoleOptions, documentPath } from "../console-files/ConsoleFiles.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { answerDeliveryRequest } from "./DeliveryRequestHandlers.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { deliveryOf } from "../deliveries/DeliveriesHandlers.ts"
import { healthOf } from "../alert-methods/AlertMethodsHandlers.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { listSloRows, readOverview, readTrends } from "./OverviewHandlers.ts"
import { listConsoleSilences } from "./SilenceStatesHandlers.ts"
import { SloEncoder } from "../slos/SloJson.ts"
import { filteredLinks, projectOf, queryOf } from "../frame/RequestParameters.ts"

export const consoleRoutes = routesOf(ConsoleApi, {
  searchSlos: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const rateLimit = yield* enforceRateLimit(organization, searchSlosPolicy)
    const query = queryOf(request, ["limit", "cursor", "project", "service", "search"])
    const { items, ...page } = yield* searchSlos(organization, query)
    const links = filteredLinks(request, "/api/console/slos", ["project", "service", "search"], page)
    const encoder = yield* SloEncoder
    return jsonResponse(200, encoder.page(items, "v2", links), rateLimitHeaders(rateLimit))
  }),

  listConsoleAlertMethods: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const query = queryOf(request, ["limit", "cursor", "project"])
    const { alertMethods, ...page } = yield* listAlertMethods(organization, query)
    const { vendorPrefix } = yield* DefinitionOptions
    const data = alertMethods.map(({ definition, state, health, latestDelivery }) => ({
      definition: definitionToJson(definition, vendorPrefix),
      state,
      health: encodeHealth(healthOf(health)),
      ...(latestDelivery !== undefined && { latestDelivery: encodeDelivery(deliveryOf(latestDelivery)) }),
    }))
    const links = filteredLinks(request, "/api/console/alertmethods", ["project"], page)
    return jsonResponse(200, JSON.stringify({ data, links }))
  }),

  listConsoleSilences,
  readOverview,
  listSloRows,
  readTrends,
  findConsoleStatus: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const activeAlerts = yield* countActiveAlerts(organization)
    const { files } = yield* ConsoleOptions
    return jsonResponse(200, JSON.stringify({ activeAlerts, version: files?.get(documentPath)?.hash }))
  }),

  showDeliveryRequest: answerDeliveryRequest,

  listMetricNames: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const key = { project: projectOf(request), name: request.pathParams["name"] ?? "" }
    const query = queryOf(request, ["label", "metric", "search"])
    return jsonResponse(200, JSON.stringify(yield* listMetricNames(organization, key, query)))
  }),
})

const encodeHealth = Schema.encodeSync(alertMethodHealth)

const encodeDelivery = Schema.encodeSync(delivery)
