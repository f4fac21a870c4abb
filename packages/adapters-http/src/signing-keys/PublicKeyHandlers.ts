import {
  publicKeyMaxAgeSeconds,
  currentKey,
  findPublishedKey,
  publicKeys,
} from "@tocsin/domain/internal/signature/SigningKeys"
import * as Effect from "effect/Effect"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { PublicKeyApi } from "./PublicKeyApi.ts"

export const publicKeyRoutes = routesOf(PublicKeyApi, {
  currentPublicKey: () => Effect.map(currentKey, cacheable),
  publicKeys: () => Effect.map(publicKeys, (keys) => cacheable({ keys })),
  findPublicKey: (request: ApiRequest) =>
    Effect.map(findPublishedKey(request.pathParams["keyId"] ?? ""), cacheable),
})

const cacheable = (content: unknown): ApiResponse =>
  withETag(
    jsonResponse(200, JSON.stringify(content), {
      "cache-control": `public, max-age=${publicKeyMaxAgeSeconds}`,
    }),
  )
