import { requireRole, workFor } from "@tocsin/domain"
import { receiveAlertmanager } from "@tocsin/formats/alertmanager"
import * as Effect from "effect/Effect"
import { AlertmanagerApi } from "./AlertmanagerApi.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { clientAccessOf } from "../access/RequestAccess.ts"
import { readJson } from "../frame/RequestBody.ts"

export const alertmanagerRoutes = routesOf(AlertmanagerApi, {
  receiveAlertmanager: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* clientAccessOf(request)
    yield* requireRole(access, "editor")
    const severity = request.query.get("severity") ?? undefined
    const body = yield* readJson(request)
    const receipt = yield* receiveAlertmanager(access.organization, body, { severity }).pipe(
      workFor(access.organization),
    )
    return jsonResponse(200, JSON.stringify(receipt))
  }),
})
