import { requireRole } from "@tocsin/domain/access/Access"
import { receiveAlertmanager } from "@tocsin/domain/alerting/ReceiveAlertmanager"
import * as Effect from "effect/Effect"
import { AlertmanagerApi } from "./AlertmanagerApi.ts"
import { jsonAnswer } from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import { routesOf } from "./ApiRouter.ts"
import { clientAccessOf } from "./RequestAccess.ts"
import { readJson } from "./RequestBody.ts"

/** Answers `POST /api/alertmanager`. Source: decision 0606. */
export const alertmanagerRoutes = routesOf(AlertmanagerApi, {
  receiveAlertmanager: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* clientAccessOf(request)
    yield* requireRole(access, "editor")
    const receipt = yield* receiveAlertmanager(access.organization, yield* readJson(request))
    return jsonAnswer(200, JSON.stringify(receipt))
  }),
})
