import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import { accessTokenPerWindow, accessTokenWindowMs } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { resource } from "../operation/Operation.ts"

/** Access tokens, which a client exchanges its credentials for. */
export const accessTokens = resource("Access tokens", {
  issueAccessToken: {
    method: "POST",
    path: "/api/accessToken",
    access: "credentials",
    success: Schema.Struct({
      access_token: Schema.String,
      token_type: Schema.Literal("Bearer"),
      expires_in: Schema.Literal(accessTokenLifetimeSeconds).annotate({ description: "Lifetime in seconds" }),
    }),
    responseHeaders: ["RateLimit", "RateLimit-Policy"],
    errors: [400, 401, 429],
    summary: "Create an access token",
    description: `Exchanges client credentials for an access token. Reuse the token until it expires. At most ${accessTokenPerWindow} request per ${accessTokenWindowMs / 1_000} s and organization.`,
  },
})
