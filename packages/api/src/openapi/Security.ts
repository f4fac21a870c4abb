import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { optionalText } from "../operation/Fields.ts"

const accessToken = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "An access token of POST /api/accessToken"),
)

const clientCredentials = HttpApiSecurity.basic.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "clientId:clientSecret"),
)

/**
 * Describes endpoints that need an access token, or the cookie of a session; `accessOf` implements it.
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class BearerAccess extends HttpApiMiddleware.Service<BearerAccess>()("@tocsin/api/BearerAccess", {
  security: {
    accessToken,
    session: HttpApiSecurity.apiKey({ in: "cookie", key: "tocsin_session" }).pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "Session of the web console, from POST /api/console/session. Over TLS, the name of the cookie starts with __Host-",
      ),
    ),
  },
}) {}

/** Describes endpoints that take client credentials. */
export class ClientCredentials extends HttpApiMiddleware.Service<ClientCredentials>()(
  "@tocsin/api/ClientCredentials",
  {
    security: {
      clientCredentials,
    },
  },
) {}

/**
 * Describes endpoints that take an access token or, for clients that cannot get one, client credentials;
 * `clientAccessOf` implements it.
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class ClientAccess extends HttpApiMiddleware.Service<ClientAccess>()("@tocsin/api/ClientAccess", {
  security: {
    accessToken,
    clientCredentials,
  },
}) {}

/** The header that names the organization. */
export const OrganizationHeader = Schema.Struct({
  organization: Schema.String.annotate({ description: "ID of the organization" }),
})

/** The headers of an endpoint whose project is optional. */
export const projectHeader = (description: string) =>
  Schema.Struct({ ...OrganizationHeader.fields, project: optionalText(description) })
