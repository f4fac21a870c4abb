import {
  createOrganizationKey,
  endOrganizationKey,
  organizationKeys,
  rotateOrganizationKey,
} from "@tocsin/domain"
import type { ScheduledKey } from "@tocsin/domain/signature"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { timeText } from "../frame/TimeText.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import { SigningKeysApi } from "./SigningKeysApi.ts"

export const signingKeysRoutes = routesOf(SigningKeysApi, {
  listSigningKeys: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const { signedBy, keys, serverKeys } = yield* organizationKeys(organization)
    return jsonResponse(
      200,
      JSON.stringify({ signedBy, keys: keys.map(keyToJson), serverKeys: serverKeys.map(keyToJson) }),
    )
  }),

  createSigningKey: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return keyResponse(yield* createOrganizationKey(organization))
  }),

  rotateSigningKey: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return keyResponse(yield* rotateOrganizationKey(organization))
  }),

  deleteSigningKey: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    return keyResponse(yield* endOrganizationKey(organization))
  }),
})

const keyResponse = (key: ScheduledKey) => jsonResponse(200, JSON.stringify(keyToJson(key)))

const keyToJson = ({ activeFromMs, endsAtMs, ...key }: ScheduledKey): object => ({
  ...key,
  activeFrom: timeText(activeFromMs),
  ...(endsAtMs !== undefined && { activeUntil: timeText(endsAtMs) }),
})
