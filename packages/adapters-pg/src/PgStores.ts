import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as AlertStorePg from "./alerting/AlertStorePg.ts"
import * as AnnotationStorePg from "./slo/AnnotationStorePg.ts"
import * as BulkResendStorePg from "./delivery/BulkResendStorePg.ts"
import * as CountStorePg from "./slo/CountStorePg.ts"
import * as CredentialStorePg from "./access/CredentialStorePg.ts"
import * as DefinitionHistoryPg from "./definition/DefinitionHistoryPg.ts"
import * as DefinitionStorePg from "./definition/DefinitionStorePg.ts"
import * as DeliveryHints from "./delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "./delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "./delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "./delivery/EndpointStorePg.ts"
import * as IncidentStorePg from "./incident/IncidentStorePg.ts"
import * as IndicatorStorePg from "./slo/IndicatorStorePg.ts"
import * as PushedMetricStorePg from "./slo/PushedMetricStorePg.ts"
import * as Maintenance from "./Maintenance.ts"
import { type MigrationFailed, migrate, requireSchema } from "./migrations/Migrations.ts"
import * as PgDatabase from "./database/PgDatabase.ts"
import * as RateLimiterPg from "./access/RateLimiterPg.ts"
import * as BackfillStorePg from "./slo/BackfillStorePg.ts"
import * as ReportStorePg from "./slo/ReportStorePg.ts"
import * as ReviewStorePg from "./slo/ReviewStorePg.ts"
import * as SealedSecrets from "./access/SealedSecrets.ts"
import * as SigningKeyStorePg from "./access/SigningKeyStorePg.ts"
import * as SilenceNoticeStorePg from "./alerting/SilenceNoticeStorePg.ts"
import * as StatusPageSubscriptionStorePg from "./status-page/StatusPageSubscriptionStorePg.ts"
import * as SloStorePg from "./slo/SloStorePg.ts"
import { innermostMessage, isCertificateRejected, isTlsRefused } from "./database/PortOperation.ts"
import { checkImport } from "./transfer/ImportData.ts"
import * as WriteCheck from "./WriteCheck.ts"

/** A database, the limits of one process, and whether it may change the schema. */
export interface PgStoresOptions extends PgDatabase.PgDatabaseOptions {
  /** Whether to migrate the schema at start; default true. Otherwise a schema that is older is an error. */
  readonly migrates?: boolean
}

/**
 * All storage ports on one PostgreSQL database, which any number of processes may share.
 *
 * At start, the layer migrates the schema, checks the master key, and creates the current partitions. While the database
 * cannot be reached, it waits, and logs why at once and then every minute. What will never work fails at once, such as a
 * wrong password.
 *
 * Fails with `MigrationFailed`, `PostgresIsTooOld`, `SchemaIsNewer`, `SchemaIsOlder` (only without migrating),
 * `ImportIsIncomplete`, `ImportFailed`, `MasterKeyIsWrong` and `StoreIsUnavailable`.
 */
export const layer = ({ migrates = true, ...options }: PgStoresOptions) =>
  Layer.unwrap(
    (migrates ? migrate : requireSchema)(options.connection).pipe(
      Effect.tapErrorTag("MigrationFailed", makeWaitingLog()),
      Effect.retry({
        while: mayWorkLater,
        schedule: untilReachable,
      }),
      Effect.as(
        Layer.mergeAll(storesLayer, Maintenance.layer, WriteCheck.layer).pipe(
          Layer.provide(checkedDatabase(options)),
        ),
      ),
    ),
  )

/** Logs why the database cannot be used yet: at once, and then every minute. */
const makeWaitingLog = () => {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error: MigrationFailed): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (!mayWorkLater(error) || now - loggedAt < logEveryMs) return Effect.void
      loggedAt = now
      const reason = innermostMessage(error.cause)
      return Effect.annotateLogs(Effect.logWarning("Database is not available yet; retrying"), { reason })
    })
}

const logEveryMs = 60_000

const mayWorkLater = (error: object): boolean =>
  "isRetryable" in error &&
  error.isRetryable === true &&
  !("cause" in error && (isCertificateRejected(error.cause) || isTlsRefused(error.cause)))

const untilReachable = Schedule.spaced("1 second")

/**
 * The storage ports on a database of `PgDatabase.layer`, for hosts that migrate and maintain it themselves: without
 * migrations, checks and maintenance.
 */
export const storesLayer = Layer.mergeAll(
  AlertStorePg.layer,
  AnnotationStorePg.layer,
  BulkResendStorePg.layer,
  CountStorePg.layer,
  CredentialStorePg.layer,
  DefinitionHistoryPg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
  IncidentStorePg.layer,
  IndicatorStorePg.layer,
  PushedMetricStorePg.layer,
  RateLimiterPg.layer,
  BackfillStorePg.layer,
  ReportStorePg.layer,
  ReviewStorePg.layer,
  SealedSecrets.layer,
  SigningKeyStorePg.layer,
  SilenceNoticeStorePg.layer,
  SloStorePg.layer,
  StatusPageSubscriptionStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer))

const checkedDatabase = (options: PgDatabase.PgDatabaseOptions) =>
  Layer.effectDiscard(
    Effect.retry(Effect.andThen(checkImport, SealedSecrets.checkMasterKey), {
      while: (error) => mayWorkLater(error),
      schedule: untilReachable,
    }),
  ).pipe(Layer.provideMerge(PgDatabase.serverLayer(options)))
