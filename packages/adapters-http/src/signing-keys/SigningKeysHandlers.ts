import {
  type ScheduledKey,
  rotateSigningKeyOnceADay,
  signingKeys,
} from "@tocsin/domain/internal/signature/SigningKeys"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { SigningKeysApi } from "./SigningKeysApi.ts"

export const signingKeysRoutes = routesOf(SigningKeysApi, {
  listSigningKeys: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* accessOf(request)
    const keys = yield* signingKeys
    return jsonResponse(200, JSON.stringify({ keys: keys.map(keyToJson) }))
  }),

  rotateSigningKey: Effect.fnUntraced(function* (request: ApiRequest) {
    yield* accessWithRole(request, "editor")
    return jsonResponse(200, JSON.stringify(keyToJson(yield* rotateSigningKeyOnceADay)))
  }),
})

const keyToJson = ({ activeFromMs, ...key }: ScheduledKey): object => ({
  ...key,
  activeFrom: timeText(activeFromMs),
})
