import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { roles, signInLink, signInRequest } from "@tocsin/domain"
import { sessionLifetimeSeconds, signInLinkLifetimeSeconds } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import {
  BadRequest,
  serverErrors,
  bodyErrors,
  Forbidden,
  NotAcceptable,
  NotFound,
  TooManyRequests,
  Unauthorized,
  endpoint,
  dateTime,
} from "@tocsin/api/openapi"
import * as examples from "./SessionExamples.ts"

const ConsoleSession = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(roles).annotate({ description: "Current role of the credential" }),
  expiresAt: dateTime("When the session expires"),
  apiVersion: Schema.String.annotate({ description: "The apiVersion of definitions" }),
  baseUrl: Schema.String.annotate({ description: "Public base URL of the server" }),
}).annotate({ identifier: "ConsoleSession" })

const ConsoleHeader = Schema.Struct({
  "x-tocsin-console": Schema.Literal("1").annotate({
    description: "Protects against cross-site requests",
  }),
})

const signInErrors = [
  ...serverErrors,
  Unauthorized,
  Forbidden,
  NotFound,
  NotAcceptable,
  BadRequest,
  ...bodyErrors,
  TooManyRequests,
] as const

export const SessionApi = HttpApiGroup.make("session")
  .add(
    endpoint.post("openSession", "/api/console/session", {
      headers: ConsoleHeader,
      payload: signInRequest.schema(),
      success: ConsoleSession,
      error: signInErrors,
      summary: "Create a session",
      description: `Signs in to the web console. Sets a cookie that replaces the access token for ${sessionLifetimeSeconds / 3_600} hours. With the cookie, requests other than GET and HEAD require X-Tocsin-Console: 1.`,
      example: examples.openSession,
    }),
    endpoint.post("openSessionByLink", "/api/console/session/link", {
      headers: ConsoleHeader,
      payload: signInLink.schema(),
      success: ConsoleSession,
      error: signInErrors,
      summary: "Create a session with a sign-in link",
      description: `Takes the token of a link that the operator creates with \`tocsin credentials sign-in-link\`. It works once, within ${signInLinkLifetimeSeconds / 60} minutes. Otherwise as POST /api/console/session.`,
      example: examples.openSessionByLink,
    }),
    endpoint.get("findSession", "/api/console/session", {
      success: [
        ConsoleSession,
        HttpApiSchema.NoContent.annotate({ description: "The request has no cookie of a session" }),
      ],
      error: [...serverErrors, Unauthorized, Forbidden, NotFound, NotAcceptable],
      summary: "Retrieve the session",
      description:
        "Without a cookie, the response is 204, as there is no session. A session that has ended is 401.",
      example: examples.findSession,
    }),
    endpoint.delete("closeSession", "/api/console/session", {
      headers: ConsoleHeader,
      success: HttpApiSchema.NoContent,
      error: [...serverErrors, Unauthorized, Forbidden, NotFound, NotAcceptable],
      summary: "Delete the session",
      description: "Signs out: the session ends at once, on every server, and the cookie is deleted.",
      example: examples.closeSession,
    }),
  )
  .annotate(OpenApi.Title, "Sessions")
  .annotate(OpenApi.Description, "Available if the server serves the web console; otherwise 404.")
