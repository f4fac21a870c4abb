import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

const ErrorBody = Schema.Struct({
  errors: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      code: Schema.optionalKey(Schema.String),
      detail: Schema.optionalKey(Schema.String),
      source: Schema.optionalKey(
        Schema.Struct({
          propertyName: Schema.optionalKey(Schema.String),
          propertyValue: Schema.optionalKey(Schema.String),
        }),
      ),
    }),
  ),
}).annotate({ identifier: "Errors" })

const refusal = (status: number, description: string) =>
  ErrorBody.annotate({ description }).pipe(HttpApiSchema.status(status))

/** A parameter, header or definition is bad. */
export const BadRequest = refusal(400, "A parameter, header or definition is bad")
/** Credentials, token or session are absent, wrong or expired. */
export const Unauthorized = refusal(401, "Credentials, token or session are absent, wrong or expired")
/** The token or session is of another organization, its role is too low, or the request comes from another site. */
export const Forbidden = refusal(
  403,
  "The token or session is of another organization, its role is too low, or the request comes from another site",
)
/** There is no such object. */
export const NotFound = refusal(404, "There is no such object")
/** The Accept header asks for a version that is not served. */
export const NotAcceptable = refusal(406, "The Accept header asks for a version that is not served")
/** The request contradicts what is stored. */
export const Conflict = refusal(409, "The request contradicts what is stored")
/** The endpoint is turned off. */
export const Gone = refusal(410, "The endpoint is turned off")
/** The body is too large. */
export const ContentTooLarge = refusal(413, "The body is too large")
/** The body has a type that is not read here. */
export const UnsupportedMediaType = refusal(415, "The body has a type that is not read here")
/** A rate limit is exceeded. */
export const TooManyRequests = refusal(429, "A rate limit is exceeded; Retry-After says when to come back")
/** We are wrong; the Trace-Id header finds it in the log. */
export const InternalError = refusal(500, "The service is at fault; its log has the Trace-Id")
/** A store is away. */
export const Unavailable = refusal(503, "A store is away; Retry-After says when to come back")

/** What every endpoint may answer. */
export const serverErrors = [InternalError, Unavailable] as const
/** What every endpoint of an organization may answer. */
export const organizationErrors = [
  BadRequest,
  Unauthorized,
  Forbidden,
  NotAcceptable,
  ...serverErrors,
] as const
