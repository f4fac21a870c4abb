import { accessTokens } from "@tocsin/api"
import { issueAccessToken, parseBasicCredentials, parseOrganization } from "@tocsin/domain"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { serve, withHeaders } from "../serve/Serve.ts"
import { clientAddressOf } from "../frame/ClientAddress.ts"

export const accessTokensRoutes = serve(accessTokens, {
  issueAccessToken: Effect.fnUntraced(function* (_, request) {
    const credentials = yield* Effect.fromResult(parseBasicCredentials(request.header("authorization")))
    const organization = yield* Effect.fromResult(parseOrganization(request.header("organization")))
    const clientAddress = yield* clientAddressOf(request)
    const { accessToken, rateLimit } = yield* issueAccessToken(organization, credentials, clientAddress)
    return withHeaders(
      { access_token: accessToken, token_type: "Bearer", expires_in: accessTokenLifetimeSeconds } as const,
      rateLimitHeaders(rateLimit),
    )
  }),
})
