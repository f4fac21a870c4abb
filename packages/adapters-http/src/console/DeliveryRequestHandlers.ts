import { showRequest } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"

export const answerDeliveryRequest = Effect.fnUntraced(function* (request: ApiRequest) {
  const { organization } = yield* accessOf(request)
  const { attempts, ...shown } = yield* showRequest(
    organization,
    request.pathParams["id"] ?? "",
    yield* ApiOptions,
  )
  const data = {
    ...shown,
    attempts: attempts.map(({ headers, ...attempt }) => ({
      ...attempt,
      headers: headers.map(([name, value]) => ({ name, value })),
    })),
  }
  return jsonResponse(200, JSON.stringify(data))
})
