import { type accessToken, accessTokens } from "@tocsin/api"
import { issueAccessToken, parseBasicCredentials, parseOrganization } from "@tocsin/domain"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import { serve, WithHeaders } from "../serve/Serve.ts"
import { clientAddressOf } from "../access/RequestAccess.ts"

export const accessRoutes = serve(accessTokens, {
  issueAccessToken: Effect.fnUntraced(function* (_input, request) {
    const credentials = yield* Effect.fromResult(parseBasicCredentials(request.header("authorization")))
    const organization = yield* Effect.fromResult(parseOrganization(request.header("organization")))
    const clientAddress = yield* clientAddressOf(request)
    const { accessToken: token, rateLimit } = yield* issueAccessToken(
      organization,
      credentials,
      clientAddress,
    )
    return new WithHeaders(tokenOf(token), rateLimitHeaders(rateLimit))
  }),
})

/** The response with an access token. */
export const tokenOf = (token: string): typeof accessToken.Type => ({
  access_token: token,
  token_type: "Bearer",
  expires_in: accessTokenLifetimeSeconds,
})
