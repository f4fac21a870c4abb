import { roles, signInLink, signInRequest } from "@tocsin/domain"
import { sessionLifetimeSeconds, signInBodyMaxBytes, signInLinkLifetimeSeconds } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { noContent, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

/** A session of the web console. */
export const consoleSession = Schema.Struct({
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(roles).annotate({ description: "Current role of the credential" }),
  expiresAt: time("When the session expires"),
  apiVersion: Schema.String.annotate({ description: "The apiVersion of definitions" }),
  baseUrl: Schema.String.annotate({ description: "Public base URL of the server" }),
}).annotate({ identifier: "ConsoleSession" })

/** The JSON of `consoleSession`. */
export type ConsoleSession = (typeof consoleSession)["Encoded"]

const ofConsole = {
  access: "console",
  headers: {
    "x-tocsin-console": Schema.Literal("1").annotate({
      description: "Protects against cross-site requests",
    }),
  },
} as const

const signIn = {
  ...ofConsole,
  method: "POST",
  bodyMaxBytes: signInBodyMaxBytes,
  invalidBody: "Invalid sign-in",
  success: consoleSession,
  errors: [400, 401, 403, 404],
} as const

/** Sessions of the web console. */
export const session = resource(
  "Sessions",
  {
    openSession: {
      ...signIn,
      path: "/api/console/session",
      body: signInRequest,
      summary: "Create a session",
      description: `Signs in to the web console. Sets a cookie that replaces the access token for ${sessionLifetimeSeconds / 3_600} hours. With the cookie, requests other than GET and HEAD require X-Tocsin-Console: 1.`,
    },
    openSessionByLink: {
      ...signIn,
      path: "/api/console/session/link",
      body: signInLink,
      summary: "Create a session with a sign-in link",
      description: `Takes the token of a link that the operator creates with \`tocsin credentials sign-in-link\`. It works once, within ${signInLinkLifetimeSeconds / 60} minutes. Otherwise as POST /api/console/session.`,
    },
    findSession: {
      method: "GET",
      path: "/api/console/session",
      access: "console",
      success: {
        200: consoleSession,
        204: noContent.annotate({ description: "The request has no cookie of a session" }),
      },
      errors: [401, 403, 404],
      summary: "Retrieve the session",
      description:
        "Without a cookie, the response is 204, as there is no session. If the session has ended, the response is 401.",
    },
    closeSession: {
      ...ofConsole,
      method: "DELETE",
      path: "/api/console/session",
      success: noContent,
      errors: [401, 403, 404],
      summary: "Delete the session",
      description: "Signs out: the session ends immediately, on every server, and the cookie is deleted.",
    },
  },
  "Available if the server serves the web console; otherwise 404.",
)
