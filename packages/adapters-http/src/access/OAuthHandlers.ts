import {
  accessTokenLifetimeSeconds,
  AccessTokens,
  issuePublicToken,
} from "@tocsin/domain/internal/access/AccessToken"
import { parseBasicCredentials } from "@tocsin/domain/internal/access/ProveCredential"
import * as Effect from "effect/Effect"
import { ApiOptions } from "../frame/ApiOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { readText } from "../frame/RequestBody.ts"
import { basicChallenge } from "./AccessErrors.ts"
import { clientAddressOf } from "./RequestAccess.ts"

/** Largest body of a request for a token, in bytes. */
const tokenRequestMaxBytes = 8_192

const formType = "application/x-www-form-urlencoded"

/**
 * The authorization server of the service's public clients (spec/clients §1): tokens by client credentials (RFC 6749 section
 * 4.4), the keys that verify them, and where both are. `server` is an organization, or a name that stands for all of them.
 */
export const oauthRoutes = [
  {
    method: "POST",
    path: "/oauth2/:server/v1/token",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { text } = yield* readText(request, [formType], tokenRequestMaxBytes)
      const grantType = new URLSearchParams(text).get("grant_type")
      if (grantType !== "client_credentials") {
        return grantType === null
          ? oauthError(400, "invalid_request", "grant_type is missing")
          : oauthError(400, "unsupported_grant_type", "grant_type must be client_credentials")
      }
      const { issuer, server, environment } = yield* issuerOf(request)
      const token = Effect.gen(function* () {
        const credentials = yield* Effect.fromResult(parseBasicCredentials(request.header("authorization")))
        const clientAddress = yield* clientAddressOf(request)
        return yield* issuePublicToken(server, credentials, clientAddress, { issuer, environment })
      })
      return yield* token.pipe(
        Effect.map((accessToken) =>
          jsonResponse(
            200,
            JSON.stringify({
              access_token: accessToken,
              token_type: "Bearer",
              expires_in: accessTokenLifetimeSeconds,
            }),
          ),
        ),
        Effect.catchTags({
          BasicCredentialsAreInvalid: () => Effect.succeed(invalidClient),
          CredentialsAreInvalid: () => Effect.succeed(invalidClient),
        }),
      )
    }),
  },
  {
    method: "GET",
    path: "/oauth2/:server/v1/keys",
    handler: () =>
      Effect.map(AccessTokens, ({ publicKeys }) =>
        jsonResponse(200, JSON.stringify({ keys: publicKeys }), { "cache-control": "public, max-age=300" }),
      ),
  },
  {
    method: "GET",
    path: "/oauth2/:server/.well-known/openid-configuration",
    handler: (request: ApiRequest) => configurationOf(request),
  },
  {
    method: "GET",
    path: "/.well-known/openid-configuration",
    handler: (request: ApiRequest) => configurationOf(request),
  },
] as const

const configurationOf = (request: ApiRequest) =>
  Effect.map(issuerOf(request), ({ issuer }) =>
    jsonResponse(
      200,
      JSON.stringify({
        issuer,
        token_endpoint: `${issuer}/v1/token`,
        jwks_uri: `${issuer}/v1/keys`,
        grant_types_supported: ["client_credentials"],
        response_types_supported: ["token"],
        scopes_supported: ["m2m"],
        subject_types_supported: ["public"],
        token_endpoint_auth_methods_supported: ["client_secret_basic"],
        id_token_signing_alg_values_supported: ["ES256"],
      }),
      { "cache-control": "public, max-age=300" },
    ),
  )

/** The server of a path without one: no organization has to have this name. */
const anyServer = "default"

const issuerOf = (request: ApiRequest) =>
  Effect.map(ApiOptions, ({ baseUrl }) => {
    const server = request.pathParams["server"] ?? anyServer
    return {
      server,
      issuer: `${baseUrl}/oauth2/${encodeURIComponent(server)}`,
      environment: new URL(baseUrl).host,
    }
  })

/** An error as RFC 6749 section 5.2 has it. */
const oauthError = (
  status: 400 | 401,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
) => jsonResponse(status, JSON.stringify({ error, error_description: description }), headers)

const invalidClient = oauthError(
  401,
  "invalid_client",
  "There is no credential with this client ID and secret, or it is disabled. Send them with the Basic scheme.",
  { "www-authenticate": basicChallenge },
)
