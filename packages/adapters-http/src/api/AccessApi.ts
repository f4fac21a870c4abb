import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { ClientCredentials, OrganizationHeader } from "./BearerAccess.ts"
import { BadRequest, NotAcceptable, TooManyRequests, Unauthorized } from "./ErrorAnswer.ts"

/** Describes `POST /api/accessToken`. Source: contract section 4.1; decision 0503. */
export const AccessApi = HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.post("issueAccessToken", "/api/accessToken")
      .setHeaders(OrganizationHeader)
      .addSuccess(
        Schema.Struct({
          access_token: Schema.String,
          token_type: Schema.Literal("Bearer"),
          expires_in: Schema.Literal(Limits.accessTokenLifetimeSeconds).annotations({
            description: "In seconds",
          }),
        }),
      )
      .addError(BadRequest)
      .addError(Unauthorized)
      .addError(NotAcceptable)
      .addError(TooManyRequests)
      .middleware(ClientCredentials)
      .annotate(OpenApi.Summary, "Generate an access token")
      .annotate(
        OpenApi.Description,
        `Valid for 1 hour; reuse it until it expires. At most ${Limits.accessTokenPerWindow} in ${Limits.accessTokenWindowMs / 1_000} s per organization.`,
      ),
  )
  .annotate(OpenApi.Title, "Access")
