import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  endpoint,
  rateLimited,
  ClientCredentials,
  OrganizationHeader,
  BadRequest,
  serverErrors,
  NotAcceptable,
  TooManyRequests,
  Unauthorized,
} from "@tocsin/api/openapi"
import * as Schema from "effect/Schema"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import { accessTokenPerWindow, accessTokenWindowMs } from "@tocsin/domain/rate-limit"

export const AccessApi = HttpApiGroup.make("access")
  .add(
    endpoint
      .post("issueAccessToken", "/api/accessToken", {
        headers: OrganizationHeader,
        success: Schema.Struct({
          access_token: Schema.String,
          token_type: Schema.Literal("Bearer"),
          expires_in: Schema.Literal(accessTokenLifetimeSeconds).annotate({
            description: "Lifetime in seconds",
          }),
        }),
        error: [...serverErrors, BadRequest, Unauthorized, NotAcceptable, TooManyRequests],
        summary: "Create an access token",
        description: `Exchanges client credentials for an access token. Reuse the token until it expires. At most ${accessTokenPerWindow} request per ${accessTokenWindowMs / 1_000} s and organization.`,
        responseHeaders: rateLimited,
        example: {
          response: {
            access_token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl",
            token_type: "Bearer",
            expires_in: accessTokenLifetimeSeconds,
          },
        },
      })
      .middleware(ClientCredentials),
  )
  .annotate(OpenApi.Title, "Access tokens")
