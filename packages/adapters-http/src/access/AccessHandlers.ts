import { issueAccessToken, parseBasicCredentials, parseOrganization } from "@tocsin/domain"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import { AccessApi } from "./AccessApi.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { clientAddressOf } from "./RequestAccess.ts"

export const accessRoutes = routesOf(AccessApi, {
  issueAccessToken: Effect.fnUntraced(function* (request: ApiRequest) {
    const credentials = yield* Effect.fromResult(parseBasicCredentials(request.header("authorization")))
    const organization = yield* Effect.fromResult(parseOrganization(request.header("organization")))
    const clientAddress = yield* clientAddressOf(request)
    const { accessToken, rateLimit } = yield* issueAccessToken(organization, credentials, clientAddress)
    return jsonResponse(
      200,
      JSON.stringify({
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: accessTokenLifetimeSeconds,
      }),
      rateLimitHeaders(rateLimit),
    )
  }),
})
