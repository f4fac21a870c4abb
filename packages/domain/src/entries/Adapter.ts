/** What a store needs beside the ports: the rules that every store applies in its transactions, stored forms, and the telemetry of a port. */
export { logOutages } from "../OutageLog.ts"
export type { PortFailure } from "../StoreIsUnavailable.ts"
export * as Readiness from "../Readiness.ts"
export { forkLoop } from "../Readiness.ts"
export { TaggedError } from "../TaggedError.ts"
export type { AlertMethod } from "../alert-method/AlertMethod.ts"
export type { CustomHeader } from "../alert-method/CustomHeader.ts"
export type { SourceUrl } from "../alert-method/WebhookUrl.ts"
export { nextEndNotice, periodOf, silenceIsOf, type WrittenSilence } from "../alert-policy/SilencePeriods.ts"
export type { AlertSilence } from "../alert-policy/AlertSilence.ts"
export { type AlertStatus, alertSubjectToKey, canceledAsDeleted, storedAlert } from "../alerting/Alert.ts"
export { storedEvidence } from "../alerting/ExplainCondition.ts"
export { heldLifecycleText, storedLifecycles } from "../alerting/AlertLifecycle.ts"
export { storedReceipt } from "../alerting/AlertStore.ts"
export { type DueNotice, sendDueNotices, SilenceNoticeStore } from "../alerting/SilenceNotices.ts"
export { DueQueue } from "../collections/DueQueue.ts"
export { Fifo } from "../collections/Fifo.ts"
export { groupBy } from "../collections/GroupBy.ts"
export {
  addStates,
  addSums,
  changesHour,
  emptyHour,
  type HourOfCounts,
  type MinuteStates,
  type MinuteSums,
  overallHour,
  overallParts,
  partOfTrack,
  sumHour,
  withCounts,
} from "../counts/HourOfCounts.ts"
export { packHour, unpackHour } from "../counts/PackedHour.ts"
export { packSloHour, presenceOfSloHour, type SloHour, unpackSloHour } from "../counts/PackedSloHour.ts"
export {
  packSums,
  packTotals,
  type PeriodSums,
  totalOfPeriods,
  TotalsReader,
  unpackSums,
} from "../counts/PackedSums.ts"
export { type PresentMinutes, presentMinutesOf } from "../counts/PresentMinutes.ts"
export { isWithinHour, type RangeParts, rangeParts } from "../counts/RangeParts.ts"
export {
  mergeSettled,
  minutesReadOf,
  storedProblem,
  storedRecentMinutes,
  unreadOfComponents,
} from "../data-source/IndicatorStore.ts"
export { addGroups, removeGoneGroups } from "../data-source/KeepGroups.ts"
export { valuesOf } from "../definition/Part.ts"
export { changeDefinitions } from "../definition/ChangeDefinitions.ts"
export {
  definitionFromStored,
  type DefinitionJson,
  definitionKey,
  definitionsAreEqual,
  definitionToStored,
  sloOutlineFromStored,
} from "../definition/Definition.ts"
export { indexedReferences, uniqueKeys } from "../definition/References.ts"
export {
  deletedRevisionsDays,
  type HistoryChange,
  type Revision,
  revisionsMax,
} from "../definition/Revision.ts"
export { DeliveriesInFlightMax, reservedShare } from "../delivery/ChooseClaims.ts"
export {
  attemptsKeptMax,
  claimDelivery,
  type Delivery,
  type DeliveryProgress,
  type DeliveryState,
  historyRetentionMs,
  isSettled,
  newDelivery,
  releaseDelivery,
  resendDelivery,
  settleDelivery,
} from "../delivery/Delivery.ts"
export {
  type Chosen,
  DeliverySchedule,
  type EndpointStatus,
  type Lane,
  laneOf,
  lanes,
  type QueueBacklog,
  type WaitingDelivery,
} from "../delivery/DeliverySchedule.ts"
export {
  countHealthChanges,
  enabledHealth,
  type EndpointHealth,
  endpointInFlightMax,
  type HealthChange,
  nextHealth,
  storedHealth,
  unknownHealth,
} from "../delivery/EndpointHealth.ts"
export { senderFaultDelayMs } from "../delivery/RetryPolicy.ts"
export { SteadyClock } from "../delivery/SteadyClock.ts"
export { type AttemptOutcome, storedAttempt } from "../notification/Attempt.ts"
export {
  contentBytes,
  type Notification,
  type NotificationContent,
  storedNotificationContent,
} from "../notification/Notification.ts"
export { uuidV7 } from "../notification/UuidV7.ts"
export { collectMetrics } from "../operations/CollectMetrics.ts"
export {
  addPoints,
  countOfParts,
  type PartSums,
  pushedAgeMaxMs,
  type PushedPoint,
  seriesIdleMaxMs,
  seriesKeys,
  type SeriesState,
  storedSeriesState,
} from "../otlp/CountsOfSeries.ts"
export {
  countsAtMost,
  exponentialBucketsMax,
  type ExponentialHistogram,
  exponentialScaleMax,
  exponentialScaleMin,
} from "../otlp/ExponentialHistogram.ts"
export { storedOtlpIndicator } from "../otlp/PushedMetricStore.ts"
export { type StoreParticipant, storeParticipants } from "../participants/StoreParticipants.ts"
export type { StoredNotifications } from "../quota/Quotas.ts"
export { noteRejection, RejectedOrganizations } from "../rate-limit/RejectedOrganizations.ts"
export { clockToleranceMs, type RateLimitDecision } from "../rate-limit/SlidingWindow.ts"
export { makeWindowTable, windowsInMemoryMax } from "../rate-limit/WindowTable.ts"
export { reportDelayMs, type ReportSchedule, reportScheduleAt } from "../report/ReportPeriod.ts"
export { reviewBytes, storedScope } from "../report/Review.ts"
export { storedNotes } from "../report/ReviewNotes.ts"
export {
  type BulkResend,
  bulkResendPollMs,
  bulkResendsRunningMax,
  bulkResendWaitMaxMs,
  isNextBatchDelayed,
  matchesFilter,
  type ResendCount,
  type ResendFilter,
  storedResendFilter,
  wasBy,
} from "../resend/BulkResend.ts"
export * as SigningKeyCache from "../signature/SigningKeyCache.ts"
export { cachedSigningKeys } from "../signature/SigningKeys.ts"
export type { DataSource } from "../slo/DataSource.ts"
export type { Indicator } from "../slo/Indicator.ts"
export { groupByOf, groupObjectiveName, groupsMaxOf, plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
export type { EventPart, OtlpIndicator } from "../slo/OtlpIndicator.ts"
export {
  type PolledIndicator,
  polledIndicatorOf,
  type SharedIndicator,
  storedIndicator,
} from "../slo/PolledIndicator.ts"
export type { Service } from "../slo/Service.ts"
export { overallTrack, type SliceRule, sliceRulesOf, storedSliceRules } from "../slo/SliceRules.ts"
export { type CalendarWindow, timeWindow } from "../slo/TimeWindow.ts"
export { makeCalendarRanges } from "../slo/WindowAt.ts"
export { keptStatuses, type SloStatuses, storedStatuses } from "../status/SloRecord.ts"
export { DirectCounter, DirectHistogram } from "../telemetry/DirectMetrics.ts"
export {
  count,
  counter,
  gauge,
  type MetricFamily,
  observe,
  observeCounter,
  observeGauge,
} from "../telemetry/MetricFamily.ts"
export { metrics, shortBoundaries } from "../telemetry/Metrics.ts"
export {
  currentTraceparent,
  isTraced,
  parseTraceparent,
  RequestTraceparent,
  withoutIdleSpans,
  withSpan,
} from "../telemetry/Tracing.ts"
export { type GatheringOptions, makeGathering } from "../work/Gathering.ts"
export { type Kept, type KeptOptions, makeKept } from "../work/Kept.ts"
export { atOnce, inParts, type Parts } from "../work/Parts.ts"
export { utf8Bytes } from "../work/Utf8Bytes.ts"
/** The service of the module `SigningKeyCache`, for types. */
export type { SigningKeyCache as SigningKeyCacheService } from "../signature/SigningKeyCache.ts"
export type { Definition, DefinitionOf } from "../definition/Kinds.ts"
export { componentsOf } from "../slo/SloKind.ts"
