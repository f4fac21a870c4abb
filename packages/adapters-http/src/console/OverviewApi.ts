import { methodStates, objectiveStates, severities } from "@tocsin/domain"
import { fastBurnMin } from "@tocsin/domain/features/overview"
import {
  overviewItemsMax,
  overviewProblemsMax,
  snapshotSlosMax,
  trendPoints,
  trendSlosMax,
} from "@tocsin/domain/limits"
import { metricFailures, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import {
  OrganizationHeader,
  organizationErrors,
  TooManyRequests,
  endpoint,
  rateLimited,
  count,
  dateTime,
  KeySchema,
  optionalText,
  PageLinksSchema,
  repeatable,
} from "@tocsin/api/openapi"
import { metrics } from "@tocsin/api"
import * as examples from "./OverviewExamples.ts"
import { urgentRowsMax } from "./UrgentRows.ts"

const { reliability, errorBudgetRemainingPercentage, burnRate } = metrics

const track = {
  name: optionalText("Name of the objective. Omitted for the legacy composite over all objectives"),
  displayName: optionalText("Omitted if there is none"),
  target: Schema.Finite,
  reliability,
  errorBudgetRemainingPercentage,
  burnRate,
}

const NamedRow = Schema.Struct({ name: Schema.String, displayName: Schema.optionalKey(Schema.String) })

const SloRow = Schema.Struct({
  project: Schema.String,
  service: Schema.String,
  name: Schema.String,
  displayName: optionalText("Omitted if there is none"),
  labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  objectives: Schema.Array(Schema.Struct(track)),
}).annotate({ identifier: "SloRow", description: "Metrics are rounded down; those without data are omitted" })

const StateCounts = Schema.Struct({ breached: count, atRisk: count, healthy: count, noData: count })

export const SloRowListSchema = Schema.Struct({
  data: Schema.Array(SloRow),
  projects: Schema.Array(NamedRow).annotate({ description: "The projects of the SLOs" }),
  services: Schema.Array(Schema.Struct({ project: Schema.String, ...NamedRow.fields })).annotate({
    description: "The services of the SLOs",
  }),
  openAlerts: Schema.Array(Schema.Struct({ ...KeySchema.fields, open: count, acknowledged: count })).annotate(
    {
      description: "The SLOs with open alerts",
    },
  ),
  states: Schema.optionalKey(StateCounts).annotate({
    description: "With `part`: how many of all SLOs are in each state",
  }),
  links: PageLinksSchema,
}).annotate({ identifier: "SloRowList" })

const State = Schema.Literals(objectiveStates)

const objective = {
  slo: KeySchema,
  sloDisplayName: Schema.String,
  state: State,
  ...track,
}

const OverviewObjective = Schema.Struct(objective).annotate({ identifier: "OverviewObjective" })

export const OverviewSchema = Schema.Struct({
  states: StateCounts.annotate({ description: "Number of SLOs in each state" }),
  hasMoreSlos: Schema.Boolean.annotate({
    description: `Whether there are more than ${snapshotSlosMax} SLOs, which are left out`,
  }),
  lowestBudgets: Schema.Array(OverviewObjective).annotate({
    description: "Objectives that are at risk or breached, with the lowest error budgets",
  }),
  fastestBurns: Schema.Array(OverviewObjective).annotate({
    description: `The highest burn rates of at least ${fastBurnMin}`,
  }),
  exhausting: Schema.Array(
    Schema.Struct({ ...objective, exhaustedAt: dateTime("When the error budget is exhausted") }),
  ).annotate({ description: "Forecast to be exhausted within the time window" }),
  closing: Schema.Array(Schema.Struct({ ...objective, endsAt: dateTime("End of the time window") })).annotate(
    { description: "Calendar-aligned time windows about to end" },
  ),
  alerts: Schema.Struct({
    open: count,
    acknowledged: count,
    newest: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        slo: KeySchema,
        sloDisplayName: Schema.String,
        objective: Schema.optionalKey(Schema.String),
        objectiveDisplayName: Schema.optionalKey(Schema.String),
        severity: Schema.optionalKey(Schema.Literals(severities)),
        isNoData: Schema.Boolean.annotate({ description: "Whether the alert is about missing data" }),
        isSilenced: Schema.Boolean,
        acknowledgedBy: optionalText("Omitted unless acknowledged"),
        triggeredAt: dateTime("When the alert triggered"),
      }),
    ),
  }),
  alertMethods: Schema.Array(
    Schema.Struct({
      alertMethod: KeySchema,
      state: Schema.Literals(methodStates),
      failures: count.annotate({ description: "Failed attempts since the latest success" }),
    }),
  ).annotate({ description: "Disabled, failing and paused alert methods" }),
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
      at: dateTime("When this was noticed last"),
    }),
  ),
  withoutData: Schema.Array(Schema.Struct({ slo: KeySchema, displayName: Schema.String })),
  services: Schema.Array(
    Schema.Struct({
      project: NamedRow,
      service: NamedRow,
      state: State,
      states: StateCounts,
      openAlerts: count,
    }),
  ).annotate({ description: "The services of the SLOs, by project and name" }),
}).annotate({
  identifier: "Overview",
  description: `Each list has at most ${overviewItemsMax} items, except services`,
})

const budgets = Schema.Array(Schema.NullOr(Schema.Finite)).annotate({
  description: `Fraction of the error budget that remained at ${trendPoints} times that divide the time window; null without data`,
})

const SloTrend = Schema.Struct({
  slo: KeySchema,
  objectives: Schema.Array(Schema.Struct({ name: Schema.String, errorBudgetRemaining: budgets })),
  composite: Schema.optionalKey(budgets),
}).annotate({ identifier: "SloTrend" })

export const SloTrendListSchema = Schema.Struct({ data: Schema.Array(SloTrend) }).annotate({
  identifier: "SloTrendList",
})

export const readOverview = endpoint.get("readOverview", "/api/console/overview", {
  headers: OrganizationHeader,
  success: OverviewSchema,
  error: [...organizationErrors],
  summary: "Retrieve what needs attention",
  description: "Most urgent first. Of many SLOs, a response can be used for several requests.",
  example: examples.readOverview,
})

export const listSloRows = endpoint.get("listSloRows", "/api/console/rows", {
  headers: OrganizationHeader,
  query: Schema.Struct({
    cursor: optionalText("The cursor of links.next in the previous response"),
    part: Schema.optionalKey(Schema.Literal("urgent")).annotate({
      description: `\`urgent\`: only the first ${urgentRowsMax} SLOs by state, error budget and name, with the number in each state. Empty and without \`states\` if there are more than ${snapshotSlosMax} SLOs`,
    }),
  }),
  success: SloRowListSchema,
  error: [...organizationErrors, TooManyRequests],
  summary: "List all SLOs in brief",
  description: `Sorted by project and name, at most ${snapshotSlosMax} per page. Has an ETag; of many SLOs, a response can be used for several requests. A page after a cursor is one of the costly reads.`,
  responseHeaders: rateLimited,
  example: examples.listSloRows,
})

export const readTrends = endpoint.get("readTrends", "/api/console/trends", {
  headers: OrganizationHeader,
  query: Schema.Struct({
    slo: repeatable(
      Schema.String.annotate({ description: "Project and name, as in shop/checkout" }),
      `Can be repeated up to ${trendSlosMax} times`,
    ),
  }),
  success: SloTrendListSchema,
  error: [...organizationErrors, TooManyRequests],
  summary: "Retrieve the trends of error budgets",
  description: "SLOs that do not exist are left out.",
  responseHeaders: rateLimited,
  example: examples.readTrends,
})
