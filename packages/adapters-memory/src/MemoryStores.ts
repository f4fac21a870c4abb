import * as Layer from "effect/Layer"
import * as AlertStoreMemory from "./alerting/AlertStoreMemory.ts"
import * as AnnotationStoreMemory from "./slo/AnnotationStoreMemory.ts"
import * as BulkResendStoreMemory from "./delivery/BulkResendStoreMemory.ts"
import * as CountStoreMemory from "./slo/CountStoreMemory.ts"
import * as CredentialStoreMemory from "./access/CredentialStoreMemory.ts"
import * as DefinitionHistoryMemory from "./definition/DefinitionHistoryMemory.ts"
import * as DefinitionStoreMemory from "./definition/DefinitionStoreMemory.ts"
import * as DeliveryLogMemory from "./delivery/DeliveryLogMemory.ts"
import * as DeliveryQueueMemory from "./delivery/DeliveryQueueMemory.ts"
import * as DeliveryTables from "./delivery/DeliveryTables.ts"
import * as EndpointStoreMemory from "./delivery/EndpointStoreMemory.ts"
import * as IncidentStoreMemory from "./incident/IncidentStoreMemory.ts"
import * as IndicatorStoreMemory from "./slo/IndicatorStoreMemory.ts"
import * as MemoryDatabase from "./definition/MemoryDatabase.ts"
import * as PushedMetricStoreMemory from "./slo/PushedMetricStoreMemory.ts"
import * as RateLimiterMemory from "./access/RateLimiterMemory.ts"
import * as BackfillStoreMemory from "./slo/BackfillStoreMemory.ts"
import * as ReportStoreMemory from "./slo/ReportStoreMemory.ts"
import * as ReviewStoreMemory from "./slo/ReviewStoreMemory.ts"
import * as SealedSecretsMemory from "./access/SealedSecretsMemory.ts"
import * as SilenceNoticeStoreMemory from "./alerting/SilenceNoticeStoreMemory.ts"
import * as SigningKeyStoreMemory from "./access/SigningKeyStoreMemory.ts"
import * as StatusPageSubscriptionStoreMemory from "./status-page/StatusPageSubscriptionStoreMemory.ts"
import * as SloStoreMemory from "./slo/SloStoreMemory.ts"

/** All storage ports in the memory of this process: each build of the layer is an empty database. */
export const layer = Layer.mergeAll(
  AlertStoreMemory.layer,
  AnnotationStoreMemory.layer,
  BulkResendStoreMemory.layer,
  CountStoreMemory.layer,
  CredentialStoreMemory.layer,
  DefinitionHistoryMemory.layer,
  DefinitionStoreMemory.layer,
  DeliveryLogMemory.layer,
  DeliveryQueueMemory.layer,
  EndpointStoreMemory.layer,
  IncidentStoreMemory.layer,
  IndicatorStoreMemory.layer,
  PushedMetricStoreMemory.layer,
  RateLimiterMemory.layer,
  BackfillStoreMemory.layer,
  ReportStoreMemory.layer,
  ReviewStoreMemory.layer,
  SealedSecretsMemory.layer,
  SigningKeyStoreMemory.layer,
  SilenceNoticeStoreMemory.layer,
  SloStoreMemory.layer,
  StatusPageSubscriptionStoreMemory.layer,
).pipe(Layer.provide(DeliveryTables.layer), Layer.provide(MemoryDatabase.layer))
