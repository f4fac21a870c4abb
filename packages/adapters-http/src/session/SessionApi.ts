import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { roles } from "@tocsin/domain/access/Access"
import { sessionLifetimeSeconds, signInRequest } from "@tocsin/domain/access/Session"
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
} from "../frame/ErrorSchema.ts"

const ConsoleSession = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(roles).annotate({ description: "The one that the credential has now" }),
  expiresAt: Schema.String.annotate({ format: "date-time" }),
  apiVersion: Schema.String.annotate({ description: "What definitions have as their apiVersion" }),
  baseUrl: Schema.String.annotate({ description: "Where the service is reached from outside" }),
}).annotate({ identifier: "ConsoleSession" })

const ConsoleHeader = Schema.Struct({
  "x-tocsin-console": Schema.Literal("1").annotate({
    description: "Proves that the request comes from a page of this server",
  }),
})

export const SessionApi = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("openSession", "/api/console/session", {
      headers: ConsoleHeader,
      payload: signInRequest.schema(),
      success: ConsoleSession,
      error: [
        ...serverErrors,
        Unauthorized,
        Forbidden,
        NotFound,
        NotAcceptable,
        BadRequest,
        ...bodyErrors,
        TooManyRequests,
      ],
    })
      .annotate(OpenApi.Summary, "Sign in to the web console")
      .annotate(
        OpenApi.Description,
        `Sets a cookie that the other calls take instead of an access token, for ${sessionLifetimeSeconds / 3_600} hours. Of those, what changes something has to carry X-Tocsin-Console: 1 too.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("findSession", "/api/console/session", {
      success: ConsoleSession,
      error: [...serverErrors, Unauthorized, Forbidden, NotFound, NotAcceptable],
    }).annotate(OpenApi.Summary, "Read who is signed in"),
  )
  .add(
    HttpApiEndpoint.delete("closeSession", "/api/console/session", {
      headers: ConsoleHeader,
      success: HttpApiSchema.NoContent,
      error: [...serverErrors, Unauthorized, Forbidden, NotFound, NotAcceptable],
    })
      .annotate(OpenApi.Summary, "Sign out")
      .annotate(OpenApi.Description, "Makes the browser forget the cookie."),
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Where the web console is served; elsewhere these paths are unknown.")
