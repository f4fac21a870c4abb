import { projectOfSlo, sloNameParam, indicatorTestProblem } from "@tocsin/api"
import { cancelReasons, unmetReasons } from "@tocsin/domain"
import { backtestRequest, indicatorBacktestRequest, proposalMetShare } from "@tocsin/domain/features/backtest"
import {
  backtestRangeMaxDays,
  explainedMinutesMax,
  indicatorBacktestPoliciesMax,
  indicatorTestsPerWindow,
  indicatorTestWindowMs,
  proposalDays,
  proposalHistoryMaxDays,
} from "@tocsin/domain/limits"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  organizationErrors,
  bodyErrors,
  NotFound,
  TooManyRequests,
  endpoint,
  warnings,
  count,
  dateTime,
} from "@tocsin/api/openapi"
import { holdDetail, holdReason } from "@tocsin/api"
import * as examples from "./BacktestExamples.ts"

const ProjectHeader = Schema.Struct({ ...OrganizationHeader.fields, ...projectOfSlo })

/** Most alerts that the response of a backtest lists. */
export const backtestAlertsMax = 1_000

const burned = (when: string) =>
  Schema.optionalKey(
    Schema.Finite.annotate({ description: `Share of the error budget that was burned ${when}` }),
  )

/** When an alert policy would have alerted in a range of time, by objective. */
export const BacktestSchema = Schema.Struct({
  from: dateTime("Start of the range (inclusive)"),
  to: dateTime("End of the range"),
  alertCount: Schema.Int.annotate({ description: "Alerts of all objectives in the range" }),
  alertsPerMonth: Schema.Finite.annotate({ description: "Alerts per 30 days" }),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
      alertCount: Schema.Int,
      burned: burned("at the end of the range"),
    }),
  ),
  alerts: Schema.Array(
    Schema.Struct({
      objective: Schema.optionalKey(
        Schema.String.annotate({ description: "Absent for the legacy composite" }),
      ),
      triggeredAt: dateTime("When the alert would have triggered"),
      closedAt: Schema.optionalKey(
        dateTime("When it would have been resolved or canceled. Absent while it is open at the end"),
      ),
      reason: Schema.optionalKey(
        Schema.Literals(cancelReasons).annotate({ description: "Of a canceled alert" }),
      ),
      burnedAtTrigger: burned("when it triggered"),
      burnedAtEnd: burned("when it closed, or at the end of the range"),
    }),
  ).annotate({ description: `The earliest first, at most ${backtestAlertsMax}` }),
}).annotate({ identifier: "Backtest" })

const IndicatorBacktestSchema = Schema.Struct({
  minutesWithCounts: count.annotate({
    description: "Minutes of the day that have counts",
  }),
  problem: indicatorTestProblem,
  backtests: Schema.Array(BacktestSchema).annotate({
    description:
      "One for each of the policies, in their order. Empty if the server could not be read, or if no minute has counts",
  }),
}).annotate({ identifier: "IndicatorBacktest" })

/** What each condition of an alert policy measured at a minute, and why the policy alerts or not. */
export const ExplainedPolicySchema = Schema.Struct({
  from: dateTime("Start of the first minute"),
  to: dateTime("End of the last minute"),
  minutes: Schema.Array(
    Schema.Struct({
      at: dateTime("Start of the minute; conditions are those at its end"),
      objectives: Schema.Array(
        Schema.Struct({
          name: Schema.optionalKey(
            Schema.String.annotate({ description: "Absent for the legacy composite" }),
          ),
          isMet: Schema.Boolean.annotate({ description: "Whether all conditions of a group are met" }),
          held: Schema.optionalKey(
            Schema.Struct({
              reason: holdReason,
              detail: holdDetail,
            }).annotate({
              description:
                "Why no alert triggers although conditions are met. Absent if an alert triggers or no group is met",
            }),
          ),
          conditionGroups: Schema.Array(
            Schema.Struct({
              isMet: Schema.Boolean,
              conditions: Schema.Array(
                Schema.Struct({
                  condition: Schema.String,
                  isMet: Schema.Boolean,
                  reason: Schema.optionalKey(
                    Schema.Literals(unmetReasons).annotate({ description: "Why it is not met" }),
                  ),
                  detail: Schema.String.annotate({ description: "What was measured, and what is required" }),
                  from: dateTime("Start of the most recent range that it measures"),
                  to: dateTime("End of that range"),
                  good: Schema.Finite.annotate({ description: "Good events in the range" }),
                  total: Schema.Finite.annotate({ description: "Events in the range" }),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
  warnings: warnings.annotate({
    description:
      "Warnings that depend on the counts of the SLO (`sparse_time_slices`). Paths are relative to the SLO",
  }),
}).annotate({ identifier: "ExplainedAlertPolicy" })

const share = Schema.Finite

/** Targets proposed for each objective from the history of an SLO. */
export const ProposalsSchema = Schema.Struct({
  from: dateTime("When the history begins: the first counts"),
  to: dateTime("When it ends"),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
      target: share.annotate({ description: "The present target" }),
      proposals: Schema.Array(
        Schema.Struct({
          minutes: Schema.Int.annotate({ description: "Length of the time window, in minutes" }),
          windows: Schema.Int.annotate({ description: "How many time windows of the history were measured" }),
          worst: Schema.optionalKey(
            share.annotate({
              description: "Reliability of the worst of them. Absent with too short a history",
            }),
          ),
          fifthPercentile: Schema.optionalKey(
            share.annotate({ description: "One in 20 was at most this reliable" }),
          ),
          median: Schema.optionalKey(share),
          metShare: Schema.optionalKey(
            share.annotate({ description: "Share of them in which the present target was met" }),
          ),
          proposedTarget: Schema.optionalKey(
            share.annotate({
              description: `The highest of some round targets that at least ${proposalMetShare * 100}% of them met`,
            }),
          ),
        }),
      ).annotate({ description: "One for each length of the time window, the shortest first" }),
    }),
  ),
}).annotate({ identifier: "TargetProposals" })

export const BacktestsApi = HttpApiGroup.make("backtests")
  .add(
    endpoint.post("backtestPolicy", "/api/slos/:sloName/backtest", {
      params: Schema.Struct({ sloName: sloNameParam.sloName }),
      headers: ProjectHeader,
      payload: backtestRequest.schema(),
      success: BacktestSchema,
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Backtest an alert policy",
      description: `Returns the alerts that a stored or proposed alert policy would have opened for an SLO, over at most ${backtestRangeMaxDays} days of its counts. Nothing is stored or sent.`,
      example: examples.backtestPolicy,
    }),
    endpoint.post("backtestIndicator", "/api/indicators/backtest", {
      headers: OrganizationHeader,
      payload: indicatorBacktestRequest.schema(),
      success: IndicatorBacktestSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Backtest alert policies for an SLO that is not stored",
      description: `Reads the last day of an SLO's indicator, by the minute, and returns the alerts that up to ${indicatorBacktestPoliciesMax} stored or proposed alert policies would have opened, as if there had been no counts before that day. Composite objectives and budget adjustments are left out. Nothing is stored or sent. Counts as a test of the indicator, of which ${indicatorTestsPerWindow} are allowed in ${indicatorTestWindowMs / 1_000} s, and as a backtest. Requires the role editor.`,
      example: examples.backtestIndicator,
    }),
    endpoint.get("explainPolicy", "/api/slos/:sloName/explain", {
      params: Schema.Struct({ sloName: sloNameParam.sloName }),
      headers: ProjectHeader,
      query: Schema.Struct({
        alertPolicy: Schema.String.annotate({ description: "Name of an alert policy of the project" }),
        from: Schema.optionalKey(dateTime("Start of the first minute, in UTC. Default: the last minute")),
        to: Schema.optionalKey(
          dateTime(`End of the last minute, in UTC. At most ${explainedMinutesMax} minutes after from`),
        ),
      }),
      success: ExplainedPolicySchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Explain an alert policy",
      description:
        "Returns for each objective of an SLO and each minute which conditions of an alert policy are met, and why, by the counts known now.",
      example: examples.explainPolicy,
    }),
    endpoint.get("proposeTargets", "/api/slos/:sloName/proposals", {
      params: Schema.Struct({ sloName: sloNameParam.sloName }),
      headers: ProjectHeader,
      success: ProposalsSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Propose targets for an SLO",
      description: `Returns how reliable each objective was in the time windows of the last ${proposalHistoryMaxDays} days, of ${proposalDays.join(", ")} days and of the length of the SLO's own, and which target it would have met.`,
      example: examples.proposeTargets,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Backtests")
