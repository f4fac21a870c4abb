import {
  type BasicCredentialsAreInvalid,
  type CredentialsAreInvalid,
  issuePublicToken,
  parseBasicCredentials,
  parseOrganization,
} from "@tocsin/domain"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { accessTokenLifetimeSeconds } from "@tocsin/domain/limits"
import { AccessTokens } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ClientRequest, type ClientResponse, jsonResponse } from "./ClientRequest.ts"

/** Largest body of a request for a token, in bytes. */
const tokenRequestMaxBytes = 8_192

/** A handler for the organization of a path, which need not exist; 404 if none can have this name. */
const ofOrganization =
  <R>(handler: (issuer: Issuer) => Effect.Effect<ClientResponse, never, R>) =>
  (request: ClientRequest): Effect.Effect<ClientResponse, never, R> =>
    Result.isSuccess(parseOrganization(organizationOf(request)))
      ? handler(issuerOf(request))
      : Effect.succeed(unknownIssuer())

/**
 * The authorization server of the service's public clients (spec/clients §1): tokens by client credentials (RFC 6749 section
 * 4.4), the keys that verify them, and where both are. Each organization is an issuer of its own, whose name is in the path.
 */
export const oauthRoutes = [
  {
    method: "POST",
    path: "/oauth2/:organization/v1/token",
    access: "public",
    body: { formMaxBytes: tokenRequestMaxBytes },
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      // An empty parameter is treated as omitted, and none is included more than once (RFC 6749 section 3.2).
      const given = [...request.form].filter(([, value]) => value !== "")
      const names = given.map(([name]) => name)
      if (new Set(names).size < names.length)
        return oauthError(400, "invalid_request", "A parameter is included more than once.")
      const grantType = new Map(given).get("grant_type")
      if (grantType !== "client_credentials") {
        return grantType === undefined
          ? oauthError(400, "invalid_request", "grant_type is missing")
          : oauthError(400, "unsupported_grant_type", "grant_type must be client_credentials")
      }
      const { organization, ...issuer } = issuerOf(request)
      const rejected = (failure: BasicCredentialsAreInvalid | CredentialsAreInvalid) =>
        Effect.succeed(invalidClient(request.statusOf(failure).headers))
      return yield* Effect.fromResult(parseBasicCredentials(request.header("authorization"))).pipe(
        Effect.flatMap((credentials) =>
          issuePublicToken(organization, credentials, request.clientAddress, issuer),
        ),
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
          BasicCredentialsAreInvalid: rejected,
          CredentialsAreInvalid: rejected,
        }),
      )
    }),
  },
  {
    method: "GET",
    path: "/oauth2/:organization/v1/keys",
    access: "public",
    handler: ofOrganization(({ organization }) =>
      Effect.map(AccessTokens, ({ publicKeys }) =>
        jsonResponse(200, JSON.stringify({ keys: publicKeys(organization) }), {
          "cache-control": "public, max-age=300",
        }),
      ),
    ),
  },
  {
    method: "GET",
    path: "/oauth2/:organization/.well-known/openid-configuration",
    access: "public",
    handler: ofOrganization((issuer) => Effect.succeed(configurationOf(issuer))),
  },
] as const

const configurationOf = ({ issuer }: Issuer): ClientResponse =>
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
  )

/** An organization, which need not exist, as the issuer of its tokens. */
type Issuer = ReturnType<typeof issuerOf>

const organizationOf = ({ pathParams: { organization = "" } }: ClientRequest): OrganizationId => organization

const issuerOf = (request: ClientRequest) => {
  const organization = organizationOf(request)
  return {
    organization,
    issuer: `${request.baseUrl}/oauth2/${encodeURIComponent(organization)}`,
    environment: new URL(request.baseUrl).host,
  }
}

/**
 * What an error is called. The names of RFC 6749 section 5.2 tell a client not to repeat its request; those of section 4.1.2.1
 * are for a server that cannot answer it now.
 */
const errorName = (status: number): string => {
  if (status === 429 || status === 503) return "temporarily_unavailable"
  return status < 500 ? "invalid_request" : "server_error"
}

/** Writes errors of the token endpoint in the form of RFC 6749 section 5.2; status and headers are those that they have elsewhere. */
export const oauthErrorForm = {
  prefix: "/oauth2/",
  toResponse: ({ status, errors: [{ title, detail }], headers }: FailedRequest): ClientResponse =>
    oauthError(status, errorName(status), detail === undefined ? title : `${title}: ${detail}`, headers),
}

/** An error of the API. */
export interface FailedRequest {
  readonly status: number
  readonly errors: readonly [{ readonly title: string; readonly detail?: string }, ...ReadonlyArray<unknown>]
  readonly headers?: Readonly<Record<string, string>>
}

/** An error as RFC 6749 section 5.2 has it. */
const oauthError = (
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
) => jsonResponse(status, JSON.stringify({ error, error_description: description }), headers)

const unknownIssuer = () =>
  oauthError(404, "invalid_request", "No organization can have the name in the path.")

const invalidClient = (headers?: Readonly<Record<string, string>>) =>
  oauthError(
    401,
    "invalid_client",
    "There is no credential with this client ID and secret, or it is disabled. Send them with the Basic scheme.",
    headers,
  )
