import type { DefinitionsAreInvalid } from "@tocsin/domain"
import type { Issue, ParameterIsInvalid } from "@tocsin/domain/codec"
import type { CursorIsInvalid } from "@tocsin/domain/pagination"
import type { RateLimitIsExceeded } from "@tocsin/domain/ports"
import type { RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "./ApiRequest.ts"
import type { MethodIsNotAllowed, MethodIsUnknown, PathIsMalformed, PathNotFound } from "./ApiRouter.ts"
import type { HelpIsUnreadable } from "./HelpOptions.ts"
import type { VersionIsNotAcceptable, VersionIsTurnedOff } from "./ApiVersions.ts"
import type { ConcurrencyLimitIsExceeded } from "@tocsin/domain/rate-limit"
import {
  type KnownErrorItem,
  type ErrorStatus,
  invalidBody,
  oneError,
  type StatusTable,
} from "./ErrorResponse.ts"
import { rateLimitHeaders } from "./RateLimitHeaders.ts"
import type {
  BodyIsInvalid,
  ContentEncodingIsNotSupported,
  MediaTypeIsNotSupported,
  RequestBodyHasDuplicateKey,
  RequestBodyIsNotJson,
  RequestBodyIsNotDecompressed,
  RequestBodyIsNotText,
} from "./RequestBody.ts"
import type { ParametersAreInvalid } from "./RequestParameters.ts"

/** Failures of routing; every API has them. */
export type RoutingFailure =
  | PathNotFound
  | PathIsMalformed
  | MethodIsNotAllowed
  | MethodIsUnknown
  | VersionIsNotAcceptable
  | VersionIsTurnedOff
  | HelpIsUnreadable

/** Failures of any resource: its request's path, body, parameters or rate. */
type FrameFailure =
  | RoutingFailure
  | RequestBodyIsTooLarge
  | RequestBodyIsUnfinished
  | RequestBodyIsNotText
  | RequestBodyIsNotDecompressed
  | RequestBodyIsNotJson
  | RequestBodyHasDuplicateKey
  | BodyIsInvalid
  | ParametersAreInvalid
  | MediaTypeIsNotSupported
  | ContentEncodingIsNotSupported
  | ParameterIsInvalid
  | CursorIsInvalid
  | DefinitionsAreInvalid
  | RateLimitIsExceeded
  | ConcurrencyLimitIsExceeded

export const frameErrors: StatusTable<FrameFailure> = {
  PathNotFound: ({ nearest }) =>
    oneError(404, {
      title: "Not found",
      code: "not_found",
      detail:
        nearest === undefined
          ? "There is no such path. All paths are in /openapi.json."
          : `There is no such path; did you mean ${nearest}?`,
    }),
  PathIsMalformed: () => oneError(400, invalidPath),
  MethodIsNotAllowed: ({ allow }) =>
    oneError(
      405,
      {
        title: "Method not allowed",
        code: "method_not_allowed",
        detail: `This path supports the methods ${allow}.`,
      },
      { allow },
    ),
  MethodIsUnknown: () => oneError(501, unknownMethod),
  VersionIsNotAcceptable: () =>
    oneError(406, {
      title: "Unsupported version",
      code: "version_not_acceptable",
      detail: "Send Accept: application/json; version=v1alpha.",
      source: { propertyName: "Accept" },
    }),
  VersionIsTurnedOff: () =>
    oneError(410, {
      title: "Version 1 is disabled",
      code: "version_disabled",
      detail: "Use /api/v2 instead.",
    }),
  HelpIsUnreadable: () => unavailable,
  RequestBodyIsTooLarge: ({ maxBytes }) =>
    oneError(413, {
      title: "Request body too large",
      code: "body_too_large",
      detail: `The body must be at most ${maxBytes} bytes. Shorten it, or divide its entries over several requests.`,
    }),
  RequestBodyIsUnfinished: () =>
    oneError(
      408,
      {
        title: "Request body timeout",
        code: "body_timeout",
        detail: "Send the whole body within 20 s, in smaller parts if necessary.",
      },
      { connection: "close" },
    ),
  RequestBodyIsNotText: () =>
    oneError(400, {
      title: "Request body is not valid UTF-8",
      code: "body_not_utf8",
      detail: "Encode the body as UTF-8.",
    }),
  RequestBodyIsNotDecompressed: ({ coding }) =>
    oneError(400, {
      title: "Request body cannot be decompressed",
      code: `body_not_${coding}`,
      detail: "Compress the whole body as Content-Encoding says, or send it uncompressed.",
    }),
  RequestBodyIsNotJson: ({ error }) =>
    oneError(400, {
      title: "Request body is not valid JSON",
      code: "body_not_json",
      ...(error && { detail: `Line ${error.line}, column ${error.column}: ${error.message}.` }),
    }),
  RequestBodyHasDuplicateKey: ({ issue }) => invalidBody("Duplicate key in the request body", [issue]),
  MediaTypeIsNotSupported: ({ supported }) =>
    oneError(415, {
      title: "Unsupported media type",
      code: "unsupported_media_type",
      detail: `Send ${supported.join(" or ")} in UTF-8.`,
      source: { propertyName: "Content-Type" },
    }),
  ContentEncodingIsNotSupported: ({ supported }) =>
    oneError(
      415,
      {
        title: "Unsupported content encoding",
        code: "unsupported_content_encoding",
        detail:
          supported.length === 0
            ? "Send the body uncompressed, without Content-Encoding."
            : `Send the body uncompressed, or with Content-Encoding: ${supported.join(" or ")}.`,
        source: { propertyName: "Content-Encoding" },
      },
      { "accept-encoding": "identity" },
    ),
  ParameterIsInvalid: ({ code, propertyName, propertyValue, detail }) =>
    oneError(400, {
      title: "Invalid parameter",
      code,
      detail,
      source: { propertyName, ...(propertyValue !== undefined && { propertyValue }) },
    }),
  CursorIsInvalid: ({ value }) =>
    oneError(400, {
      title: "Invalid cursor",
      code: "cursor_invalid",
      detail: "Use links.next of a page of this list unchanged, or omit the cursor to start over.",
      source: { propertyName: "cursor", propertyValue: value },
    }),
  ParametersAreInvalid: ({ issues }) => invalidBody("Invalid parameter", issues),
  BodyIsInvalid: ({ title, issues }) => invalidBody(title, issues),
  DefinitionsAreInvalid: ({ issues }) => definitionErrors(400, issues),
  ConcurrencyLimitIsExceeded: ({ scope, limit }) =>
    oneError(
      429,
      {
        title: "Too many requests at the same time",
        code: "concurrency_limit_exceeded",
        detail: `At most ${limit} costly requests ${scope === "server" ? "" : "of an organization "}are handled at the same time.`,
      },
      { "retry-after": "1" },
    ),
  RateLimitIsExceeded: ({ status }) =>
    oneError(
      429,
      {
        title: "Too many requests",
        code: "rate_limit_exceeded",
        detail: `The limit ${status.policy.name} is ${status.policy.limit} in ${status.policy.windowMs / 1_000} s.`,
      },
      rateLimitHeaders(status),
    ),
}

export const unavailable = oneError(
  503,
  { title: "Service unavailable", code: "unavailable", detail: "Try again in a few seconds." },
  { "retry-after": "5" },
)

export const invalidPath: KnownErrorItem = {
  title: "Invalid path",
  code: "invalid_path",
  detail:
    "Percent-encode the path: each % must be followed by two hexadecimal digits, and the result must be UTF-8.",
}

export const unknownMethod: KnownErrorItem = {
  title: "Unknown method",
  code: "method_unknown",
  detail: "Use GET, HEAD, POST, PUT or DELETE, in upper case.",
}

/** The issues of definitions. Existing clients show only the title, so it is the issue's message. */
export const definitionErrors = (status: number, issues: ReadonlyArray<Issue>): ErrorStatus => {
  const [first = { title: "Invalid definition" }, ...rest] = issues.map(
    ({ path, code, message }): KnownErrorItem => ({
      title: message,
      code,
      ...(path !== "" && { source: { propertyName: path } }),
    }),
  )
  return { status, errors: [first, ...rest] }
}
