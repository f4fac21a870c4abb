import { alertMethod, methodStates, silenceStatuses } from "@tocsin/domain"
import {
  countedAlertsMax,
  displayNameMaxCharacters,
  listedNamesMax,
  metricNameMaxCharacters,
  nameListsPerWindow,
  nameListWindowMs,
  namesKeptSeconds,
  silenceForecastDays,
} from "@tocsin/domain/limits"
import { metricFailures } from "@tocsin/domain/ports"
import { searchSlosPerSecond, searchSlosPolicy } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { alertMethodHealth } from "../alert-methods/AlertMethods.ts"
import { delivery } from "../deliveries/Deliveries.ts"
import {
  count,
  definitionJson,
  headerList,
  KeySchema,
  optionalText,
  pageOf,
  time,
} from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { sloRecord } from "../slos/Status.ts"

const ofProject = { project: optionalText("Name of the project. Default: all projects") }

/** An alert method with its health. */
const listedAlertMethod = Schema.Struct({
  definition: definitionJson(alertMethod),
  state: Schema.Literals(methodStates).annotate({
    description: "unused: nothing has been sent yet",
  }),
  health: alertMethodHealth,
  latestDelivery: Schema.optionalKey(delivery),
}).annotate({ identifier: "ListedAlertMethod" })

const consoleStatus = Schema.Struct({
  activeAlerts: Schema.Int.annotate({
    description: `Number of open alerts; ${countedAlertsMax} means at least that many`,
  }),
  version: Schema.optionalKey(Schema.String).annotate({
    description: "Changes when the files of the web console do. Absent if the server has no console",
  }),
}).annotate({ identifier: "ConsoleStatus" })

const optionalTime = (description: string) => Schema.optionalKey(time(description))

/** An alert silence with its status. */
export const listedSilence = Schema.Struct({
  ...KeySchema.fields,
  displayName: optionalText("Omitted if there is none"),
  alertPolicy: Schema.optionalKey(
    KeySchema.annotate({ description: "Omitted if the silence applies to all alert policies" }),
  ),
  isRecurring: Schema.Boolean,
  state: Schema.Literals(silenceStatuses).annotate({
    description: "`scheduled`: it begins later, perhaps again; `ended`: it is never active again",
  }),
  startTime: optionalTime(
    `Start of the current or next period, inclusive. Omitted if the silence has ended, or does not begin within ${silenceForecastDays} days`,
  ),
  endTime: optionalTime(
    `End of the same period, exclusive, or of the one that has ended. Omitted if it is not known to end within ${silenceForecastDays} days`,
  ),
}).annotate({ identifier: "ListedSilence" })

const deliveryRequest = Schema.Struct({
  method: Schema.Literal("POST"),
  body: optionalText("By the alert method as it is now"),
  contentDigest: optionalText("Of the body"),
  bodyState: Schema.Literals([
    "as_sent",
    "changed",
    "link_hidden",
    "method_deleted",
    "too_large",
    "unknown",
  ]).annotate({
    description:
      "Whether the body is what the latest attempt sent: changed means that the alert method or the base URL has changed since, and link_hidden that it has a link whose token is hidden",
  }),
  attempts: Schema.Array(
    Schema.Struct({
      number: count,
      headers: headerList("In the order sent, without Signature"),
      signatureBase: Schema.String.annotate({ description: "With hidden authority and path" }),
      isBodyAsSent: Schema.Boolean,
    }),
  ).annotate({ description: "The attempts that signed a request, oldest first" }),
}).annotate({ identifier: "DeliveryRequest" })

const optionalName = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).check(Schema.isMaxLength(metricNameMaxCharacters)),
  )

const metricNames = Schema.Struct({
  names: Schema.Array(Schema.String).annotate({
    description: `At most ${listedNamesMax}, those that begin with the search first. Names of more than ${metricNameMaxCharacters} characters are left out`,
  }),
  isComplete: Schema.Boolean.annotate({ description: "Whether these are all that there are" }),
  problem: Schema.optionalKey(
    Schema.Struct({ reason: Schema.Literals(metricFailures), detail: Schema.String }).annotate({
      description: "Why the data source could not be read",
    }),
  ),
}).annotate({ identifier: "MetricNames" })

/** The JSON of `listedAlertMethod`. */
export type ListedAlertMethod = (typeof listedAlertMethod)["Encoded"]

/** The JSON of `listedSilence`. */
export type ListedSilence = (typeof listedSilence)["Encoded"]

/** The JSON of the status of the console. */
export type ConsoleStatus = (typeof consoleStatus)["Encoded"]

/** What a delivery sent, as JSON. */
export type DeliveryRequest = (typeof deliveryRequest)["Encoded"]

/** What only the web console reads. */
export const consoleReads = resource(
  "Console",
  {
    searchSlos: {
      method: "GET",
      path: "/api/console/slos",
      policy: searchSlosPolicy,
      query: {
        search: Schema.optionalKey(
          Schema.String.annotate({
            description: "Part of the name or display name, in any letter case",
          }).check(Schema.isMaxLength(displayNameMaxCharacters)),
        ),
        ...ofProject,
        service: optionalText("Name of the service. Default: all services"),
      },
      success: pageOf(sloRecord),
      // The JSON of an SLO is kept.
      isRaw: true,
      summary: "Search SLOs",
      description: `Sorted by project and name. At most ${searchSlosPerSecond} requests per second and organization.`,
    },
    listConsoleAlertMethods: {
      method: "GET",
      path: "/api/console/alertmethods",
      query: ofProject,
      success: pageOf(listedAlertMethod, "AlertMethodPage"),
      summary: "List alert methods with their health",
      description: "Sorted by project and name.",
    },
    listConsoleSilences: {
      method: "GET",
      path: "/api/console/silences",
      query: {
        ...ofProject,
        name: optionalText("Name of the silence. Default: all"),
        slo: optionalText(
          "Name of an SLO of the project, which is then required: only silences of this SLO that have not ended, by its name and labels",
        ),
      },
      success: pageOf(listedSilence, "SilencePage"),
      errors: [404, 429],
      summary: "List alert silences with their status",
      description: "Sorted by project and name.",
    },
    findConsoleStatus: {
      method: "GET",
      path: "/api/console/status",
      success: consoleStatus,
      summary: "Check that the console is up to date",
      description:
        "Read every few seconds by each visible page: reports that the server, its store and the session work.",
    },
    showDeliveryRequest: {
      method: "GET",
      path: "/api/console/deliveries/:id/request",
      success: deliveryRequest,
      errors: [404],
      summary: "Show what a delivery sent",
      description:
        "Bodies and signatures are not stored: the body is rendered again and compared with the digest that each attempt logged. URL, secret headers and tokens are hidden.",
    },
    listMetricNames: {
      method: "GET",
      path: "/api/console/datasources/:name/names",
      role: "editor",
      headers: { project: optionalText("Project of the data source. Default: default") },
      query: {
        label: optionalName(
          "The label whose values are listed; __name__ lists the names of metrics. Default: the names of labels are listed",
        ),
        metric: optionalName("Only of the series of this metric. Default: of all"),
        search: optionalName("Only names that contain this text, in any letter case. Default: all"),
      },
      success: metricNames,
      errors: [404, 429],
      summary: "List names of metrics and labels",
      description: `Returns the names that a data source has had in the last day, to complete them in queries. What was read is used for up to ${namesKeptSeconds} s. At most ${nameListsPerWindow} requests in ${nameListWindowMs / 1_000} s.`,
    },
  },
  "Used by the web console. Can change in any release.",
)
