/** The limits of the domain by name, for hosts that document or configure them. */
export { accessTokenLifetimeSeconds } from "../access/AccessToken.ts"
export { clientIdMaxCharacters, requestBodyMaxBytes } from "../access/CredentialStore.ts"
export { credentialsMax } from "../access/ManageCredentials.ts"
export { sessionLifetimeSeconds, signInBodyMaxBytes, signInLinkLifetimeSeconds } from "../access/Session.ts"
export { silenceForecastDays } from "../alert-policy/SilencePeriods.ts"
export { countedAlertsMax } from "../alerting/ListAlerts.ts"
export { heldSlosMax } from "../alerting/ListHeldAlerts.ts"
export { silencePeriodsMax, silencePreviewMax } from "../alerting/PreviewSilence.ts"
export { annotationsListedMax } from "../annotation/Annotations.ts"
export { indicatorBacktestPoliciesMax } from "../backtest/BacktestIndicator.ts"
export { backtestRangeMaxDays } from "../backtest/BacktestPolicy.ts"
export { explainedMinutesMax } from "../backtest/ExplainPolicy.ts"
export { proposalDays, proposalHistoryMaxDays } from "../backtest/ProposeTargets.ts"
export { budgetChangesPageMax } from "../budget-change/BudgetChange.ts"
export { effectObjectivesMax, effectSlosMax } from "../budget-change/ChangeBudgets.ts"
export { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
export { warningsMax } from "../codec/Warning.ts"
export {
  countsRetentionDays,
  countsRetentionMaxDays,
  countsRetentionMinDays,
} from "../counts/CountsRetention.ts"
export { minCoveragePercent } from "../counts/MinCoverage.ts"
export { carriedStateMaxMs } from "../counts/HourOfCounts.ts"
export {
  listedNamesMax,
  metricNamesPolicy,
  nameListsPerWindow,
  nameListWindowMs,
  namesKeptSeconds,
} from "../data-source/ListMetricNames.ts"
export { metricNameMaxCharacters, namesReadMax } from "../data-source/MetricSource.ts"
export { backfillMinutesMax } from "../data-source/RequestBackfill.ts"
export {
  dataSourceTestIntervalMs,
  proposedSourceTestsPerWindow,
  proposedSourceTestWindowMs,
  testDataSourcePolicy,
  testProposedSourcePolicy,
} from "../data-source/TestDataSource.ts"
export {
  dayStepMinutes,
  indicatorTestMinutes,
  indicatorTestsPerWindow,
  indicatorTestWindowMs,
  testIndicatorPolicy,
} from "../data-source/TestIndicator.ts"
export { definitionsMax } from "../definition/DecodeDefinition.ts"
export {
  proposedMethodTestsPerWindow,
  proposedMethodTestWindowMs,
  testAlertMethodPolicy,
  testIntervalMs,
  testProposedMethodPolicy,
} from "../delivery/TestAlertMethod.ts"
export { retryDelaysSeconds } from "../delivery/RetryPolicy.ts"
export { alertIdMaxCharacters } from "../intake/DecodeAlert.ts"
export { idempotencyKeyMaxCharacters } from "../intake/IdempotencyKey.ts"
export { displayNameMaxCharacters, sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"
export { acknowledgeLinkLifetimeMs, acknowledgePath } from "../notification/AcknowledgeLink.ts"
export { renderedBodyMaxBytes } from "../notification/NotificationRequest.ts"
export { responseBodyKeptMaxBytes } from "../notification/SecretMask.ts"
export { responseHeaderKeptMaxCharacters } from "../notification/WebhookTransport.ts"
export { coverageDays, coveragePoliciesMax, coverageSlosMax } from "../overview/AlertCoverage.ts"
export { overviewItemsMax, overviewProblemsMax, overviewServicesMax } from "../overview/ReadOverview.ts"
export { sloPageMax } from "../overview/SloPage.ts"
export {
  alertsPerSecond,
  alertsPolicy,
  countRequestsPerSecond,
  countRequestsPolicy,
  definitionsQuota,
  definitionsQuotaMax,
  deliveriesPerMinute,
  deliveriesPerMinuteMax,
  deliveriesPolicy,
  enforceCountsQuota,
  historyQuotaBytes,
  historyQuotaMaxMebibytes,
  ingestPerSecondMax,
  notificationsQuotaBytes,
  notificationsQuotaMaxMebibytes,
} from "../quota/Quotas.ts"
export { costlyWindowMs } from "../rate-limit/RateLimitPolicy.ts"
export { bulkResendReadMax } from "../resend/BulkResend.ts"
export { jwksPath, keyDirectoryPath } from "../signature/PublicKeys.ts"
export {
  retiredKeysMax,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "../signature/SigningKeySchedule.ts"
export { publicKeyMaxAgeSeconds, publicKeyPath, publicKeysPath } from "../signature/SigningKeys.ts"
export { statusPageDays } from "../status-page/ReadStatusPage.ts"
export { dataRangeMaxDays, historyRangeMaxDays } from "../status/DataRange.ts"
export { sloMetricsObjectivesMax } from "../status/ReadSloMetrics.ts"
export { burnRateWindowsMax, seriesPointsMax } from "../status/SloSeries.ts"
export { recentSlosMax } from "../report/RecentReliability.ts"
export { trendPoints, trendSlosMax } from "../status/SloTrends.ts"
export { type Limit, limits, type LimitUnit } from "../limits/Limits.ts"
