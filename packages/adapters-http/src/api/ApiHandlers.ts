import { apiErrors } from "./ApiErrors.ts"
import { type ApiFeature, type FeatureRoute, featureRoute } from "./ApiFeature.ts"
import { consoleResponse } from "../console-files/ConsoleResponse.ts"
import { helpResponse, isHelp } from "../help-files/HelpResponse.ts"
import { accessTokensRoutes } from "../credentials/AccessTokensHandlers.ts"
import { acknowledgeRoutes } from "../alerts/AcknowledgePage.ts"
import { alertmanagerRoutes } from "../alerts/AlertmanagerHandlers.ts"
import { alertMethodsRoutes } from "../alert-methods/AlertMethodsHandlers.ts"
import { alertsRoutes } from "../alerts/AlertsHandlers.ts"
import { backtestsRoutes } from "../backtests/BacktestsHandlers.ts"
import { withSessionChecks } from "../access/SessionChecks.ts"
import type { SessionTokens } from "@tocsin/domain/ports"
import { type ApiDispatch, internalError, makeDispatch } from "../frame/ApiDispatch.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import type { ApiFailure, ErrorStatus, StatusTable } from "../frame/ErrorResponse.ts"
import type { ApiRoute, RouteFailures, RouteRequirements } from "../frame/ApiRouter.ts"
import { budgetAdjustmentsRoutes } from "../budget-adjustments/BudgetAdjustmentsHandlers.ts"
import { consoleRoutes } from "../console/ConsoleHandlers.ts"
import { credentialsRoutes } from "../credentials/CredentialsHandlers.ts"
import { countsRoutes } from "../slos/CountsHandlers.ts"
import { dataSourcesRoutes } from "../data-sources/DataSourcesHandlers.ts"
import { definitionsRoutes } from "../definitions/DefinitionsHandlers.ts"
import { overviewRoutes } from "../console/OverviewHandlers.ts"
import { historyRoutes } from "../definitions/HistoryHandlers.ts"
import { deliveriesRoutes } from "../deliveries/DeliveriesHandlers.ts"
import { docsRoutes, docsRoutesOf } from "./DocsHandlers.ts"
import { healthRoutes } from "./HealthHandlers.ts"
import { indicatorsRoutes } from "../slos/IndicatorsHandlers.ts"
import { backfillsRoutes } from "../slos/BackfillsHandlers.ts"
import { operatorRoutes } from "../operator/OperatorHandlers.ts"
import { otlpRoutes } from "../otlp/OtlpHandlers.ts"
import { keyDirectoryRoutes, publicKeyRoutes } from "../signing-keys/PublicKeyHandlers.ts"
import { annotationsRoutes } from "../annotations/AnnotationsHandlers.ts"
import { incidentsRoutes } from "../incidents/IncidentsHandlers.ts"
import { reportsRoutes } from "../reports/ReportsHandlers.ts"
import { resendsRoutes } from "../resends/ResendsHandlers.ts"
import { sessionRoutes } from "../session/SessionHandlers.ts"
import { silencesRoutes } from "../silences/SilencesHandlers.ts"
import { signingKeysRoutes } from "../signing-keys/SigningKeysHandlers.ts"
import { sloMetricsRoutes } from "../slos/SloMetricsHandlers.ts"
import { statusPagesRoutes } from "../status-pages/StatusPagesHandlers.ts"
import { statusRoutes, statusV1Routes } from "../slos/StatusHandlers.ts"

const coreRoutes = [
  ...healthRoutes,
  ...operatorRoutes,
  ...publicKeyRoutes,
  ...keyDirectoryRoutes,
  ...accessTokensRoutes,
  ...statusRoutes,
  ...sloMetricsRoutes,
  ...statusV1Routes,
  ...countsRoutes,
  ...indicatorsRoutes,
  ...backfillsRoutes,
  ...definitionsRoutes,
  ...historyRoutes,
  ...alertMethodsRoutes,
  ...dataSourcesRoutes,
  ...alertsRoutes,
  ...acknowledgeRoutes,
  ...silencesRoutes,
  ...deliveriesRoutes,
  ...signingKeysRoutes,
  ...credentialsRoutes,
  ...consoleRoutes,
  ...sessionRoutes,
]

/** Routes of the API that a host can leave out: `apiWith` takes a list of them. */
export const apiResources = {
  /** Alerts of Prometheus, which Alertmanager sends. */
  alertmanager: alertmanagerRoutes,
  /** Marks on the charts of SLOs. */
  annotations: annotationsRoutes,
  /** What alert policies would have done. */
  backtests: backtestsRoutes,
  /** What adjusted error budgets, and previews of it. */
  budgetAdjustments: budgetAdjustmentsRoutes,
  /** Incidents, which group alerts. */
  incidents: incidentsRoutes,
  /** Counts that OpenTelemetry collectors send. */
  otlp: otlpRoutes,
  /** What the first page of the web console reads. */
  overview: overviewRoutes,
  /** Reports, and the pages that they are shared on. */
  reports: reportsRoutes,
  /** Bulk resends of deliveries. */
  resends: resendsRoutes,
  /** Public pages of projects. */
  statusPages: statusPagesRoutes,
}

const routes = [...docsRoutes, ...coreRoutes, ...Object.values(apiResources).flat()]

export type ApiRequirements = RouteRequirements<(typeof routes)[number]>

/** What has no route is a page or file: of the documentation, or of the web console. */
const unroutedResponse = (request: ApiRequest) =>
  isHelp(request.path) ? helpResponse(request) : consoleResponse(request)

const dispatchOf = (own: typeof routes) =>
  withSessionChecks(
    makeDispatch<RouteFailures<(typeof routes)[number]>, ApiRequirements>(own, apiErrors, unroutedResponse),
  )

/** Handles a request of the API: routes it, checks its access, and returns a response, also for errors. */
export const dispatch = dispatchOf(routes)

/**
 * The API with features of other packages, such as that of `@tocsin/adapters-mcp`; each has what it needs of the context.
 * `resources` are those of `apiResources` that it has; by default, all of them.
 */
export const apiWith = <
  const Features extends ReadonlyArray<AnyFeature>,
  const Resources extends ReadonlyArray<ApiResource> = ReadonlyArray<ApiResource>,
>(
  features: Features & { readonly [Index in keyof Features]: CheckedFeature<Features[Index]> },
  resources?: Resources,
): ApiDispatch<
  // Not by an alias: where a host's type is written, it would name each route with its failures.
  | ((typeof coreRoutes)[number] | Resources[number][number] extends ApiRoute<unknown, infer R> ? R : never)
  | SessionTokens
  | FeatureRequirements<Features[number]>
> => {
  // What a feature fails with has a status: `CheckedFeature` is what makes it so.
  const errors: StatusTable<never> = Object.assign({}, apiErrors, ...features.map(({ errors }) => errors))
  const statusOf = (failure: ApiFailure) =>
    (errors as Readonly<Record<string, (failure: ApiFailure) => ErrorStatus>>)[failure._tag]?.(failure) ??
    internalError
  const own = resources === undefined ? routes : withDocs([...coreRoutes, ...resources.flat()])
  const called = resources === undefined ? dispatch : dispatchOf(own as typeof routes)
  return withSessionChecks(
    makeDispatch<never, ApiRequirements | FeatureRequirements<Features[number]>>(
      [
        ...own,
        ...features.flatMap((feature) =>
          feature.routes.map((route) => featureRoute(route, called, statusOf)),
        ),
      ] as never,
      errors as never,
      unroutedResponse,
      features.flatMap(({ errorForm }) => errorForm ?? []),
    ),
  ) as never
}

const withDocs = (own: ReadonlyArray<(typeof coreRoutes)[number] | ApiResource[number]>) => [
  ...docsRoutesOf(own),
  ...own,
]

type ApiResource = (typeof apiResources)[keyof typeof apiResources]

// What a route fails with and requires is known of each, not of all of them.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyFeature = Omit<ApiFeature<any, any>, "errors"> & { readonly errors: object }

type CheckedFeature<Feature> = Feature extends {
  readonly routes: ReadonlyArray<FeatureRoute<infer E extends ApiFailure, infer R>>
}
  ? ApiFeature<E, R>
  : never

type FeatureRequirements<Feature> = Feature extends {
  readonly routes: ReadonlyArray<FeatureRoute<unknown, infer R>>
}
  ? R
  : never
