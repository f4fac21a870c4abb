/** The ports of the domain with what they store and how they fail: what an adapter implements. */
export { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
export { AccessTokens, type TokenClaims, type TokenKey } from "../access/AccessToken.ts"
export {
  clientOrganizationsMax,
  type Credential,
  credentialCacheMs,
  CredentialStore,
} from "../access/CredentialStore.ts"
export { SessionTokens } from "../access/Session.ts"
export {
  type AlertChange,
  type AlertLookup,
  type AlertLookupResult,
  AlertNotFound,
  type AlertPlace,
  type AlertQuery,
  type AlertReceipt,
  AlertStore,
  type EvaluatedChanges,
  type Idempotency,
  IdempotencyKeyIsReused,
  idempotencyKeyLifetimeMs,
  type NotifiedEvent,
  type NotifiedMethod,
  type OpenAlerts,
  type PolicyAlerts,
  StatusHasChanged,
} from "../alerting/AlertStore.ts"
export {
  type AnnotationOutcome,
  type AnnotationQuery,
  type AnnotationsRead,
  AnnotationStore,
} from "../annotation/AnnotationStore.ts"
export {
  type Count,
  type CountRead,
  CountStore,
  type CountSum,
  type CountSumsRead,
  type HoursRead,
  type Recording,
  type TrackHour,
} from "../counts/CountStore.ts"
export {
  affectedSlosMax,
  type ClaimedIndicator,
  type ClaimedProgress,
  dataSourceServer,
  type FailedIndicator,
  type IndicatorBatch,
  type IndicatorClaim,
  IndicatorNotFound,
  type IndicatorProblem,
  type MinutesRead,
  type RecentMinutes,
  type IndicatorState,
  IndicatorStore,
  isSourceKind,
  type PollSettled,
  type SampleProblem,
  sampleProblems,
  serverOf,
  type SourceReading,
} from "../data-source/IndicatorStore.ts"
export {
  type Answer,
  type AnswerInTime,
  type QueryLimits,
  type CounterGap,
  type GapQuery,
  isSourceFailure,
  type MetricFailure,
  metricFailures,
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
  type NameList,
  type NameQuery,
  type Sample,
  type SeriesQuery,
} from "../data-source/MetricSource.ts"
export {
  type ClaimedBackfill,
  latestMinute,
  replacedHour,
  replacedHours,
  replacedParts,
  replacedRange,
  type Backfill,
  type BackfillClaim,
  BackfillIsRunning,
  type BackfillOfSlo,
  type BackfillReason,
  backfillReasons,
  type BackfillSettled,
  type BackfillState,
  backfillStates,
  BackfillStore,
  resumableReasons,
} from "../data-source/BackfillStore.ts"
export {
  DefinitionHistory,
  type DeletedDefinition,
  type DeletedFilter,
  type DeletedPlace,
  type FoundRevision,
  latestRevisionPart,
} from "../definition/DefinitionHistory.ts"
export {
  type ChangeRecord,
  changeRecordPart,
  type DefinitionChange,
  type DefinitionQuery,
  type DefinitionsRead,
  DefinitionStore,
  referrersReadMax,
  type SloMove,
  type StoredDefinition,
} from "../definition/DefinitionStore.ts"
export type { NewRevision } from "../definition/Revision.ts"
export {
  type DeliveryFilter,
  DeliveryLog,
  DeliveryNotFound,
  findDelivery,
  listDeliveries,
  type ListDeliveriesQuery,
  type LoggedDelivery,
  requestResend,
  TestIsNotResent,
} from "../delivery/DeliveryLog.ts"
export {
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  DeliveryQueue,
  type PauseState,
  type Release,
  type Settlement,
  type TestDelivery,
} from "../delivery/DeliveryQueue.ts"
export {
  type EndpointActivity,
  type EndpointState,
  EndpointStore,
  isTroubled,
  type TroubledEndpoint,
} from "../delivery/EndpointStore.ts"
export { AcknowledgeTokens } from "../notification/AcknowledgeLink.ts"
export {
  type ConnectTimings,
  responseHeadersKept,
  TransportFailure,
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "../notification/WebhookTransport.ts"
export {
  type PointsOfSlo,
  type PushedIndicator,
  PushedMetricStore,
  pushedSeriesMax,
  type PushedState,
} from "../otlp/PushedMetricStore.ts"
export {
  enforceRateLimit,
  RateLimiter,
  RateLimitIsExceeded,
  type RateLimitStatus,
} from "../rate-limit/RateLimiter.ts"
export { emptyWindow, type SlidingWindow, takeFromWindow } from "../rate-limit/SlidingWindow.ts"
export {
  type ClaimedIncident,
  type IncidentChange,
  type IncidentFilter,
  type IncidentFound,
  type IncidentPlace,
  type IncidentReads,
  groupingIncidentsMax,
  incidentsMax,
  IncidentStore,
} from "../incident/IncidentStore.ts"
export {
  type ClaimedReport,
  type ReportFilter,
  type ReportPlace,
  ReportStore,
} from "../report/ReportStore.ts"
export { type ReviewLimits, ReviewStore } from "../report/ReviewStore.ts"
export {
  BulkResendsAreTooMany,
  BulkResendStore,
  type NewBulkResend,
  type StepLimits,
} from "../resend/BulkResendStore.ts"
export {
  type SealedSecret,
  SealedSecrets,
  SecretBox,
  SecretCannotBeOpened,
  type SecretPlace,
} from "../secret/SecretBox.ts"
export { redact, reveal } from "../secret/SharedRedacted.ts"
export { type Digest, Sha256 } from "../signature/Sha256.ts"
export {
  type RequestToSign,
  type SignatureHeaders,
  Signer,
  type SigningKeyInUse,
} from "../signature/SignRequest.ts"
export {
  type KeyOwner,
  type NewestKey,
  type PublicKey,
  type SigningKey,
  type SigningKeyAppend,
  type SigningKeyEnd,
  SigningKeyGenerator,
  SigningKeyStore,
  theServer,
} from "../signature/SigningKeyStore.ts"
export type { AnnotationPlace, AnnotationsChange, SloAnnotation } from "../slo/Annotation.ts"
export {
  type ComputedStatus,
  type DueSlo,
  type HeldSlo,
  type ProjectVersion,
  revisionToText,
  type SloChange,
  type SloFilter,
  type SloRevision,
  sloSearchText,
  SloStore,
  type SloVersion,
  textToRevision,
  writtenVersion,
} from "../status/SloStore.ts"
export {
  type Announcement,
  type ClaimedSubscribers,
  StatusPageSubscriptionStore,
  type SubscriptionOfOrganization,
} from "../status-page/SubscriptionStore.ts"
export { type Mail, Mailer, MailFailure, type MailSender } from "../notification/Mailer.ts"
