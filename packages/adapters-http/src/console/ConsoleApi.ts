import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { alertMethodHealth, delivery } from "@tocsin/api"
import {
  endpoint,
  rateLimited,
  BearerAccess,
  OrganizationHeader,
  organizationErrors,
  TooManyRequests,
  optionalText,
  PageParams,
  pageSchema,
} from "@tocsin/api/openapi"
import { alertMethod, methodStates } from "@tocsin/domain"
import { countedAlertsMax, displayNameMaxCharacters } from "@tocsin/domain/limits"
import { searchSlosPerSecond } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { sloRecord } from "@tocsin/api"
import { showDeliveryRequest } from "./DeliveryRequestApi.ts"
import { listMetricNames } from "./MetricNamesApi.ts"
import { listSloRows, readOverview, readTrends } from "./OverviewApi.ts"
import { listConsoleSilences } from "./SilenceStatesApi.ts"
import * as examples from "./ConsoleExamples.ts"

const ListedAlertMethod = Schema.Struct({
  definition: alertMethod.schema(),
  state: Schema.Literals(methodStates).annotate({
    description: "unused: nothing has been sent yet",
  }),
  health: alertMethodHealth,
  latestDelivery: Schema.optionalKey(delivery),
}).annotate({ identifier: "ListedAlertMethod" })

const ConsoleStatus = Schema.Struct({
  activeAlerts: Schema.Int.annotate({
    description: `Number of active alerts; ${countedAlertsMax} means at least that many`,
  }),
  version: Schema.optionalKey(Schema.String).annotate({
    description: "Changes when the files of the web console do. Absent if the server has no console",
  }),
}).annotate({ identifier: "ConsoleStatus" })

export const ConsoleApi = HttpApiGroup.make("console")
  .add(
    endpoint.get("searchSlos", "/api/console/slos", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...PageParams.fields,
        search: Schema.optionalKey(
          Schema.String.annotate({
            description: "Part of the name or display name, in any letter case",
          }).check(Schema.isMaxLength(displayNameMaxCharacters)),
        ),
        project: optionalText("Name of the project. Default: all projects"),
        service: optionalText("Name of the service. Default: all services"),
      }),
      success: pageSchema(sloRecord, "SloPage"),
      error: [...organizationErrors, TooManyRequests],
      summary: "Search SLOs",
      description: `Sorted by project and name. At most ${searchSlosPerSecond} requests per second and organization.`,
      responseHeaders: rateLimited,
      example: examples.searchSlos,
    }),
    endpoint.get("listConsoleAlertMethods", "/api/console/alertmethods", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...PageParams.fields,
        project: optionalText("Name of the project. Default: all projects"),
      }),
      success: pageSchema(ListedAlertMethod, "AlertMethodPage"),
      error: [...organizationErrors],
      summary: "List alert methods with their health",
      description: "Sorted by project and name.",
      example: examples.listConsoleAlertMethods,
    }),
    listConsoleSilences,
    readOverview,
    listSloRows,
    readTrends,
    endpoint.get("findConsoleStatus", "/api/console/status", {
      headers: OrganizationHeader,
      success: ConsoleStatus,
      error: [...organizationErrors],
      summary: "Check that the console is up to date",
      description:
        "Read every few seconds by each visible page: reports that the server, its store and the session work.",
      example: examples.findConsoleStatus,
    }),
    showDeliveryRequest,
    listMetricNames,
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "Used by the web console. Can change in any release.")
