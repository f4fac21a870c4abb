import { apiErrors } from "./ApiErrors.ts"
import { consoleResponse } from "../console-files/ConsoleResponse.ts"
import { accessRoutes } from "../access/AccessHandlers.ts"
import { oauthRoutes } from "../access/OAuthHandlers.ts"
import { acknowledgeRoutes } from "../alerts/AcknowledgePage.ts"
import { alertmanagerRoutes } from "../alerts/AlertmanagerHandlers.ts"
import { alertMethodsRoutes } from "../alert-methods/AlertMethodsHandlers.ts"
import { alertsRoutes } from "../alerts/AlertsHandlers.ts"
import { backtestsRoutes } from "../backtests/BacktestsHandlers.ts"
import { makeDispatch } from "../frame/ApiDispatch.ts"
import type { RouteFailures, RouteRequirements } from "../frame/ApiRouter.ts"
import { budgetAdjustmentsRoutes } from "../budget-adjustments/BudgetAdjustmentsHandlers.ts"
import { consoleRoutes } from "../console/ConsoleHandlers.ts"
import { countsRoutes } from "../slos/CountsHandlers.ts"
import { dataSourcesRoutes } from "../data-sources/DataSourcesHandlers.ts"
import { definitionsRoutes } from "../definitions/DefinitionsHandlers.ts"
import { deliveriesRoutes } from "../deliveries/DeliveriesHandlers.ts"
import { docsRoutes } from "./DocsHandlers.ts"
import { healthRoutes } from "./HealthHandlers.ts"
import { indicatorsRoutes } from "../slos/IndicatorsHandlers.ts"
import { replaysRoutes } from "../slos/ReplaysHandlers.ts"
import { mcpRoutes } from "../mcp/McpHandlers.ts"
import { operatorRoutes } from "../operator/OperatorHandlers.ts"
import { otlpRoutes } from "../otlp/OtlpHandlers.ts"
import { keyDirectoryRoutes, publicKeyRoutes } from "../signing-keys/PublicKeyHandlers.ts"
import { annotationsRoutes } from "../annotations/AnnotationsHandlers.ts"
import { reportsRoutes } from "../reports/ReportsHandlers.ts"
import { resendsRoutes } from "../resends/ResendsHandlers.ts"
import { sessionRoutes } from "../session/SessionHandlers.ts"
import { silencesRoutes } from "../silences/SilencesHandlers.ts"
import { signingKeysRoutes } from "../signing-keys/SigningKeysHandlers.ts"
import { sloMetricsRoutes } from "../slos/SloMetricsHandlers.ts"
import { statusRoutes, statusV1Routes } from "../slos/StatusHandlers.ts"

const routes = [
  ...docsRoutes,
  ...healthRoutes,
  ...operatorRoutes,
  ...publicKeyRoutes,
  ...keyDirectoryRoutes,
  ...accessRoutes,
  ...oauthRoutes,
  ...statusRoutes,
  ...sloMetricsRoutes,
  ...statusV1Routes,
  ...countsRoutes,
  ...otlpRoutes,
  ...mcpRoutes(apiErrors),
  ...backtestsRoutes,
  ...reportsRoutes,
  ...annotationsRoutes,
  ...indicatorsRoutes,
  ...replaysRoutes,
  ...definitionsRoutes,
  ...alertMethodsRoutes,
  ...dataSourcesRoutes,
  ...alertsRoutes,
  ...acknowledgeRoutes,
  ...alertmanagerRoutes,
  ...budgetAdjustmentsRoutes,
  ...silencesRoutes,
  ...deliveriesRoutes,
  ...signingKeysRoutes,
  ...consoleRoutes,
  ...sessionRoutes,
  ...resendsRoutes,
]

export type ApiRequirements = RouteRequirements<(typeof routes)[number]>

export const dispatch = makeDispatch<RouteFailures<(typeof routes)[number]>, ApiRequirements>(
  routes,
  apiErrors,
  consoleResponse,
)
