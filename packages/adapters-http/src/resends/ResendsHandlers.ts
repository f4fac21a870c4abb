import type { BulkResend } from "@tocsin/domain/adapter"
import {
  cancelBulkResend,
  findBulkResend,
  listBulkResends,
  requestBulkResend,
} from "@tocsin/domain/features/resend"
import { pageLinks } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { readJson } from "../frame/RequestBody.ts"
import { queryOf } from "../frame/RequestParameters.ts"
import { ResendsApi } from "./ResendsApi.ts"

export const resendsRoutes = routesOf(ResendsApi, {
  resendDeliveries: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const { count, resend } = yield* requestBulkResend(organization, yield* readJson(request))
    return resend === undefined
      ? jsonResponse(200, JSON.stringify(count))
      : jsonResponse(202, JSON.stringify(bulkResendToJson(resend)))
  }),

  listResends: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const query = queryOf(request, ["limit", "cursor"])
    const { items, limit, next } = yield* listBulkResends(organization, query)
    const links = pageLinks("/api/resends", limit, query.cursor ?? "", next)
    return jsonResponse(200, JSON.stringify({ data: items.map(bulkResendToJson), links }))
  }),

  findResend: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const resend = yield* findBulkResend(organization, request.pathParams["id"] ?? "")
    return jsonResponse(200, JSON.stringify(bulkResendToJson(resend)))
  }),

  cancelResend: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const resend = yield* cancelBulkResend(organization, request.pathParams["id"] ?? "")
    return jsonResponse(200, JSON.stringify(bulkResendToJson(resend)))
  }),
})

const bulkResendToJson = (resend: BulkResend): object => {
  const { alertMethod, states, from, to } = resend.filter
  return {
    id: resend.id,
    state: resend.state,
    filter: {
      ...(alertMethod && { alertMethod }),
      states,
      ...(from !== undefined && { from: timeText(from) }),
      ...(to !== undefined && { to: timeText(to) }),
    },
    matched: resend.matched,
    mayMatchMore: resend.mayMatchMore,
    resent: resend.resent,
    createdAt: timeText(resend.createdAt),
    ...(resend.endedAt !== undefined && { endedAt: timeText(resend.endedAt) }),
  }
}
