/** The ports of the domain with what they store and how they fail: what an adapter implements. */
export {
  AccessTokenIsInvalid,
  AccessTokenIsMissing,
  AccessTokens,
  OrganizationDoesNotMatch,
  type TokenClaims,
} from "../access/AccessToken.ts"
export {
  clientOrganizationsMax,
  type Credential,
  CredentialStore,
  CredentialStoreIsUnavailable,
} from "../access/CredentialStore.ts"
export {
  type Session,
  type SessionAccess,
  SessionIsInvalid,
  SessionTokens,
  type SignIn,
  SignInIsInvalid,
} from "../access/Session.ts"
export {
  type AlertChange,
  type AlertLookup,
  type AlertLookupResult,
  AlertNotFound,
  type AlertPlace,
  type AlertQuery,
  type AlertReceipt,
  AlertStore,
  AlertStoreIsUnavailable,
  type EvaluatedChanges,
  type Idempotency,
  IdempotencyKeyIsReused,
  type NotifiedEvent,
  type NotifiedMethod,
  type OpenAlerts,
  StatusHasChanged,
} from "../alerting/AlertStore.ts"
export {
  type DueNotice,
  SilenceNoticeStore,
  SilenceNoticeStoreIsUnavailable,
} from "../alerting/SilenceNotices.ts"
export {
  type AnnotationOutcome,
  AnnotationStore,
  AnnotationStoreIsUnavailable,
} from "../annotation/AnnotationStore.ts"
export type { AnnotationPlace, AnnotationsChange, SloAnnotation } from "../slo/Annotation.ts"
export {
  type Count,
  type CountRead,
  CountStore,
  CountStoreIsUnavailable,
  type CountSum,
  type CountSumsRead,
  type HoursRead,
  type Recording,
  type TrackHour,
} from "../counts/CountStore.ts"
export {
  type ClaimedIndicator,
  type IndicatorBatch,
  type IndicatorClaim,
  IndicatorNotFound,
  type IndicatorProblem,
  type FailedIndicator,
  type IndicatorState,
  IndicatorStore,
  IndicatorStoreIsUnavailable,
  type PollSettled,
  type SampleProblem,
  type SourceReading,
} from "../data-source/IndicatorStore.ts"
export {
  type CounterGap,
  type MetricFailure,
  MetricSource,
  MetricsAreUnavailable,
  type NameList,
  type NameQuery,
  type Sample,
  type SeriesQuery,
} from "../data-source/MetricSource.ts"
export {
  type ClaimedReplay,
  type Replay,
  type ReplayClaim,
  ReplayIsRunning,
  type ReplayReason,
  type ReplaySettled,
  type ReplayState,
  ReplayStore,
  ReplayStoreIsUnavailable,
} from "../data-source/ReplayStore.ts"
export {
  DefinitionHistory,
  DefinitionHistoryIsUnavailable,
  type DeletedDefinition,
  type DeletedFilter,
  type DeletedPlace,
  type FoundRevision,
} from "../definition/DefinitionHistory.ts"
export type { HistoryChange, NewRevision, Revision } from "../definition/Revision.ts"
export {
  type ChangeRecord,
  type DefinitionChange,
  type DefinitionQuery,
  DefinitionStore,
  DefinitionStoreIsUnavailable,
  type DefinitionsRead,
  type StoredDefinition,
} from "../definition/DefinitionStore.ts"
export {
  type DeliveryFilter,
  DeliveryLog,
  DeliveryLogIsUnavailable,
  DeliveryNotFound,
  type ListDeliveriesQuery,
  type LoggedDelivery,
} from "../delivery/DeliveryLog.ts"
export {
  type Claim,
  type ClaimRequest,
  type ClaimedDelivery,
  DeliveryQueue,
  DeliveryQueueIsUnavailable,
  type PauseState,
  type Release,
  type Settlement,
} from "../delivery/DeliveryQueue.ts"
export {
  type EndpointActivity,
  type EndpointState,
  EndpointStore,
  EndpointStoreIsUnavailable,
} from "../delivery/EndpointStore.ts"
export {
  AcknowledgeTokenIsInvalid,
  AcknowledgeTokens,
  type LinkedAlert,
} from "../notification/AcknowledgeLink.ts"
export {
  TransportFailure,
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
} from "../notification/WebhookTransport.ts"
export {
  type PointsOfSlo,
  type PushedIndicator,
  PushedMetricStore,
  PushedMetricStoreIsUnavailable,
  type PushedState,
} from "../otlp/PushedMetricStore.ts"
export {
  RateLimitIsExceeded,
  type RateLimitStatus,
  RateLimiter,
  RateLimiterIsUnavailable,
} from "../rate-limit/RateLimiter.ts"
export type { RateLimitPolicy } from "../rate-limit/RateLimitPolicy.ts"
export {
  emptyWindow,
  type RateLimitDecision,
  type SlidingWindow,
  takeFromWindow,
} from "../rate-limit/SlidingWindow.ts"
export {
  type ClaimedReport,
  type ReportFilter,
  type ReportPlace,
  ReportStore,
  ReportStoreIsUnavailable,
} from "../report/ReportStore.ts"
export {
  BulkResendStore,
  BulkResendStoreIsUnavailable,
  BulkResendsAreTooMany,
  type NewBulkResend,
  type StepLimits,
} from "../resend/BulkResendStore.ts"
export {
  type SealedSecret,
  SealedSecrets,
  SealedSecretsAreUnavailable,
  SecretBox,
  SecretCannotBeOpened,
  type SecretPlace,
} from "../secret/SecretBox.ts"
export { type Digest, Sha256 } from "../signature/Sha256.ts"
export {
  type SigningKey,
  type SigningKeyAppend,
  SigningKeyGenerator,
  SigningKeyStore,
  SigningKeyStoreIsUnavailable,
} from "../signature/SigningKeyStore.ts"
export {
  type RequestToSign,
  type SignatureHeaders,
  Signer,
  SignerIsUnavailable,
  type SigningKeyInUse,
} from "../signature/SignRequest.ts"
export {
  type ComputedStatus,
  type DueSlo,
  type SloFilter,
  type SloRevision,
  SloStore,
  SloStoreIsUnavailable,
} from "../status/SloStore.ts"
