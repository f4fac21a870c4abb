import { budgetOutlooks, countBatch, countList, seriesSteps } from "@tocsin/domain"
import { burnRateWindowsMax, historyRangeMaxDays, seriesPointsMax } from "@tocsin/domain/limits"
import { seriesPerSecond, seriesPolicy } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { dateTime, noContent, optionalText, repeatable, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { projectOfSlo, sloNameParam } from "./SloParameters.ts"

const series = Schema.Array(Schema.NullOr(Schema.Finite))

const metrics = {
  latestAt: Schema.optionalKey(time("Start of the latest minute that has a count, whatever the range")),
  reliability: series.annotate({
    description: "Reliability of the time window at the end of each step; null without data",
  }),
  stepReliability: series.annotate({
    description:
      "Reliability of each step alone: the share of its events or minutes that is good; null without data",
  }),
  burnRate: series.annotate({
    description:
      "Burn rate at the end of each step, over the last hour, or over the step if it is longer; null without data",
  }),
  errorBudgetRemainingPercentage: series.annotate({
    description: "Fraction of the error budget that remains at the end of each step; null without data",
  }),
}

/** Metrics of the objectives of an SLO over time. */
export const sloSeries = Schema.Struct({
  from: time("Start of the first step"),
  to: time("End of the last step"),
  step: Schema.Literals(seriesSteps),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      counts: Schema.optionalKey(
        Schema.Struct({ good: series, total: series }).annotate({
          description: "Events of each step; null without events. Absent for composite objectives",
        }),
      ),
      ...metrics,
    }),
  ),
  composite: Schema.optionalKey(Schema.Struct(metrics)),
  burnRates: Schema.optionalKey(
    Schema.Array(Schema.Struct({ window: Schema.String, values: series })).annotate({
      description:
        "With window: the burn rates of one objective over each window at the end of each step, as a condition of an alert policy would have measured them then; null without data",
    }),
  ),
}).annotate({ identifier: "SloSeries", description: "Each list has one value per step" })

const forecast = {
  outlook: Schema.optionalKey(
    Schema.Literals(budgetOutlooks).annotate({
      description:
        "At the pace of the last hour: Exhausted already, Exhausting within the time window, or Sufficient. Omitted without data",
    }),
  ),
  exhaustedAt: Schema.optionalKey(
    time("When the error budget is exhausted at the pace of the last hour. Omitted unless Exhausting"),
  ),
  earliestAt: Schema.optionalKey(
    time("The same at the fastest hourly pace of the last day. Omitted if the budget is sufficient then"),
  ),
  latestAt: Schema.optionalKey(
    time("The same at the slowest hourly pace of the last day. Omitted if the budget is sufficient then"),
  ),
}

/** When each error budget is expected to be exhausted. */
export const sloForecast = Schema.Struct({
  asOf: time("End of the minute up to which counts are included"),
  objectives: Schema.Array(Schema.Struct({ name: Schema.String, ...forecast })),
  composite: Schema.optionalKey(Schema.Struct(forecast)),
}).annotate({ identifier: "SloForecast" })

/** The JSON of `sloSeries`. */
export type SloSeries = (typeof sloSeries)["Encoded"]

/** The JSON of `sloForecast`. */
export type SloForecast = (typeof sloForecast)["Encoded"]

const ofSlo = { params: sloNameParam, headers: projectOfSlo } as const

/** Counts of SLOs, and what follows from them over time. */
export const counts = resource("Counts", {
  recordCounts: {
    method: "POST",
    path: "/api/slos/:sloName/counts",
    role: "editor",
    ...ofSlo,
    body: countList,
    // Long lists are decoded in parts.
    bodyAs: "json",
    success: noContent,
    errors: [404],
    summary: "Record counts of an SLO",
    description:
      "Records two of good, bad and total events per objective and minute. Stores all counts or none. Replaces the counts of a minute that was already recorded.",
  },
  recordCountBatch: {
    method: "POST",
    path: "/api/counts",
    role: "editor",
    body: countBatch,
    bodyAs: "json",
    success: noContent,
    summary: "Record counts of several SLOs",
    description:
      "Stores all counts or none. Replaces the counts of a minute that was already recorded. Statuses are updated within 10 s.",
  },
  readSeries: {
    method: "GET",
    path: "/api/slos/:sloName/series",
    policy: seriesPolicy,
    ...ofSlo,
    query: {
      from: Schema.optionalKey(dateTime("Start of the range (inclusive), in UTC. Or range")),
      to: Schema.optionalKey(
        dateTime(`End of the range (exclusive), in UTC. At most ${historyRangeMaxDays} days after from`),
      ),
      range: Schema.optionalKey(
        Schema.Literal("window").annotate({
          description:
            "Instead of from and to, the current time window of the SLO, including its remaining time",
        }),
      ),
      step: Schema.optionalKey(
        Schema.Literals(seriesSteps).annotate({
          description: `At most ${seriesPointsMax} steps. Default: the shortest step within this limit`,
        }),
      ),
      window: repeatable(
        Schema.String,
        `Adds burn rates over a window such as 5m or 1h. Can be repeated up to ${burnRateWindowsMax} times; each is one unit of the costly reads`,
      ),
      objective: optionalText(
        "The objective whose burn rates over windows are returned; empty for the legacy composite. Default: the first objective",
      ),
    },
    success: sloSeries,
    errors: [404, 429],
    summary: "Retrieve the time series of an SLO",
    description: `Returns data for charts. The range is extended to whole steps. At most ${seriesPerSecond} requests per second and organization.`,
  },
  readForecast: {
    method: "GET",
    path: "/api/slos/:sloName/forecast",
    policy: seriesPolicy,
    ...ofSlo,
    success: sloForecast,
    errors: [404],
    summary: "Forecast the error budget of an SLO",
    description: `Returns when the error budget of each objective is exhausted at the current pace. Shares the limit of ${seriesPerSecond} requests per second and organization with the time series.`,
  },
})
