import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { roles } from "@tocsin/domain/access/Role"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"

const ConsoleSession = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literal(...roles).annotations({ description: "The one that the credential has now" }),
  expiresAt: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  apiVersion: Schema.String.annotations({ description: "What definitions have as their apiVersion" }),
  baseUrl: Schema.String.annotations({ description: "Where the service is reached from outside" }),
}).annotations({ identifier: "ConsoleSession" })

const ConsoleHeader = Schema.Struct({
  "x-tocsin-console": Schema.Literal("1").annotations({
    description: "Tells a page of this server from any other site's",
  }),
})

/** Describes how people sign in to the web console. Source: decisions 0704 and 0705. */
export const SessionApi = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("openSession", "/api/console/session")
      .setHeaders(ConsoleHeader)
      .setPayload(
        Schema.Struct({
          organization: Schema.String,
          clientId: Schema.String,
          clientSecret: Schema.String,
        }).annotations({ identifier: "SignIn" }),
      )
      .addSuccess(ConsoleSession)
      .addError(BadRequest)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Sign in to the web console")
      .annotate(
        OpenApi.Description,
        `Sets a cookie that the other calls take instead of an access token, for ${Limits.sessionLifetimeSeconds / 3_600} hours. Of those, what changes something has to carry X-Tocsin-Console: 1 too.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("findSession", "/api/console/session")
      .addSuccess(ConsoleSession)
      .annotate(OpenApi.Summary, "Read who is signed in"),
  )
  .add(
    HttpApiEndpoint.del("closeSession", "/api/console/session")
      .setHeaders(ConsoleHeader)
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(OpenApi.Summary, "Sign out")
      .annotate(OpenApi.Description, "Makes the browser forget the cookie."),
  )
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(NotAcceptable)
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Where the web console is served; elsewhere these paths are unknown.")
