import { methodStates, objectiveStates, policyReaches, severities } from "@tocsin/domain"
import { fastBurnMin } from "@tocsin/domain/features/overview"
import { reportResults } from "@tocsin/domain/features/report"
import { reliabilityColumns } from "@tocsin/domain/forms"
import {
  coverageDays,
  coveragePoliciesMax,
  coverageSlosMax,
  overviewItemsMax,
  overviewProblemsMax,
  overviewServicesMax,
  recentSlosMax,
  sloPageMax,
  trendPoints,
  trendSlosMax,
} from "@tocsin/domain/limits"
import { metricFailures, sampleProblems } from "@tocsin/domain/ports"
import { sloRowsPolicy } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { rateLimited } from "../openapi/OpenApiDocument.ts"
import { count, KeySchema, optionalText, PageLinksSchema, repeatable, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { metrics } from "../slos/Metrics.ts"
import { isOutdated } from "../slos/Status.ts"

/** How many SLOs the console draws before it has read all of them. */
export const urgentRowsMax = 100

/** The numbers of past days over which the reliability can be read, as in a query. */
export const recentDays: ReadonlyArray<string> = Object.values(reliabilityColumns).map(String)

const { reliability, errorBudgetRemainingPercentage, burnRate } = metrics

/** The status of an objective in brief. */
export const objectiveRow = Schema.Struct({
  name: optionalText("Name of the objective. Omitted for the legacy composite over all objectives"),
  displayName: optionalText("Omitted if there is none"),
  target: Schema.Finite,
  reliability,
  errorBudgetRemainingPercentage,
  burnRate,
  isOutdated,
})

const namedRow = Schema.Struct({ name: Schema.String, displayName: Schema.optionalKey(Schema.String) })

/** An SLO in brief. */
const sloRow = Schema.Struct({
  project: Schema.String,
  service: Schema.String,
  name: Schema.String,
  displayName: optionalText("Omitted if there is none"),
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  objectives: Schema.Array(objectiveRow),
}).annotate({ identifier: "SloRow", description: "Metrics are rounded down; those without data are omitted" })

const stateCounts = Schema.Struct({ breached: count, atRisk: count, healthy: count, noData: count })

/** All SLOs in brief, and what the console shows beside them. */
const sloRowList = Schema.Struct({
  data: Schema.Array(sloRow),
  projects: Schema.Array(namedRow).annotate({ description: "The projects of the SLOs" }),
  services: Schema.Array(Schema.Struct({ project: Schema.String, ...namedRow.fields })).annotate({
    description: "The services of the SLOs",
  }),
  openAlerts: Schema.Array(Schema.Struct({ ...KeySchema.fields, open: count, acknowledged: count })).annotate(
    {
      description: "The SLOs with open alerts",
    },
  ),
  states: Schema.optionalKey(stateCounts).annotate({
    description: "With `part`: how many of all SLOs have each status",
  }),
  links: PageLinksSchema,
}).annotate({ identifier: "SloRowList" })

const state = Schema.Literals(objectiveStates)

const objective = {
  slo: KeySchema,
  sloDisplayName: Schema.String,
  state,
  ...objectiveRow.fields,
}

/** An objective of the overview. */
export const overviewObjective = Schema.Struct(objective).annotate({ identifier: "OverviewObjective" })

/** An open alert of the overview. */
export const overviewAlert = Schema.Struct({
  id: Schema.String,
  slo: KeySchema,
  sloDisplayName: Schema.String,
  objective: Schema.optionalKey(Schema.String),
  objectiveDisplayName: Schema.optionalKey(Schema.String),
  severity: Schema.optionalKey(Schema.Literals(severities)),
  isNoData: Schema.Boolean.annotate({ description: "Whether the alert is about missing data" }),
  isSilenced: Schema.Boolean,
  acknowledgedBy: optionalText("Omitted unless acknowledged"),
  triggeredAt: time("When the alert triggered"),
})

const reachedPolicy = {
  policy: KeySchema,
  displayName: Schema.String.annotate({ description: "The name if the alert policy has no display name" }),
  severity: Schema.Literals(severities),
  reach: Schema.Literals(policyReaches).annotate({
    description:
      "Whether alerts notify anyone: no_methods: the policy has no alert methods; stopped: all of them are disabled, paused or stored without effect",
  }),
  slos: count.annotate({ description: "Number of SLOs that use the policy" }),
}

/** The overview of an organization: its current problems. */
export const overview = Schema.Struct({
  states: Schema.optionalKey(stateCounts).annotate({
    description:
      "Number of SLOs with each status. Omitted if the organization has too many SLOs to keep the latest status of each in memory",
  }),
  hasMoreSlos: Schema.Boolean.annotate({
    description: `Whether there are SLOs that \`services\` does not cover. If \`states\` is omitted, everything but the alerts, the alert methods and the sources covers only the first ${sloPageMax} SLOs`,
  }),
  lowestBudgets: Schema.Array(overviewObjective).annotate({
    description: "Objectives that are at risk or breached, with the lowest error budgets",
  }),
  fastestBurns: Schema.Array(overviewObjective).annotate({
    description: `The highest burn rates of at least ${fastBurnMin}`,
  }),
  exhausting: Schema.Array(
    Schema.Struct({ ...objective, exhaustedAt: time("When the error budget is exhausted") }),
  ).annotate({ description: "Forecast to be exhausted within the time window" }),
  closing: Schema.Array(Schema.Struct({ ...objective, endsAt: time("End of the time window") })).annotate({
    description: "Calendar-aligned time windows about to end",
  }),
  alerts: Schema.Struct({
    open: count,
    acknowledged: count,
    newest: Schema.Array(overviewAlert),
  }),
  alertMethods: Schema.Array(
    Schema.Struct({
      alertMethod: KeySchema,
      state: Schema.Literals(methodStates),
      failures: count.annotate({ description: "Failed attempts since the latest success" }),
    }),
  ).annotate({ description: "Disabled, failing and paused alert methods" }),
  silentPolicies: Schema.Array(Schema.Struct(reachedPolicy)).annotate({
    description: "Alert policies that SLOs use and that notify nobody, the most severe first",
  }),
  troubledMethods: count.annotate({
    description: `Number of disabled, failing and paused alert methods, counted up to ${overviewProblemsMax}`,
  }),
  sources: Schema.Array(
    Schema.Struct({
      server: Schema.String.annotate({
        description: "Project and name of a data source, or the address of a server",
      }),
      slos: count.annotate({ description: "Number of SLOs affected" }),
      firstSlo: KeySchema,
      isUnavailable: Schema.Boolean.annotate({
        description:
          "true: the server cannot be read. false: it can be read, but its values cannot be counted",
      }),
      reason: Schema.Literals([...metricFailures, ...sampleProblems]),
      detail: Schema.String,
      at: time("When this was noticed last"),
    }),
  ),
  withoutData: Schema.Array(Schema.Struct({ slo: KeySchema, displayName: Schema.String })),
  services: Schema.Array(
    Schema.Struct({
      project: namedRow,
      service: namedRow,
      state,
      states: stateCounts,
      openAlerts: count,
    }),
  ).annotate({
    description: `The services of the SLOs, by project and name, at most ${overviewServicesMax}`,
  }),
}).annotate({
  identifier: "Overview",
  description: `Each list has at most ${overviewItemsMax} items, except services`,
})

const uncoveredSlos = (description: string) =>
  Schema.Struct({
    count,
    slos: Schema.Array(Schema.Struct({ slo: KeySchema, displayName: Schema.String })),
  }).annotate({ description: `${description}: their number, and the first ${coverageSlosMax}` })

/** Which SLOs and alert policies notify nobody, and how often each policy has alerted. */
export const alertCoverage = Schema.Struct({
  from: time(`${coverageDays} days before to`),
  to: time("End of the time in which alerts are counted"),
  slos: count,
  hasMoreSlos: Schema.Boolean.annotate({
    description: `Whether the organization has too many SLOs to keep the latest status of each in memory. If so, the first ${sloPageMax} are covered`,
  }),
  withoutPolicy: uncoveredSlos("SLOs without an alert policy"),
  withoutMethod: uncoveredSlos("SLOs with alert policies that notify nobody"),
  policies: Schema.Array(
    Schema.Struct({
      ...reachedPolicy,
      alerts: count.annotate({ description: "Number of alerts that triggered in this time" }),
      open: count.annotate({ description: "Number of open alerts" }),
      latestAt: Schema.optionalKey(time("When the latest of all these alerts triggered")),
      budgetCaught: Schema.optionalKey(
        Schema.Finite.annotate({
          description:
            "Of what was bad for the objectives that it alerted on, the share that came while its alerts were open, from 0 to 1. Computed from the latest alerts; omitted without any",
        }),
      ),
    }),
  ).annotate({ description: `By project and name, at most ${coveragePoliciesMax}` }),
  hasMorePolicies: Schema.Boolean,
}).annotate({ identifier: "AlertCoverage" })

/** Whom alert policies notify. */
export const policyReachList = Schema.Struct({
  policies: Schema.Array(Schema.Struct(reachedPolicy)).annotate({
    description: `By project and name, at most ${coveragePoliciesMax}`,
  }),
  hasMorePolicies: Schema.Boolean,
}).annotate({ identifier: "PolicyReachList" })

/** The JSON of `policyReachList`. */
export type PolicyReachList = (typeof policyReachList)["Encoded"]

/** The JSON of `alertCoverage`. */
export type AlertCoverage = (typeof alertCoverage)["Encoded"]

const budgets = Schema.Array(Schema.NullOr(Schema.Finite)).annotate({
  description: `Fraction of the error budget that remained at ${trendPoints} times that divide the time window; null without data`,
})

const sloTrend = Schema.Struct({
  slo: KeySchema,
  objectives: Schema.Array(Schema.Struct({ name: Schema.String, errorBudgetRemaining: budgets })),
  composite: Schema.optionalKey(budgets),
}).annotate({ identifier: "SloTrend" })

const sloTrendList = Schema.Struct({ data: Schema.Array(sloTrend) }).annotate({
  identifier: "SloTrendList",
})

const recentReliability = Schema.Array(
  Schema.Struct({
    days: Schema.Int,
    reliability,
    result: Schema.Literals(reportResults),
  }),
).annotate({ identifier: "RecentReliability" })

const sloReliability = Schema.Struct({
  slo: KeySchema,
  objectives: Schema.Array(Schema.Struct({ name: Schema.String, periods: recentReliability })),
  composite: Schema.optionalKey(recentReliability),
}).annotate({ identifier: "SloReliability" })

const sloReliabilityList = Schema.Struct({ data: Schema.Array(sloReliability) }).annotate({
  identifier: "SloReliabilityList",
})

/** The JSON of `sloRow`. */
export type SloRow = (typeof sloRow)["Encoded"]

/** The JSON of `sloRowList`. */
export type SloRowList = (typeof sloRowList)["Encoded"]

/** The JSON of the reliability of SLOs over past days. */
export type SloReliabilityList = (typeof sloReliabilityList)["Encoded"]

/** The JSON of the trends of SLOs. */
export type SloTrendList = (typeof sloTrendList)["Encoded"]

/** The JSON of `overviewObjective`. */
export type OverviewObjective = (typeof overviewObjective)["Encoded"]

/** The JSON of `overview`. */
export type Overview = (typeof overview)["Encoded"]

/** What the first page of the console reads. */
export const overviewReads = resource(
  "Console overview",
  {
    readOverview: {
      method: "GET",
      path: "/api/console/overview",
      success: overview,
      // It is written once for many requests, as the rows are.
      isRaw: true,
      summary: "Retrieve current problems",
      description:
        "Most urgent first. If there are many SLOs, the server can return the same response to several requests.",
    },
    listSloRows: {
      method: "GET",
      path: "/api/console/rows",
      policy: sloRowsPolicy,
      query: {
        cursor: optionalText("The cursor of links.next in the previous response"),
        part: Schema.optionalKey(Schema.Literal("urgent")).annotate({
          description: `\`urgent\`: only the first ${urgentRowsMax} SLOs, with open alerts or a burn rate of at least 1 before others, then by status, error budget and name, with the number of each status. If the organization has too many SLOs to keep the latest status of each in memory, these are the first of ${sloPageMax} SLOs, without \`states\``,
        }),
      },
      success: sloRowList,
      isRaw: true,
      summary: "List all SLOs in brief",
      description: `Sorted by project and name, at most ${sloPageMax} per page. Has an ETag; if there are many SLOs, the server can return the same response to several requests. A page after a cursor is one of the costly reads.`,
    },
    readAlertCoverage: {
      method: "GET",
      path: "/api/console/alert-coverage",
      success: alertCoverage,
      isRaw: true,
      responseHeaders: rateLimited,
      errors: [429],
      summary: "Retrieve the alert coverage",
      description: `Lists the SLOs and alert policies that notify nobody, and how often each policy has alerted in the last ${coverageDays} days. If there are many SLOs, the server can return the same response to several requests. Counts as a costly read.`,
    },
    readPolicyReach: {
      method: "GET",
      path: "/api/console/policy-reach",
      success: policyReachList,
      isRaw: true,
      responseHeaders: rateLimited,
      errors: [429],
      summary: "Retrieve whether alert policies notify anyone",
      description:
        "The part of the alert coverage that needs no alerts and no counts. Is one of the costly reads.",
    },
    readTrends: {
      method: "GET",
      path: "/api/console/trends",
      query: {
        slo: repeatable(
          Schema.String.annotate({ description: "Project and name, as in shop/checkout" }),
          `Can be repeated up to ${trendSlosMax} times`,
        ),
      },
      success: sloTrendList,
      responseHeaders: rateLimited,
      errors: [429],
      summary: "Retrieve the trends of error budgets",
      description: "SLOs that do not exist are left out.",
    },
    readReliability: {
      method: "GET",
      path: "/api/console/reliability",
      query: {
        slo: repeatable(
          Schema.String.annotate({ description: "Project and name, as in shop/checkout" }),
          `Can be repeated up to ${recentSlosMax} times`,
        ),
        days: repeatable(
          Schema.Literals(recentDays).annotate({ description: "Number of past days" }),
          "Can be repeated. Default: all",
        ),
      },
      success: sloReliabilityList,
      responseHeaders: rateLimited,
      errors: [429],
      summary: "Retrieve the reliability over past days",
      description:
        "The reliability over the last 7, 30 and 90 times 24 hours, whatever the time windows of the SLOs are, with the result that a report of these days would have. SLOs that do not exist are left out.",
    },
  },
  "What the first page of the web console reads. Can change in any release.",
)
