import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AccessApi } from "../access/AccessApi.ts"
import { AlertmanagerApi } from "../alerts/AlertmanagerApi.ts"
import { AlertMethodsApi } from "../alert-methods/AlertMethodsApi.ts"
import { AlertsApi } from "../alerts/AlertsApi.ts"
import { ConsoleApi } from "../console/ConsoleApi.ts"
import { CountsApi } from "../slos/CountsApi.ts"
import { DefinitionsApi } from "../definitions/DefinitionsApi.ts"
import { DeliveriesApi } from "../deliveries/DeliveriesApi.ts"
import { IndicatorsApi } from "../slos/IndicatorsApi.ts"
import { PublicKeyApi } from "../signing-keys/PublicKeyApi.ts"
import { ResendsApi } from "../resends/ResendsApi.ts"
import { SessionApi } from "../session/SessionApi.ts"
import { SigningKeysApi } from "../signing-keys/SigningKeysApi.ts"
import { StatusApi, StatusV1Api } from "../slos/StatusApi.ts"

/**
 * The public API, as its OpenAPI document describes it.
 *
 * One group of endpoints is three things. `XApi.ts` describes it as an `HttpApiGroup`: method, path, headers, query,
 * bodies, the errors of `ErrorResponse.ts`, `.middleware(BearerAccess)` where a token is needed. `XHandlers.ts` answers
 * it: `export const xRoutes = routesOf(XApi, { endpointName: (request) => Effect<ApiResponse, ApiFailure, Ports> })`.
 * And one line in `Api.ts`, one in `ApiHandlers.ts` takes it up. `AccessApi.ts` and `AccessHandlers.ts` are the model.
 *
 * A handler is a function of the `ApiRequest`: `accessOf(request)` or `accessWithRole(request, "editor")` say who it
 * is, `enforceRateLimit` counts it (`rateLimitHeaders` go with the answer), `request.pathParams`, `request.query` and
 * `request.header` give raw texts that the domain parses, `readText` and `readJson` the bounded body. It yields
 * `jsonResponse(status, textOrBytes, headers)`, without encoding through a schema. It fails with the tagged errors of
 * the domain as they are: each joins the union `ApiFailure` in `ErrorStatus.ts`, which does not compile until the
 * table there has its status. Ports are asked for with `yield*`; a defect becomes a logged 500.
 *
 * The descriptions are HttpApi's, the dispatch is our own: routing, decoding and encoding through HttpApiBuilder cost
 * four to seven times as much a request, and its refusals (404, 405, decoding) have another shape than spec/errors §1.
 */
export class Api extends HttpApi.make("tocsin")
  .add(AccessApi)
  .add(PublicKeyApi)
  .add(StatusApi)
  .add(CountsApi)
  .add(IndicatorsApi)
  .add(DefinitionsApi)
  .add(AlertMethodsApi)
  .add(AlertsApi)
  .add(AlertmanagerApi)
  .add(DeliveriesApi)
  .add(SigningKeysApi)
  .add(ConsoleApi)
  .add(SessionApi)
  .add(ResendsApi)
  .annotate(OpenApi.Title, "Tocsin")
  .annotate(
    OpenApi.Description,
    "Self-hosted SLO tracking with a status API and signed webhook alerts. In requests, an optional property that is null or an empty string is treated as omitted.",
  )
  .annotate(OpenApi.Version, "2.0.0") {}

/** The deprecated version 1 of the status API. */
export class ApiV1 extends HttpApi.make("tocsin-v1")
  .add(AccessApi)
  .add(StatusV1Api)
  .annotate(OpenApi.Title, "Tocsin, version 1 (deprecated)")
  .annotate(OpenApi.Description, "The status API of version 1. Use version 2.")
  .annotate(OpenApi.Version, "1.0.0") {}
