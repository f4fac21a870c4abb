import type { AlertMethodNotFound } from "@tocsin/domain/notification/AlertMethodNotFound"
import type { AlertStoreIsUnavailable, IdempotencyKeyIsReused } from "@tocsin/domain/alerting/AlertStore"
import type { AlertmanagerGroupIsInvalid } from "@tocsin/domain/intake/AlertmanagerGroup"
import type { AlertIsInvalid } from "@tocsin/domain/intake/DecodeAlert"
import type { AlertNotFound } from "@tocsin/domain/intake/ExternalAlert"
import type { DeliveryNotFound } from "@tocsin/domain/delivery/Deliveries"
import type { BulkResendNotFound } from "@tocsin/domain/resend/BulkResends"
import type {
  BulkResendsAreTooMany,
  BulkResendStoreIsUnavailable,
} from "@tocsin/domain/resend/BulkResendStore"
import type { ResendIsInvalid } from "@tocsin/domain/resend/DecodeResendRequest"
import type { DeliveryLogIsUnavailable } from "@tocsin/domain/delivery/DeliveryLog"
import type { DeliveryQueueIsUnavailable } from "@tocsin/domain/delivery/DeliveryQueue"
import type { EndpointStoreIsUnavailable } from "@tocsin/domain/delivery/EndpointStore"
import type { SignerIsUnavailable } from "@tocsin/domain/signature/Signer"
import { type RoleIsTooLow, type OrganizationIsInvalid, roles } from "@tocsin/domain/access/Access"
import type { SignInIsInvalid } from "@tocsin/domain/access/DecodeSignIn"
import type {
  AccessTokenIsInvalid,
  AccessTokenIsMissing,
  OrganizationIsForeign,
} from "@tocsin/domain/access/AccessToken"
import type { BasicCredentialsAreInvalid, CredentialsAreWrong } from "@tocsin/domain/access/ProveCredential"
import type {
  ClientIdIsInvalid,
  ClientIdIsTaken,
  ClientSecretIsTooShort,
  CredentialNotFound,
} from "@tocsin/domain/access/ManageCredentials"
import type { CredentialStoreIsUnavailable } from "@tocsin/domain/access/CredentialStore"
import type { SessionIsInvalid } from "@tocsin/domain/access/Session"
import type { CountStoreIsUnavailable } from "@tocsin/domain/counts/CountStore"
import type {
  IndicatorNotFound,
  IndicatorStoreIsUnavailable,
} from "@tocsin/domain/data-source/IndicatorStore"
import type { CountsAreInvalid } from "@tocsin/domain/counts/DecodeCounts"
import type { SloNotFound } from "@tocsin/domain/status/FindSlo"
import type { CursorIsInvalid } from "@tocsin/domain/pagination/Cursor"
import type { ParameterIsInvalid } from "@tocsin/domain/codec/ParameterIsInvalid"
import type { DefinitionsAreInvalid } from "@tocsin/domain/definition/ApplyDefinitions"
import type { DefinitionsNotFound } from "@tocsin/domain/definition/DeleteDefinitions"
import type { DefinitionStoreIsUnavailable } from "@tocsin/domain/definition/DefinitionStore"
import type { Issue } from "@tocsin/domain/codec/Issue"
import { kinds } from "@tocsin/domain/metadata/ObjectKey"
import { Limits } from "@tocsin/domain/Limits"
import type { RateLimitIsExceeded, RateLimiterIsUnavailable } from "@tocsin/domain/rate-limit/RateLimiter"
import type { SealedSecretsAreUnavailable } from "@tocsin/domain/secret/SecretBox"
import type { SigningKeyIsFresh } from "@tocsin/domain/signature/RotateSigningKey"
import type { SigningKeyStoreIsUnavailable } from "@tocsin/domain/signature/SigningKeyStore"
import type { SloStoreIsUnavailable } from "@tocsin/domain/status/SloStore"
import type { VersionIsNotAcceptable } from "./AcceptVersion.ts"
import type { MethodIsNotAllowed, PathIsMalformed, PathIsUnknown } from "./ApiRouter.ts"
import type { RequestIsCrossSite } from "../access/CrossSiteGuard.ts"
import type { KindIsUnknown } from "../definitions/DefinitionsHandlers.ts"
import { timeText } from "../deliveries/DeliveryJson.ts"
import type { ErrorItem } from "./ErrorResponse.ts"
import type { NewCredentialIsInvalid } from "../operator/OperatorHandlers.ts"
import { rateLimitHeaders } from "./RateLimitHeaders.ts"
import type { SessionIsMissing, SignInIsWrong } from "../access/SessionHandlers.ts"
import type { VersionIsTurnedOff } from "../slos/StatusDeprecation.ts"
import type {
  MediaTypeIsNotSupported,
  RequestBodyIsNotJson,
  RequestBodyIsNotText,
  RequestBodyIsTooLarge,
  RequestBodyIsUnfinished,
} from "./RequestBody.ts"

/** Everything that a handler may fail with. A new error joins this union, and then its line in the table below. */
export type ApiFailure =
  // The frame
  | PathIsUnknown
  | PathIsMalformed
  | MethodIsNotAllowed
  | VersionIsNotAcceptable
  | RequestBodyIsTooLarge
  | RequestBodyIsUnfinished
  | RequestBodyIsNotText
  | RequestBodyIsNotJson
  | MediaTypeIsNotSupported
  // Access
  | OrganizationIsInvalid
  | BasicCredentialsAreInvalid
  | CredentialsAreWrong
  | AccessTokenIsMissing
  | AccessTokenIsInvalid
  | OrganizationIsForeign
  | RoleIsTooLow
  | RateLimitIsExceeded
  | NewCredentialIsInvalid
  | ClientIdIsInvalid
  | ClientIdIsTaken
  | ClientSecretIsTooShort
  | CredentialNotFound
  | SignInIsInvalid
  | SignInIsWrong
  | SessionIsMissing
  | SessionIsInvalid
  | RequestIsCrossSite
  // Signing keys
  | SigningKeyIsFresh
  // Status and counts
  | ParameterIsInvalid
  | CursorIsInvalid
  | SloNotFound
  | CountsAreInvalid
  | IndicatorNotFound
  | VersionIsTurnedOff
  // Definitions
  | DefinitionsAreInvalid
  | DefinitionsNotFound
  | KindIsUnknown
  // Alerts and deliveries
  | AlertIsInvalid
  | AlertmanagerGroupIsInvalid
  | AlertNotFound
  | AlertMethodNotFound
  | DeliveryNotFound
  | ResendIsInvalid
  | BulkResendNotFound
  | BulkResendsAreTooMany
  | IdempotencyKeyIsReused
  // Ports
  | AlertStoreIsUnavailable
  | DeliveryLogIsUnavailable
  | DeliveryQueueIsUnavailable
  | EndpointStoreIsUnavailable
  | BulkResendStoreIsUnavailable
  | SignerIsUnavailable
  | CredentialStoreIsUnavailable
  | SigningKeyStoreIsUnavailable
  | RateLimiterIsUnavailable
  | DefinitionStoreIsUnavailable
  | SloStoreIsUnavailable
  | CountStoreIsUnavailable
  | IndicatorStoreIsUnavailable
  | SealedSecretsAreUnavailable

/** What a failure is answered with. */
export interface ErrorStatus {
  readonly status: number
  readonly errors: readonly [ErrorItem, ...ReadonlyArray<ErrorItem>]
  readonly headers?: Readonly<Record<string, string>>
}

/** What a failure is answered with. Source: decisions 0501 and 0502. */
export const errorStatus = (failure: ApiFailure): ErrorStatus => {
  const answer: (failure: never) => ErrorStatus = statusByTag[failure._tag]
  return answer(failure as never)
}

type StatusByTag = {
  readonly [Tag in ApiFailure["_tag"]]: (failure: Extract<ApiFailure, { readonly _tag: Tag }>) => ErrorStatus
}

const one = (
  status: number,
  error: ErrorItem,
  headers: Readonly<Record<string, string>> = {},
): ErrorStatus => ({
  status,
  errors: [error],
  headers,
})

const unavailable = (): ErrorStatus =>
  one(
    503,
    { title: "The service is not available", code: "unavailable", detail: "Try again in a moment." },
    { "retry-after": "5" },
  )

const issuesToErrors = (title: string, issues: ReadonlyArray<Issue>): ErrorStatus["errors"] => {
  const [first = { title }, ...rest] = issues.map(({ path, code, message }): ErrorItem => ({
    title,
    code,
    detail: message,
    ...(path !== "" && { source: { propertyName: path } }),
  }))
  return [first, ...rest]
}

/** The issues of definitions, of which the public clients show the title only. Source: decisions 0111 and 0501. */
const definitionErrors = (issues: ReadonlyArray<Issue>): ErrorStatus["errors"] => {
  const [first = { title: "A definition is invalid" }, ...rest] = issues.map(
    ({ path, code, message }): ErrorItem => ({
      title: message,
      code,
      ...(path !== "" && { source: { propertyName: path } }),
    }),
  )
  return [first, ...rest]
}

/** Not Basic: a browser would ask for a password in a window of its own. */
const sessionChallenge = { "www-authenticate": 'Cookie realm="tocsin"' }

const basicChallenge = { "www-authenticate": 'Basic realm="tocsin", charset="UTF-8"' }

const wrongCredentials =
  "There is no such credential in this organization, its secret is another, or it is disabled."

const statusByTag: StatusByTag = {
  PathIsUnknown: () => one(404, { title: "There is nothing at this path", code: "path_unknown" }),
  PathIsMalformed: () =>
    one(400, {
      title: "The path cannot be decoded",
      code: "path_malformed",
      detail: "A % starts two hex digits.",
    }),
  MethodIsNotAllowed: ({ allow }) =>
    one(405, { title: "The path does not take this method", code: "method_not_allowed" }, { allow }),
  VersionIsNotAcceptable: () =>
    one(406, {
      title: "The version in Accept is not served",
      code: "version_not_acceptable",
      detail: "Send Accept: application/json; version=v1alpha.",
      source: { propertyName: "Accept" },
    }),
  RequestBodyIsTooLarge: () =>
    one(413, {
      title: "The body is too large",
      code: "body_too_large",
      detail: `At most ${Limits.requestBodyMaxBytes} bytes are read.`,
    }),
  RequestBodyIsUnfinished: () =>
    one(
      408,
      { title: "The body did not arrive whole in time", code: "body_unfinished" },
      { connection: "close" },
    ),
  RequestBodyIsNotText: () => one(400, { title: "The body is not UTF-8", code: "body_not_text" }),
  RequestBodyIsNotJson: () => one(400, { title: "The body is not JSON", code: "body_not_json" }),
  MediaTypeIsNotSupported: ({ supported }) =>
    one(415, {
      title: "The body has a type that is not read here",
      code: "media_type_not_supported",
      detail: `Send ${supported.join(" or ")} in UTF-8, without a content coding.`,
      source: { propertyName: "Content-Type" },
    }),

  OrganizationIsInvalid: ({ reason }) =>
    one(400, {
      title:
        reason === "missing" ? "The header Organization is missing" : "The header Organization is not an ID",
      code: `organization_${reason}`,
      source: { propertyName: "Organization" },
    }),
  BasicCredentialsAreInvalid: ({ reason }) =>
    one(
      401,
      {
        title: reason === "missing" ? "Credentials are missing" : "The credentials cannot be read",
        code: `credentials_${reason}`,
        detail: "Send Authorization: Basic with clientId:clientSecret in base64.",
      },
      basicChallenge,
    ),
  CredentialsAreWrong: () =>
    one(
      401,
      { title: "The credentials are wrong", code: "credentials_wrong", detail: wrongCredentials },
      basicChallenge,
    ),
  AccessTokenIsMissing: () =>
    one(
      401,
      {
        title: "The access token is missing",
        code: "access_token_missing",
        detail: "Get one from POST /api/accessToken and send Authorization: Bearer.",
      },
      { "www-authenticate": 'Bearer realm="tocsin"' },
    ),
  AccessTokenIsInvalid: ({ reason }) =>
    one(
      401,
      {
        title: reason === "expired" ? "The access token has expired" : "The access token is not valid",
        code: reason === "expired" ? "access_token_expired" : "access_token_invalid",
      },
      { "www-authenticate": 'Bearer realm="tocsin", error="invalid_token"' },
    ),
  OrganizationIsForeign: () =>
    one(403, {
      title: "The access token or session belongs to another organization",
      code: "organization_foreign",
      source: { propertyName: "Organization" },
    }),
  RoleIsTooLow: ({ held, needed }) =>
    one(403, {
      title: "The role is too low",
      code: "role_too_low",
      detail: `This needs ${needed}, not ${held}.`,
    }),
  NewCredentialIsInvalid: () =>
    one(400, {
      title: "The body does not describe a credential",
      code: "credential_invalid",
      detail: `Send role (${roles.join(" or ")}) and, if they are not to be generated, clientId and clientSecret.`,
    }),
  ClientIdIsInvalid: () =>
    one(400, {
      title: "The client id cannot be used",
      code: "client_id_invalid",
      detail: `It has 1 to ${Limits.clientIdMaxCharacters} visible ASCII characters and no colon.`,
      source: { propertyName: "clientId" },
    }),
  ClientIdIsTaken: ({ clientId }) =>
    one(409, {
      title: "The organization has this client id already",
      code: "client_id_taken",
      source: { propertyName: "clientId", propertyValue: clientId },
    }),
  ClientSecretIsTooShort: () =>
    one(400, {
      title: "The client secret is too short",
      code: "client_secret_too_short",
      detail: `It has at least ${Limits.clientSecretMinCharacters} characters.`,
      source: { propertyName: "clientSecret" },
    }),
  CredentialNotFound: ({ clientId }) =>
    one(404, {
      title: "The organization has no such client id",
      code: "credential_not_found",
      source: { propertyName: "clientId", propertyValue: clientId },
    }),
  SignInIsInvalid: ({ issues }) => ({
    status: 400,
    errors: issuesToErrors("The sign-in is invalid", issues),
  }),
  SignInIsWrong: () =>
    one(
      401,
      {
        title: "Organization, client ID and secret do not belong together",
        code: "credentials_wrong",
        detail: wrongCredentials,
      },
      sessionChallenge,
    ),
  SessionIsMissing: () =>
    one(401, { title: "Nobody is signed in", code: "session_missing" }, sessionChallenge),
  SessionIsInvalid: ({ reason }) =>
    one(
      401,
      {
        title: reason === "expired" ? "The session has expired" : "The session is not valid any more",
        code: reason === "expired" ? "session_expired" : "session_invalid",
        detail: "Sign in again.",
      },
      sessionChallenge,
    ),
  RequestIsCrossSite: () =>
    one(403, {
      title: "The request does not come from a page of this server",
      code: "cross_site_request",
      detail:
        "Beside the cookie of a session it needs X-Tocsin-Console: 1 and an Origin of this server; behind a proxy, set TOCSIN_BASE_URL.",
    }),
  SigningKeyIsFresh: ({ untilMs }) =>
    one(409, {
      title: "The signing key was rotated less than a day ago",
      code: "signing_key_fresh",
      detail: `It can be rotated again from ${timeText(untilMs)} on; the operator can at any time.`,
    }),
  RateLimitIsExceeded: ({ status }) =>
    one(
      429,
      {
        title: "Too many requests",
        code: "rate_limit_exceeded",
        detail: `At most ${status.policy.limit} in ${status.policy.windowMs / 1_000} s.`,
      },
      rateLimitHeaders(status),
    ),

  ParameterIsInvalid: ({ code, propertyName, propertyValue, detail }) =>
    one(400, {
      title: "A parameter is invalid",
      code,
      detail,
      source: { propertyName, ...(propertyValue !== undefined && { propertyValue }) },
    }),
  CursorIsInvalid: ({ value }) =>
    one(400, {
      title: "The cursor is not one of this list",
      code: "cursor_invalid",
      detail: "Take it from links.next as it is, or leave it out to start over.",
      source: { propertyName: "cursor", propertyValue: value },
    }),
  SloNotFound: ({ project, name }) =>
    one(404, {
      title: "There is no such SLO",
      code: "slo_not_found",
      detail: `The project ${project} has no SLO of this name.`,
      source: { propertyName: "sloName", propertyValue: name },
    }),
  IndicatorNotFound: ({ project, name }) =>
    one(404, {
      title: "The SLO has no indicator",
      code: "indicator_not_found",
      detail: `The counts of the SLO of the project ${project} come over the API alone.`,
      source: { propertyName: "sloName", propertyValue: name },
    }),
  CountsAreInvalid: ({ issues }) => ({
    status: 400,
    errors: issuesToErrors("The counts are invalid", issues),
  }),
  VersionIsTurnedOff: () =>
    one(410, {
      title: "Version 1 is turned off",
      code: "version_turned_off",
      detail: "Use /api/v2.",
    }),

  DefinitionsAreInvalid: ({ issues }) => ({ status: 400, errors: definitionErrors(issues) }),
  DefinitionsNotFound: ({ issues }) => ({ status: 404, errors: definitionErrors(issues) }),
  KindIsUnknown: () =>
    one(404, {
      title: "There is no such kind of object",
      code: "kind_unknown",
      detail: `Kinds are ${kinds.join(", ")} and, to be read only, Alert.`,
    }),

  AlertIsInvalid: ({ issues }) => ({ status: 400, errors: issuesToErrors("The alert is invalid", issues) }),
  AlertmanagerGroupIsInvalid: ({ issues }) => ({
    status: 400,
    errors: issuesToErrors("Nothing of the group could be taken", issues),
  }),
  AlertNotFound: () =>
    one(404, {
      title: "There is no such alert",
      code: "alert_not_found",
      detail: "Nothing was triggered for this SLO, objective and policy, or under this alertId.",
    }),
  AlertMethodNotFound: ({ project, name }) =>
    one(404, {
      title: "There is no such alert method",
      code: "alert_method_not_found",
      detail: `The project ${project} has no alert method of this name.`,
      source: { propertyName: "name", propertyValue: name },
    }),
  DeliveryNotFound: ({ id }) =>
    one(404, {
      title: "There is no such delivery",
      code: "delivery_not_found",
      source: { propertyName: "id", propertyValue: id },
    }),
  ResendIsInvalid: ({ issues }) => ({
    status: 400,
    errors: issuesToErrors("The request to resend is invalid", issues),
  }),
  BulkResendNotFound: ({ id }) =>
    one(404, {
      title: "There is no such bulk resend",
      code: "resend_not_found",
      source: { propertyName: "id", propertyValue: id },
    }),
  BulkResendsAreTooMany: () =>
    one(409, {
      title: `The organization has ${Limits.bulkResendsRunningMax} bulk resends running already`,
      code: "too_many_resends",
      detail:
        "Wait until one of them is done, or cancel one: GET /api/resends (tocsin deliveries resends) lists them, POST /api/resends/{id}/cancel (tocsin deliveries cancel) ends one.",
    }),
  IdempotencyKeyIsReused: ({ key }) =>
    one(409, {
      title: "The Idempotency-Key was used for another request",
      code: "idempotency_key_reused",
      source: { propertyName: "Idempotency-Key", propertyValue: key },
    }),

  AlertStoreIsUnavailable: unavailable,
  DeliveryLogIsUnavailable: unavailable,
  DeliveryQueueIsUnavailable: unavailable,
  EndpointStoreIsUnavailable: unavailable,
  BulkResendStoreIsUnavailable: unavailable,
  SignerIsUnavailable: unavailable,
  CredentialStoreIsUnavailable: unavailable,
  SigningKeyStoreIsUnavailable: unavailable,
  RateLimiterIsUnavailable: unavailable,
  DefinitionStoreIsUnavailable: unavailable,
  SloStoreIsUnavailable: unavailable,
  CountStoreIsUnavailable: unavailable,
  IndicatorStoreIsUnavailable: unavailable,
  SealedSecretsAreUnavailable: unavailable,
}
