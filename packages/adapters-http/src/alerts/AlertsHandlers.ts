import { acknowledgeAlert, decodeAcknowledgement, receiveAlert } from "@tocsin/domain"
import { listHeldAlerts } from "@tocsin/domain/alerting"
import { apiVersionOf } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { alertToDocument, listAlertDocuments } from "./AlertDocuments.ts"
import { AlertsApi } from "./AlertsApi.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { everyProject, onlyKnownQuery, projectOf, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { readJson, readOptionalJson } from "../frame/RequestBody.ts"

export const alertsRoutes = routesOf(AlertsApi, {
  receiveAlert: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const idempotencyKey = request.header("idempotency-key")
    const { alertId, isChanged, deliveries } = yield* receiveAlert(organization, { idempotencyKey, body })
    return jsonResponse(isChanged ? 202 : 200, JSON.stringify({ alertId, deliveries }))
  }),

  acknowledgeAlert: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, clientId } = yield* accessWithRole(request, "editor")
    const body = (yield* readOptionalJson(request)) ?? {}
    const { note } = yield* Effect.fromResult(decodeAcknowledgement(body))
    const alert = yield* acknowledgeAlert(organization, request.pathParams["id"] ?? "", clientId, note)
    const { vendorPrefix } = yield* DefinitionOptions
    return jsonResponse(200, JSON.stringify(alertToDocument(alert, apiVersionOf(vendorPrefix))))
  }),

  listAlerts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    return yield* listAlertDocuments(organization, request)
  }),

  listHeldAlerts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    yield* onlyKnownQuery(request, ["slo"])
    const project = projectOf(request)
    const { slo } = queryOf(request, ["slo"])
    const { items, hasMore } = yield* listHeldAlerts(organization, {
      ...(project !== everyProject && { project }),
      ...(slo && { name: slo }),
    })
    const data = items.map(({ since, ...held }) => ({ ...held, since: timeText(since) }))
    return jsonResponse(200, JSON.stringify({ data, hasMore }))
  }),
})
