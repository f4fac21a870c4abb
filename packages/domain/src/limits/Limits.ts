import { accessTokenLifetimeSeconds } from "../access/AccessToken.ts"
import { clientIdMaxCharacters, requestBodyMaxBytes } from "../access/CredentialStore.ts"
import { credentialsMax } from "../access/ManageCredentials.ts"
import { sessionLifetimeSeconds, signInBodyMaxBytes, signInLinkLifetimeSeconds } from "../access/Session.ts"
import { customHeadersMax } from "../alert-method/CustomHeaderLimits.ts"
import { webhookUrlMaxCharacters } from "../alert-method/WebhookUrl.ts"
import {
  conditionGroupsMax,
  conditionsPerPolicyMax,
  coolDownMinMs,
  escalationStepsMax,
  renotificationsMax,
} from "../alert-policy/AlertPolicyLimits.ts"
import { alertingWindowMaxMs, alertingWindowMinMs } from "../alert-policy/RecommendedBurnRates.ts"
import { idempotencyKeyLifetimeMs } from "../alerting/AlertStore.ts"
import { annotationsPerSloMax } from "../annotation/Annotations.ts"
import { backtestRangeMaxDays } from "../backtest/BacktestPolicy.ts"
import { definitionEntriesMax, issuesMax } from "../codec/Issue.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
import { warningsMax } from "../codec/Warning.ts"
import { countsRetentionDays } from "../counts/CountsRetention.ts"
import { countsMaxAheadMs, countsPerRequestMax } from "../counts/DecodeCounts.ts"
import { indicatorHistoryMs } from "../data-source/PollPlan.ts"
import { backfillMinutesMax } from "../data-source/RequestBackfill.ts"
import { definitionsMax } from "../definition/DecodeDefinition.ts"
import { deletedRevisionsDays, revisionsMax } from "../definition/Revision.ts"
import { historyRetentionMs } from "../delivery/Delivery.ts"
import {
  endpointInFlightMax,
  failingMethodMaxMs,
  failingMethodMinAttempts,
} from "../delivery/EndpointHealth.ts"
import { retryAfterMaxSeconds } from "../delivery/RetryPolicy.ts"
import { alertMethodsPerAlertMax } from "../intake/DecodeAlert.ts"
import { idempotencyKeyMaxCharacters } from "../intake/IdempotencyKey.ts"
import {
  incidentAlertsMax,
  incidentEntriesMax,
  incidentServicesMax,
  incidentTextMaxCharacters,
} from "../incident/Incident.ts"
import { groupingIncidentsMax, incidentsMax } from "../incident/IncidentStore.ts"
import { labelFilterPairsMax } from "../metadata/LabelFilter.ts"
import {
  descriptionMaxCharacters,
  displayNameMaxCharacters,
  labelKeyMaxCharacters,
  labelValueMaxCharacters,
  sloNameMaxCharacters,
} from "../metadata/MetadataLimits.ts"
import { renderedBodyMaxBytes } from "../notification/NotificationRequest.ts"
import { pushedSeriesMax } from "../otlp/PushedMetricStore.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import {
  alertsPerSecond,
  countRequestsPerSecond,
  definitionsQuota,
  deliveriesPerMinute,
  historyQuotaBytes,
  notificationsQuotaBytes,
} from "../quota/Quotas.ts"
import { findSloPerSecond, listSlosPerSecond, seriesPerSecond } from "../rate-limit/RateLimitPolicy.ts"
import { reportPeriodMaxDays } from "../report/PeriodIssues.ts"
import { reportAlertsMax } from "../report/Report.ts"
import { reviewSlosMax } from "../report/Review.ts"
import { adjustmentsPerSloMax } from "../slo/BudgetAdjustment.ts"
import { groupedObjectivesMax } from "../slo/GroupValues.ts"
import { groupLabelsMax } from "../slo/Indicator.ts"
import { statusPageComponentsMax } from "../slo/Project.ts"
import { subscriptionsMax, subscriptionsPerPageMax } from "../status-page/Subscription.ts"
import { promqlMaxCharacters } from "../slo/PromQlExpression.ts"
import { alertPoliciesPerSloMax, componentsMax } from "../slo/Slo.ts"
import { rollingWindowMaxMs, rollingWindowMinMs } from "../slo/TimeWindow.ts"
import { historyRangeMaxDays } from "../status/DataRange.ts"
import { alertedDelayMaxMs } from "../status/PastChanges.ts"
import { seriesPointsMax } from "../status/SloSeries.ts"
import { templateMaxBytes } from "../template/Template.ts"

/** A limit that a user can meet. */
export interface Limit {
  /** What it is about. */
  readonly topic: string
  /** What is limited, as a row of a table. */
  readonly what: string
  /** In `unit`. */
  readonly value: number
  /** Absent for a number of things. */
  readonly unit?: LimitUnit
}

/** What the value of a limit counts; `ms` are milliseconds. */
export type LimitUnit = "bytes" | "characters" | "ms" | "seconds" | "days"

const about = (
  topic: string,
  limits: ReadonlyArray<readonly [what: string, value: number, unit?: LimitUnit]>,
): ReadonlyArray<Limit> =>
  limits.map(([what, value, unit]) => ({ topic, what, value, ...(unit !== undefined && { unit }) }))

/** The limits for users, by topic: `docs/spec/limits.md` shows them. */
export const limits: ReadonlyArray<Limit> = [
  ...about("Requests", [
    ["Body of a request", requestBodyMaxBytes, "bytes"],
    ["Body of a sign-in", signInBodyMaxBytes, "bytes"],
    ["Issues of one response", issuesMax],
    ["Warnings of one response", warningsMax],
    ["Items on a page of a list", pageSizeMax],
    ["`Idempotency-Key`", idempotencyKeyMaxCharacters, "characters"],
    ["How long an `Idempotency-Key` is stored", idempotencyKeyLifetimeMs, "ms"],
    ["Pairs of a label filter", labelFilterPairsMax],
  ]),
  ...about("Definitions", [
    ["Definitions of one request", definitionsMax],
    ["Definitions of an organization, by default", definitionsQuota],
    ["Revisions kept of a definition", revisionsMax],
    ["How long a deleted definition can be restored", deletedRevisionsDays, "days"],
    ["Name", nameMaxCharacters, "characters"],
    ["Name of an SLO or objective", sloNameMaxCharacters, "characters"],
    ["Display name", displayNameMaxCharacters, "characters"],
    ["Description", descriptionMaxCharacters, "characters"],
    ["Label key", labelKeyMaxCharacters, "characters"],
    ["Label value", labelValueMaxCharacters, "characters"],
    ["Entries of a list or map without its own limit", definitionEntriesMax],
  ]),
  ...about("SLOs", [
    ["Alert policies of an SLO", alertPoliciesPerSloMax],
    ["Shortest rolling time window", rollingWindowMinMs, "ms"],
    ["Longest rolling time window", rollingWindowMaxMs, "ms"],
    ["Components of all composite objectives of an SLO", componentsMax],
    ["Labels by which an indicator is grouped", groupLabelsMax],
    ["Objectives of a grouped SLO, with its groups", groupedObjectivesMax],
    ["PromQL expression", promqlMaxCharacters, "characters"],
    ["Annotations of an SLO", annotationsPerSloMax],
    ["Budget adjustments that select an SLO", adjustmentsPerSloMax],
  ]),
  ...about("Counts and metrics", [
    ["Entries of one list of counts", countsPerRequestMax],
    ["How far counts may be in the future", countsMaxAheadMs, "ms"],
    ["How long counts are kept, by default", countsRetentionDays, "days"],
    ["Minutes of counts that one backfill replaces", backfillMinutesMax],
    ["How far back a new indicator is read", indicatorHistoryMs, "ms"],
    ["Series of pushed metrics that count for an SLO", pushedSeriesMax],
  ]),
  ...about("Alerting", [
    ["Conditions of an alert policy, or of each of its groups", conditionsPerPolicyMax],
    ["Groups of conditions of an alert policy", conditionGroupsMax],
    ["Shortest alerting window", alertingWindowMinMs, "ms"],
    ["Longest alerting window", alertingWindowMaxMs, "ms"],
    ["Shortest cool-down, and its default", coolDownMinMs, "ms"],
    ["Escalation steps of an alert policy", escalationStepsMax],
    ["Times that an alert is sent again", renotificationsMax],
    ["How late counts still trigger an alert", alertedDelayMaxMs, "ms"],
    ["Range of a backtest", backtestRangeMaxDays, "days"],
  ]),
  ...about("Incidents", [
    ["Incidents of an organization", incidentsMax],
    ["Open incidents of an organization with groupAlertsWithinMinutes", groupingIncidentsMax],
    ["Alerts of an incident", incidentAlertsMax],
    ["Services of an incident", incidentServicesMax],
    ["Entries that people can add to a timeline", incidentEntriesMax],
    ["Text of an entry", incidentTextMaxCharacters, "characters"],
  ]),
  ...about("Notifications", [
    ["Alert methods that an alert notifies", alertMethodsPerAlertMax],
    ["Webhook URL", webhookUrlMaxCharacters, "characters"],
    ["Custom headers of an alert method", customHeadersMax],
    ["Template", templateMaxBytes, "bytes"],
    ["Rendered body", renderedBodyMaxBytes, "bytes"],
    ["Longest `Retry-After` that is followed", retryAfterMaxSeconds, "seconds"],
    ["Deliveries in flight to one alert method", endpointInFlightMax],
    ["Failed attempts before an alert method is disabled, at least", failingMethodMinAttempts],
    ["How long an alert method fails before it is disabled, at least", failingMethodMaxMs, "ms"],
    ["How long deliveries and resolved alerts are kept", historyRetentionMs, "ms"],
  ]),
  ...about("Rates of an organization", [
    ["External alerts per second, by default", alertsPerSecond],
    ["Requests with counts per second, by default", countRequestsPerSecond],
    ["Requests for one SLO per second, by default", findSloPerSecond],
    ["Lists of SLOs per second", listSlosPerSecond],
    ["Series per second", seriesPerSecond],
    ["Deliveries of external alerts per minute, by default", deliveriesPerMinute],
    ["Stored notifications, by default", notificationsQuotaBytes, "bytes"],
    ["Stored revisions, by default", historyQuotaBytes, "bytes"],
  ]),
  ...about("Access", [
    ["Credentials of an organization", credentialsMax],
    ["Client ID", clientIdMaxCharacters, "characters"],
    ["Lifetime of an access token", accessTokenLifetimeSeconds, "seconds"],
    ["Lifetime of a session of the web console", sessionLifetimeSeconds, "seconds"],
    ["Lifetime of a sign-in link", signInLinkLifetimeSeconds, "seconds"],
  ]),
  ...about("Reports and status pages", [
    ["Range of a series", historyRangeMaxDays, "days"],
    ["Points of a series", seriesPointsMax],
    ["Period of a report on demand", reportPeriodMaxDays, "days"],
    ["Alerts that a report lists", reportAlertsMax],
    ["SLOs of a review", reviewSlosMax],
    ["Components of a status page", statusPageComponentsMax],
    ["Subscriptions of a status page", subscriptionsPerPageMax],
    ["Subscriptions of an organization to status pages", subscriptionsMax],
  ]),
]
