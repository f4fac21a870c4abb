import { publicKeyMaxAgeSeconds, currentKey, publicKeys } from "@tocsin/domain/signature/SigningKeys"
import * as Effect from "effect/Effect"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { conditionalResponse, withETag } from "../frame/ConditionalResponse.ts"
import { PublicKeyApi } from "./PublicKeyApi.ts"

export const publicKeyRoutes = routesOf(PublicKeyApi, {
  currentPublicKey: (request) => Effect.map(currentKey, (key) => cacheable(request, key)),
  publicKeys: (request) => Effect.map(publicKeys, (keys) => cacheable(request, { keys })),
})

const cacheable = (request: ApiRequest, content: unknown): ApiResponse =>
  conditionalResponse(
    request,
    withETag(
      jsonResponse(200, JSON.stringify(content), {
        "cache-control": `public, max-age=${publicKeyMaxAgeSeconds}`,
      }),
    ),
  )
