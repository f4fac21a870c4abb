/** The operations of the API, by resource, and a client derived from them. */
export {
  type CallOf,
  type ClientCall,
  clientOf,
  type ClientOf,
  ResponseIsMalformed,
} from "./operation/Client.ts"
export {
  type Access,
  type BodyJsonOf,
  type BodyOf,
  type CallParams,
  type ErrorStatus,
  type JsonOf,
  type OpenAccess,
  type Operation,
  type Operations,
  type OutcomeOf,
  type PageJson,
  type PageOf,
  pageParameters,
  type PageParameters,
  type Parameters,
  type PathNames,
  type PathParams,
  resource,
  type Resource,
  type Response,
  type Success,
  type TextParams,
  type WithBody,
} from "./operation/Operation.ts"
export {
  alertMethodHealth,
  type AlertMethodHealth,
  alertMethods,
  alertMethodTest,
  type AlertMethodTest,
} from "./alert-methods/AlertMethods.ts"
export {
  incident,
  type Incident,
  type IncidentEntry,
  incidentEntry,
  incidents,
  incidentSummary,
  type IncidentSummary,
  postmortemType,
} from "./incidents/Incidents.ts"
export {
  annotation,
  type Annotation,
  type AnnotationList,
  annotations,
  sloEvent,
} from "./annotations/Annotations.ts"
export {
  backtest,
  type Backtest,
  backtestAlertsMax,
  type BacktestRequest,
  backtests,
  explainedMinute,
  type ExplainedPolicy,
  targetProposals,
  type TargetProposals,
} from "./backtests/Backtests.ts"
export {
  type AdjustmentDocument,
  budgetAdjustments,
  type BudgetChange,
  type BudgetEffects,
} from "./budget-adjustments/BudgetAdjustments.ts"
export {
  consoleReads,
  type ConsoleStatus,
  type DeliveryRequest,
  type ListedAlertMethod,
  type ListedSilence,
  listedSilence,
} from "./console/Console.ts"
export {
  objectiveRow,
  alertCoverage,
  type AlertCoverage,
  policyReachList,
  type PolicyReachList,
  overview,
  type Overview,
  overviewAlert,
  overviewObjective,
  overviewReads,
  recentDays,
  type OverviewObjective,
  type SloRow,
  type SloReliabilityList,
  type SloRowList,
  type SloTrendList,
  urgentRowsMax,
} from "./console/Overview.ts"
export {
  type Credential,
  credential,
  credentialList,
  credentials,
  credentialWithSecret,
  type CredentialWithSecret,
} from "./credentials/Credentials.ts"
export {
  dataSources,
  dataSourceStatus,
  type DataSourceStatus,
  type DataSourceTest,
} from "./data-sources/DataSources.ts"
export {
  attempt,
  type Attempt,
  deliveries,
  delivery,
  type Delivery,
  deliveryLog,
  type DeliveryLog,
} from "./deliveries/Deliveries.ts"
export {
  type Applied,
  applied,
  type AppliedDocument,
  definitions,
  type ObjectReference,
} from "./definitions/Definitions.ts"
export type { DefinitionDocument } from "@tocsin/domain"
export type { Warning } from "@tocsin/domain/codec"
export { bulkResend, type BulkResend, resendCount, type ResendCount, resends } from "./resends/Resends.ts"
export {
  generatedFormats,
  type GeneratedReport,
  type Report,
  reportFormats,
  reports,
  reportSummary,
  type ReportSummary,
  reportTypes,
} from "./reports/Reports.ts"
export {
  type Review,
  type ReviewReminders,
  type ReviewSummary,
  reviews,
  reviewSummary,
} from "./reports/Reviews.ts"
export { consoleSession, type ConsoleSession, session } from "./session/Session.ts"
export { type SilencePreview, silences } from "./silences/Silences.ts"
export {
  type StatusPageSubscription,
  statusPageSubscriptions,
} from "./status-pages/StatusPageSubscriptions.ts"
export { metrics } from "./slos/Metrics.ts"
export { accessTokens } from "./access/AccessTokens.ts"
export { health } from "./operator/Health.ts"
export { operator, operatorCredentials } from "./operator/Operator.ts"
export { count, isNoContent, noContent, optionalText } from "./operation/Fields.ts"
export type { ErrorBody } from "./openapi/ErrorResponses.ts"
export type { PathsOf } from "./operation/Paths.ts"
export { productVersion } from "./api/ProductVersion.ts"
export { type ApiOperations, resources } from "./api/Resources.ts"
export { publicKeys } from "./signing-keys/PublicKeys.ts"
export {
  organizationKeys,
  publicKey,
  publicKeyFields,
  signingKey,
  type SigningKey,
  type SigningKeys,
  signingKeys,
} from "./signing-keys/SigningKeys.ts"
export {
  type AlertDocument,
  alertDocument,
  alertReceipt,
  alerts,
  alertEvidence,
  type AlertEvidence,
  alertsPerListMax,
  alertStatusNames,
  heldAlert,
  type HeldAlert,
  heldAlerts,
  holdDetail,
  holdReason,
  resolutionReasons,
} from "./alerts/Alerts.ts"
export { counts, sloForecast, type SloForecast, sloSeries, type SloSeries } from "./slos/Counts.ts"
export { projectOfSlo, sloNameParam } from "./slos/SloParameters.ts"
export {
  indicators,
  indicatorState,
  type IndicatorState,
  indicatorTest,
  type IndicatorTest,
  indicatorTestProblem,
} from "./slos/Indicators.ts"
export { backfill, type Backfill, backfills } from "./slos/Backfills.ts"
export { openMetricsType, prometheusTextType, sloMetrics } from "./slos/SloMetrics.ts"
export { sloRecord, type SloRecord, sloRecordV1, status, statusV1 } from "./slos/Status.ts"
export {
  deletedDefinition,
  type DeletedDefinition,
  foundRevision,
  type FoundRevision,
  history,
  kindParam,
  revision,
  type Revision,
} from "./history/History.ts"
export {
  type ErrorCode,
  type ErrorCodeText,
  errorCodeTexts,
  failureReasonTexts,
  errorTopics,
  warningCodeTexts,
} from "./errors/ErrorCodes.ts"
