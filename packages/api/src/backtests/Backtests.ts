import { cancelReasons } from "@tocsin/domain"
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
import * as Schema from "effect/Schema"
import { conditionGroups, holdDetail, holdReason } from "../alerts/Alerts.ts"
import { count, dateTime, time } from "../operation/Fields.ts"
import { type BodyJsonOf, resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"
import { indicatorTestProblem } from "../slos/Indicators.ts"
import { projectOfSlo, sloNameParam } from "../slos/SloParameters.ts"

/** Most alerts that the response of a backtest lists. */
export const backtestAlertsMax = 1_000

const burned = (when: string) =>
  Schema.optionalKey(
    Schema.Finite.annotate({ description: `Share of the error budget that was burned ${when}` }),
  )

/** When an alert policy would have alerted in a range of time, by objective. */
export const backtest = Schema.Struct({
  from: time("Start of the range (inclusive)"),
  to: time("End of the range"),
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
      triggeredAt: time("When the alert would have triggered"),
      closedAt: Schema.optionalKey(
        time("When it would have been resolved or canceled. Absent while it is open at the end"),
      ),
      reason: Schema.optionalKey(
        Schema.Literals(cancelReasons).annotate({ description: "Of a canceled alert" }),
      ),
      burnedAtTrigger: burned("when it triggered"),
      burnedAtEnd: burned("when it closed, or at the end of the range"),
    }),
  ).annotate({ description: `The earliest first, at most ${backtestAlertsMax}` }),
}).annotate({ identifier: "Backtest" })

const indicatorBacktest = Schema.Struct({
  minutesWithCounts: count.annotate({
    description: "Minutes of the day that have counts",
  }),
  problem: indicatorTestProblem,
  backtests: Schema.Array(backtest).annotate({
    description:
      "One for each of the policies, in their order. Empty if the server could not be read, or if no minute has counts",
  }),
}).annotate({ identifier: "IndicatorBacktest" })

/** What each condition of an alert policy measured at a minute. */
export const explainedMinute = Schema.Struct({
  at: time("Start of the minute; conditions are those at its end"),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
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
      conditionGroups,
    }),
  ),
})

/** What each condition of an alert policy measured at a minute, and why the policy alerts or not. */
const explainedPolicy = Schema.Struct({
  from: time("Start of the first minute"),
  to: time("End of the last minute"),
  minutes: Schema.Array(explainedMinute),
  warnings: warnings.annotate({
    description:
      "Warnings that depend on the counts of the SLO (`sparse_time_slices`). Paths are relative to the SLO",
  }),
}).annotate({ identifier: "ExplainedAlertPolicy" })

const share = Schema.Finite

/** Targets proposed for each objective from the history of an SLO. */
export const targetProposals = Schema.Struct({
  from: time("When the history begins: the first counts"),
  to: time("When it ends"),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
      target: share.annotate({ description: "The current target" }),
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
            share.annotate({ description: "Share of them in which the current target was met" }),
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

/** The JSON of `backtest`. */
export type Backtest = (typeof backtest)["Encoded"]

/** The JSON of `explainedPolicy`. */
export type ExplainedPolicy = (typeof explainedPolicy)["Encoded"]

/** The JSON of `targetProposals`. */
export type TargetProposals = (typeof targetProposals)["Encoded"]

const ofSlo = { params: { sloName: sloNameParam.sloName }, headers: projectOfSlo } as const

/** What alert policies and targets would have done in the past. */
export const backtests = resource("Backtests", {
  backtestPolicy: {
    method: "POST",
    path: "/api/slos/:sloName/backtest",
    ...ofSlo,
    body: backtestRequest,
    // The project of the SLO is that of the policy.
    bodyAs: "json",
    success: backtest,
    errors: [404],
    summary: "Backtest an alert policy",
    description: `Returns the alerts that a stored or proposed alert policy would have triggered for an SLO, over at most ${backtestRangeMaxDays} days of its counts. Nothing is stored or sent.`,
  },
  backtestIndicator: {
    method: "POST",
    path: "/api/indicators/backtest",
    role: "editor",
    body: indicatorBacktestRequest,
    invalidBody: "Invalid backtest",
    success: indicatorBacktest,
    summary: "Backtest alert policies for an SLO that is not stored",
    description: `Reads the last day of an SLO's indicator, by the minute, and returns the alerts that up to ${indicatorBacktestPoliciesMax} stored or proposed alert policies would have triggered, as if there had been no counts before that day. Composite objectives and budget adjustments are left out. Nothing is stored or sent. Counts as a test of the indicator, of which ${indicatorTestsPerWindow} are allowed in ${indicatorTestWindowMs / 1_000} s, and as a backtest.`,
  },
  explainPolicy: {
    method: "GET",
    path: "/api/slos/:sloName/explain",
    ...ofSlo,
    query: {
      alertPolicy: Schema.String.annotate({ description: "Name of an alert policy of the project" }),
      from: Schema.optionalKey(dateTime("Start of the first minute, in UTC. Default: the last minute")),
      to: Schema.optionalKey(
        dateTime(`End of the last minute, in UTC. At most ${explainedMinutesMax} minutes after from`),
      ),
    },
    success: explainedPolicy,
    // It is written in parts.
    isRaw: true,
    errors: [404, 429],
    summary: "Explain an alert policy",
    description:
      "Returns for each objective of an SLO and each minute which conditions of an alert policy are met, and why, by the counts known now.",
  },
  proposeTargets: {
    method: "GET",
    path: "/api/slos/:sloName/proposals",
    ...ofSlo,
    success: targetProposals,
    errors: [404, 429],
    summary: "Propose targets for an SLO",
    description: `Returns how reliable each objective was in the time windows of the last ${proposalHistoryMaxDays} days, of ${proposalDays.join(", ")} days and of the length of the SLO's own, and which target it would have met.`,
  },
})

/** The JSON of a request for a backtest of a stored SLO. */
export type BacktestRequest = BodyJsonOf<(typeof backtests)["operations"]["backtestPolicy"]>
