import { receiveAlert } from "@tocsin/domain/alerting/ReceiveAlert"
import * as Effect from "effect/Effect"
import { answerAlerts } from "./AlertDocuments.ts"
import { AlertsApi } from "./AlertsApi.ts"
import { jsonAnswer } from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import { routesOf } from "./ApiRouter.ts"
import { accessOf, accessWithRole } from "./RequestAccess.ts"
import { readJson } from "./RequestBody.ts"

/** Answers what takes and tells alerts. Source: decisions 0600 and 0601. */
export const alertsRoutes = routesOf(AlertsApi, {
  receiveAlert: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const idempotencyKey = request.header("idempotency-key")
    const { alertId, isChanged, deliveries } = yield* receiveAlert(organization, { idempotencyKey, body })
    return jsonAnswer(isChanged ? 202 : 200, JSON.stringify({ alertId, deliveries }))
  }),

  listAlerts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    return yield* answerAlerts(organization, request)
  }),
})
