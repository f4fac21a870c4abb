import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import * as Schema from "effect/Schema"
import { ClientCredentials, OrganizationHeader } from "./BearerAccess.ts"
import {
  BadRequest,
  serverErrors,
  NotAcceptable,
  TooManyRequests,
  Unauthorized,
} from "../frame/ErrorSchema.ts"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/access/AccessToken"
import { accessTokenPerWindow, accessTokenWindowMs } from "@tocsin/domain/rate-limit/RateLimitPolicy"

export const AccessApi = HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.post("issueAccessToken", "/api/accessToken", {
      headers: OrganizationHeader,
      success: Schema.Struct({
        access_token: Schema.String,
        token_type: Schema.Literal("Bearer"),
        expires_in: Schema.Literal(accessTokenLifetimeSeconds).annotate({
          description: "In seconds",
        }),
      }),
      error: [...serverErrors, BadRequest, Unauthorized, NotAcceptable, TooManyRequests],
    })
      .middleware(ClientCredentials)
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "Generate an access token")
      .annotate(
        OpenApi.Description,
        `Valid for 1 hour; reuse it until it expires. At most ${accessTokenPerWindow} in ${accessTokenWindowMs / 1_000} s per organization.`,
      ),
  )
  .annotate(OpenApi.Title, "Access")
