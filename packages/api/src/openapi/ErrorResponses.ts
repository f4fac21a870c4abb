import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { optionalText } from "../operation/Fields.ts"

const ErrorBody = Schema.Struct({
  errors: Schema.Array(
    Schema.Struct({
      title: Schema.String.annotate({ description: "Human-readable summary of the error" }),
      code: Schema.optionalKey(
        Schema.String.annotate({ description: "Machine-readable error code" }).check(
          Schema.isPattern(/^[a-z][a-z0-9_]*$/u),
        ),
      ),
      detail: optionalText("Details, such as the limit that was exceeded or how to fix the error"),
      source: Schema.optionalKey(
        Schema.Struct({
          propertyName: optionalText("Name of the invalid header, parameter or property"),
          propertyValue: optionalText("Value of the header, parameter or property; never a secret"),
        }),
      ),
      current: Schema.optionalKey(
        Schema.Record(Schema.String, Schema.Unknown).annotate({
          description:
            "Only with the code revision_mismatch: the stored definition with its revision. Absent if there is none, or if the response would become too large",
        }),
      ),
    }),
  ).check(Schema.isMinLength(1)),
}).annotate({ identifier: "Error" })

/** The JSON of every response with a status of at least 400. */
export type ErrorBody = (typeof ErrorBody)["Encoded"]

const response = (status: number, description: string) =>
  ErrorBody.annotate({ description }).pipe(HttpApiSchema.status(status))

/** Describes the status 400. */
export const BadRequest = response(400, "A parameter, header or body is invalid.")
/** Describes the status 401. */
export const Unauthorized = response(
  401,
  "The credentials, access token or session are missing, invalid or expired.",
)
/** Describes the status 403. */
export const Forbidden = response(
  403,
  "Permissions are insufficient, a quota of the organization is exceeded, the organization does not match, or the request is cross-site.",
)
/** Describes the status 404. */
export const NotFound = response(404, "The object does not exist.")
/** Describes the status 406. */
export const NotAcceptable = response(406, "The Accept header names an unsupported version.")
/** Describes the status 408. */
export const RequestTimeout = response(
  408,
  "The request body was not received completely within the time limit.",
)
/** Describes the status 409. */
export const Conflict = response(409, "The request conflicts with the current state.")
/** Describes the status 410. */
export const Gone = response(410, "The endpoint is disabled.")
/** Describes the status 412. */
export const PreconditionFailed = response(
  412,
  "A definition has a revision other than the expected one. Nothing was applied.",
)
/** Describes the status 413. */
export const ContentTooLarge = response(413, "The body is too large.")
/** Describes the status 415. */
export const UnsupportedMediaType = response(415, "The media type of the body is not supported.")
/** Describes the status 429. */
export const TooManyRequests = response(
  429,
  "A rate limit, quota or concurrency limit is exceeded. Try again after Retry-After seconds.",
)
/** Describes the status 500. */
export const InternalError = response(
  500,
  "The server failed. Search its log for the Trace-Id of the response.",
)
/** Describes the status 503. */
export const Unavailable = response(
  503,
  "The service is temporarily unavailable. Try again after Retry-After seconds.",
)

/** Errors of every endpoint. */
export const serverErrors = [InternalError, Unavailable] as const
/** Errors of every endpoint that reads a body. */
export const bodyErrors = [RequestTimeout, ContentTooLarge, UnsupportedMediaType, TooManyRequests] as const
/** Errors of every endpoint that needs an organization. */
export const organizationErrors = [
  BadRequest,
  Unauthorized,
  Forbidden,
  NotAcceptable,
  ...serverErrors,
] as const
