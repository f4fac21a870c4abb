/** The use cases of the domain: what a host calls. Their ports are in `@tocsin/domain/ports`. */
export {
  type Access,
  hasRole,
  OrganizationIsInvalid,
  parseOrganization,
  requireRole,
  type Role,
  RoleIsInsufficient,
  roles,
} from "../access/Access.ts"
export {
  AccessTokenIsInvalid,
  AccessTokenIsMissing,
  authenticate,
  bearerToken,
  issueAccessToken,
  issuePublicToken,
  OrganizationDoesNotMatch,
} from "../access/AccessToken.ts"
export { newCredential, newOperatorCredential, rotation } from "../access/CredentialRequests.ts"
export {
  ClientIdIsInvalid,
  ClientIdIsTaken,
  ClientSecretIsInvalid,
  clientSecretRule,
  createCredential,
  createOwnCredential,
  CredentialIsOwn,
  CredentialNotFound,
  CredentialQuotaIsExceeded,
  deleteCredential,
  disableCredential,
  hashClientSecret,
  isClientId,
  isClientSecret,
  isSameHash,
  requireOther,
  rotateSecret,
} from "../access/ManageCredentials.ts"
export {
  BasicCredentialsAreInvalid,
  CredentialsAreInvalid,
  parseBasicCredentials,
  proveCredential,
  proveCredentialAnywhere,
} from "../access/ProveCredential.ts"
export {
  authenticateSession,
  closeSession,
  issueSignInLink,
  openSession,
  openSessionByLink,
  type Session,
  type SessionAccess,
  SessionIsInvalid,
  signInLink,
  signInRequest,
} from "../access/Session.ts"
export { alertMethod } from "../alert-method/AlertMethod.ts"
export { severities } from "../alert-policy/AlertPolicy.ts"
export { type PolicyReach, policyReaches } from "../alert-policy/PolicyReach.ts"
export { alertSilence } from "../alert-policy/AlertSilence.ts"
export { silenceState, silenceStatuses } from "../alert-policy/SilenceState.ts"
export { acknowledgeAlert, acknowledgementRequest, AlertIsClosed } from "../alerting/AcknowledgeAlert.ts"
export { acknowledgeByLink, findLinkedAlert } from "../alerting/AcknowledgeByLink.ts"
export { alertStatuses, cancelReasons } from "../alerting/Alert.ts"
export { countActiveAlerts, listAlerts } from "../alerting/ListAlerts.ts"
export { readEvidence } from "../alerting/ReadEvidence.ts"
export { listHeldAlerts } from "../alerting/ListHeldAlerts.ts"
export { listSilences } from "../alerting/ListSilences.ts"
export { previewSilence } from "../alerting/PreviewSilence.ts"
export { sendSilenceNotices } from "../alerting/SilenceNotices.ts"
export { CountsRetention } from "../counts/CountsRetention.ts"
export { MinCoverage } from "../counts/MinCoverage.ts"
export { type BatchContext, countBatch } from "../counts/DecodeCountBatch.ts"
export {
  countList,
  CountsAreInvalid,
  type CountsContext,
  type NowContext as CountsNowContext,
} from "../counts/DecodeCounts.ts"
export { applyDefinitions } from "../definition/ApplyDefinitions.ts"
export {
  checkVersion,
  decodeDefinition,
  type DecodeOptions,
  type RemovedObject,
} from "../definition/DecodeDefinition.ts"
export {
  defineAgent,
  defineAlertMethod,
  defineAlertPolicy,
  defineAlertSilence,
  defineBudgetAdjustment,
  defineDataSource,
  defineDirect,
  defineProject,
  defineReport,
  defineSavedView,
  defineService,
  defineSlo,
  type DefinitionDocument,
} from "../definition/Define.ts"
export { definition, type DefinitionJson, definitionToJson } from "../definition/Definition.ts"
export {
  DefinitionsAreInvalid,
  DefinitionsHaveChanged,
  DefinitionsNotFound,
  type ExpectedRevision,
  type RevisionConflict,
} from "../definition/DefinitionErrors.ts"
export { deleteDefinitions, deleteDefinitionsByKey, objectText } from "../definition/DeleteDefinitions.ts"
export { findWarnings } from "../definition/FindWarnings.ts"
export type { StoppedMethodsReader } from "../definition/WarningRules.ts"
export {
  type KeptChange,
  type KeptDocument,
  keptInProjectPart,
  keptLabels,
  keptPart,
  type KeptQuery,
  keptToJson,
} from "../definition/KeptDocument.ts"
export {
  listDefinitions,
  listPosition,
  listTimedDefinitions,
  type TimedDefinition,
} from "../definition/ListDefinitions.ts"
export { moveRequest, moveSlos } from "../definition/MoveSlos.ts"
export {
  askingPart,
  type ObjectKey,
  type Part,
  part,
  type PartChange,
  partChange,
} from "../definition/Part.ts"
export {
  type AppliedDefinition,
  type ApplyRequest,
  type ApplyShare,
  type ChangedDefinition,
  type ChangeOptions,
  type ObjectKind,
  type Participant,
  Participants,
  participantsLayer,
  type Participation,
  type PlannedDefinition,
  type RemoveRequest,
  type RemoveShare,
} from "../definition/Participant.ts"
export {
  findRevision,
  listDeletedDefinitions,
  listRevisions,
  RevisionNotFound,
} from "../definition/ReadHistory.ts"
export { listedWarnings } from "../definition/WarningRules.ts"
export { revisionOutcomes } from "../definition/Revision.ts"
export {
  enableMethod,
  findMethodHealth,
  listAlertMethods,
  type MethodHealth,
  methodStates,
  pauseMethod,
  readStoppedMethods,
} from "../delivery/AlertMethodHealth.ts"
export { deliveriesInFlightMax } from "../delivery/ChooseClaims.ts"
export { deliveryStates } from "../delivery/Delivery.ts"
export { dispatchDeliveries } from "../delivery/DispatchDeliveries.ts"
export { showRequest } from "../delivery/ShowRequest.ts"
export {
  type AlertMethodTest,
  AlertMethodTestIsInvalid,
  alertMethodTestRequest,
  testAlertMethod,
  testProposedMethod,
} from "../delivery/TestAlertMethod.ts"
export {
  alertConditionMaxCharacters,
  AlertIsInvalid,
  alertMethodsPerAlertMax,
  alertRequest,
  type AlertRequest,
  type NowContext,
} from "../intake/DecodeAlert.ts"
export { receiveAlert, receiveAlertRequest } from "../intake/ReceiveAlert.ts"
export type { ProjectKey } from "../metadata/ObjectKey.ts"
export {
  AcknowledgeTokenIsInvalid,
  type LinkedAlert,
  testAcknowledgeToken,
} from "../notification/AcknowledgeLink.ts"
export type { Attempt } from "../notification/Attempt.ts"
export {
  type FailureReason,
  failureReasons,
  failureReasonText,
  retriedReasons,
} from "../notification/FailureReason.ts"
export { AlertMethodNotFound } from "../notification/FindAlertMethod.ts"
export { notificationEvents } from "../notification/Notification.ts"
export { previewAlertMethod } from "../notification/SampleNotification.ts"
export { headerSecrets, makeMask, type SecretMask } from "../notification/SecretMask.ts"
export { findIndicatorState } from "../otlp/FindIndicatorState.ts"
export {
  type MetricPoint,
  MetricsAreInvalid,
  type PushedMetrics,
  type ReadPoints,
  type RejectedPoints,
} from "../otlp/MetricPoint.ts"
export { recordMetrics } from "../otlp/RecordMetrics.ts"
export { Processor, ProcessorShares, workFor } from "../quota/ProcessorShares.ts"
export {
  DefinitionsQuotaIsExceeded,
  enforceAlertsQuota,
  NotificationsQuotaIsExceeded,
  type OrganizationQuotas,
  Quotas,
} from "../quota/Quotas.ts"
export { recordCountBatch } from "../refresh/RecordCountBatch.ts"
export { recordCounts, refreshStatus, statusOf } from "../refresh/RefreshStatus.ts"
export { refreshStatuses } from "../refresh/RefreshStatuses.ts"
export {
  createOrganizationKey,
  endOrganizationKey,
  OrganizationKeyEnds,
  OrganizationKeyNotFound,
  organizationKeys,
  rotateOrganizationKey,
  RotationIsTooSoon,
} from "../signature/OrganizationKeys.ts"
export {
  currentPublicKey,
  findPublicKey,
  listedServerKeys,
  publicJwks,
  PublicKeyNotFound,
  publicKeys,
  signingJwk,
} from "../signature/PublicKeys.ts"
export { revokeOrganizationKey, revokeServerKey } from "../signature/RevokeSigningKey.ts"
export { ensureSigningKey, rotateSigningKey } from "../signature/SigningKeys.ts"
export { burnRateOf, reliabilityOf, secondsRemaining, shareRemaining } from "../status/ErrorBudget.ts"
export type {
  FleetFigure,
  FleetLabel,
  FleetNamed,
  FleetService,
  FleetSlo,
  FleetTable,
  FleetTexts,
  TrackStatus,
} from "../status/FleetPlane.ts"
export { fleetTable } from "../status/FleetPlanes.ts"
export { findSlo, SloNotFound, type SloWithCounts } from "../status/FindSlo.ts"
export { type BudgetForecast, budgetOutlooks, findSloForecast, type SloForecast } from "../status/Forecast.ts"
export { listSlos, searchSlos } from "../status/ListSlos.ts"
export { type UnmetReason, unmetReasons } from "../status/MeasureCondition.ts"
export {
  atRiskBelow,
  countStates,
  isBurning,
  type ObjectiveState,
  objectiveState,
  objectiveStates,
  roundedBurnRate,
  type StateCounts,
} from "../slo/ObjectiveState.ts"
export { type PastChanges, storedPastChanges } from "../status/StoredPastChanges.ts"
export {
  addChangedMinutes,
  type AdjustmentChange,
  type ChangedMinute,
  latestOf,
  pastAdjustmentChanges,
  pastMayEndAt,
  pastMinutesAt,
  pastMinutesOf,
  withChangedAdjustments,
  withChangedMinutes,
} from "../status/PastChanges.ts"
export { readSlos, type SloReading } from "../status/ReadSlos.ts"
export { sloStatus } from "../status/CountsPlan.ts"
export { readSloMetrics } from "../status/ReadSloMetrics.ts"
export { type NamedObject, recordKey, type SloRecord } from "../status/SloRecord.ts"
export {
  type BurnRateSeries,
  findSloSeries,
  type MetricSeries,
  type Series,
  seriesSteps,
} from "../status/SloSeries.ts"
export { findSloTrends, type SloTrend } from "../status/SloTrends.ts"
export { type ObjectiveMinute, readStatusSeries, type WantedMinutes } from "../status/StatusSeries.ts"
