import { consoleAnswer } from "../console/ConsoleAnswer.ts"
import { accessRoutes } from "./AccessHandlers.ts"
import { alertmanagerRoutes } from "./AlertmanagerHandlers.ts"
import { alertMethodsRoutes } from "./AlertMethodsHandlers.ts"
import { alertsRoutes } from "./AlertsHandlers.ts"
import { makeDispatch } from "./ApiDispatch.ts"
import type { RouteRequirements } from "./ApiRouter.ts"
import { consoleRoutes } from "./ConsoleHandlers.ts"
import { countsRoutes } from "./CountsHandlers.ts"
import { definitionsRoutes } from "./DefinitionsHandlers.ts"
import { deliveriesRoutes } from "./DeliveriesHandlers.ts"
import { docsRoutes } from "./DocsHandlers.ts"
import { healthRoutes } from "./HealthHandlers.ts"
import { indicatorsRoutes } from "./IndicatorsHandlers.ts"
import { operatorRoutes } from "./OperatorHandlers.ts"
import { publicKeyRoutes } from "./PublicKeyHandlers.ts"
import { resendsRoutes } from "./ResendsHandlers.ts"
import { sessionRoutes } from "./SessionHandlers.ts"
import { signingKeysRoutes } from "./SigningKeysHandlers.ts"
import { statusRoutes, statusV1Routes } from "./StatusHandlers.ts"

const routes = [
  ...docsRoutes,
  ...healthRoutes,
  ...operatorRoutes,
  ...publicKeyRoutes,
  ...accessRoutes,
  ...statusRoutes,
  ...statusV1Routes,
  ...countsRoutes,
  ...indicatorsRoutes,
  ...definitionsRoutes,
  ...alertMethodsRoutes,
  ...alertsRoutes,
  ...alertmanagerRoutes,
  ...deliveriesRoutes,
  ...signingKeysRoutes,
  ...consoleRoutes,
  ...sessionRoutes,
  ...resendsRoutes,
]

/** The ports that the API stands on. */
export type ApiRequirements = RouteRequirements<(typeof routes)[number]>

/** Answers every request to the API, whatever server or host it comes from. */
export const dispatch = makeDispatch<ApiRequirements>(routes, consoleAnswer)
