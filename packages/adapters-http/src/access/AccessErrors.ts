import type {
  AccessTokenIsInvalid,
  AccessTokenIsMissing,
  BasicCredentialsAreInvalid,
  CredentialsAreInvalid,
  OrganizationDoesNotMatch,
  OrganizationIsInvalid,
  RoleIsInsufficient,
  SessionIsInvalid,
} from "@tocsin/domain"
import { nameMaxCharacters } from "@tocsin/domain/limits"
import { type KnownErrorItem, type ErrorStatus, oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import type { OriginIsForeign, RequestIsCrossSite } from "./CrossSiteGuard.ts"

export const accessErrors: StatusTable<
  | OrganizationIsInvalid
  | BasicCredentialsAreInvalid
  | CredentialsAreInvalid
  | AccessTokenIsMissing
  | AccessTokenIsInvalid
  | OrganizationDoesNotMatch
  | RoleIsInsufficient
  | SessionIsInvalid
  | RequestIsCrossSite
  | OriginIsForeign
> = {
  OrganizationIsInvalid: ({ reason }) =>
    oneError(400, {
      title: reason === "missing" ? "Missing Organization header" : "Invalid Organization header",
      code: `organization_${reason}`,
      detail: `Send the ID of the organization of the credential, such as Organization: acme. It has 1 to ${nameMaxCharacters} visible ASCII characters, without spaces.`,
      source: { propertyName: "Organization" },
    }),
  BasicCredentialsAreInvalid: ({ reason }) =>
    unauthorized(basicChallenge, {
      title: reason === "missing" ? "Missing credentials" : "Malformed credentials",
      code: `credentials_${reason}`,
      detail: "Send Authorization: Basic with clientId:clientSecret in base64.",
    }),
  CredentialsAreInvalid: () =>
    unauthorized(basicChallenge, {
      title: "Invalid client ID or secret",
      code: "invalid_credentials",
      detail: invalidCredentialsDetail,
    }),
  AccessTokenIsMissing: () =>
    unauthorized('Bearer realm="tocsin"', {
      title: "Missing access token",
      code: "access_token_missing",
      detail: "Get an access token from POST /api/accessToken and send it as Authorization: Bearer.",
    }),
  AccessTokenIsInvalid: ({ reason }) =>
    unauthorized('Bearer realm="tocsin", error="invalid_token"', {
      title: reason === "expired" ? "Access token expired" : "Invalid access token",
      code: reason === "expired" ? "access_token_expired" : "access_token_invalid",
      detail: "Get a new access token from POST /api/accessToken.",
    }),
  OrganizationDoesNotMatch: () =>
    oneError(403, {
      title: "Organization mismatch",
      code: "organization_mismatch",
      detail:
        "The access token or session belongs to a different organization. Send its ID in the Organization header.",
      source: { propertyName: "Organization" },
    }),
  RoleIsInsufficient: ({ role, required }) =>
    oneError(403, {
      title: "Insufficient permissions",
      code: "insufficient_permissions",
      detail: `This operation requires the ${required} role; the credential has the ${role} role. Use another credential, or ask an admin to create one.`,
    }),
  SessionIsInvalid: ({ reason }) =>
    unauthorized(sessionChallenge, {
      title: reason === "expired" ? "Session expired" : "Invalid session",
      code: reason === "expired" ? "session_expired" : "session_invalid",
      detail: "Sign in again.",
    }),
  RequestIsCrossSite: () =>
    oneError(403, {
      title: "Cross-site request rejected",
      code: "cross_site_request",
      detail:
        "A request with a session cookie must send X-Tocsin-Console: 1 and an Origin of this server. Behind a proxy, set TOCSIN_BASE_URL.",
    }),
  OriginIsForeign: () =>
    oneError(403, {
      title: "Origin not allowed",
      code: "origin_not_allowed",
      detail: "Pages of this origin may not call the server. Add it to TOCSIN_CORS_ORIGINS.",
      source: { propertyName: "Origin" },
    }),
}

/** A 401 with its challenge (RFC 9110 section 11.6.1). */
export const unauthorized = (challenge: string, error: KnownErrorItem): ErrorStatus =>
  oneError(401, error, { "www-authenticate": challenge })

/** Not Basic: a browser would ask for a password in its own dialog. */
export const sessionChallenge = 'Cookie realm="tocsin"'

/** Does not say which of them is wrong. */
export const invalidCredentialsDetail =
  "The organization has no credential with this client ID and secret, or the credential is disabled. Check all three; an admin can create another credential."

const basicChallenge = 'Basic realm="tocsin", charset="UTF-8"'
