import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import type { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { Sha256 } from "../signature/Sha256.ts"
import { objectiveNameRule } from "../slo/ObjectiveNameRule.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import { countAlertChanges, withTraceparent } from "../alerting/AlertChanges.ts"
import { noteRejection } from "../rate-limit/RejectedOrganizations.ts"
import { currentTraceparent } from "../telemetry/Tracing.ts"
import {
  type AlertChange,
  type AlertLookupResult,
  type AlertNotFound,
  type AlertReceipt,
  AlertStore,
  type Idempotency,
  type IdempotencyKeyIsReused,
} from "../alerting/AlertStore.ts"
import { type AlertIsInvalid, type AlertRequest, decodeAlert } from "./DecodeAlert.ts"
import { parseIdempotencyKey } from "./IdempotencyKey.ts"
import {
  AlertHasChanged,
  alertToResolve,
  decideReport,
  type ReportFacts,
  reportedSubject,
} from "./ExternalAlert.ts"
import { readAlertMethods, readSendsResolution } from "../alerting/NotifyAlert.ts"
import { alertMaxAheadMs } from "../alerting/Alert.ts"
import {
  checkNotificationsQuota,
  enforceAlertsQuota,
  enforceDeliveriesQuota,
  type NotificationsQuotaIsExceeded,
  Quotas,
} from "../quota/Quotas.ts"
import type { RateLimiter, RateLimitIsExceeded } from "../rate-limit/RateLimiter.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { DefinitionOf, Kind } from "../definition/Kinds.ts"

export interface ReceiveAlertRequest {
  readonly idempotencyKey?: string | undefined
  readonly body: unknown
}

/**
 * Accepts an alert from an external evaluator and stores the deliveries of its notifications.
 *
 * `triggered` opens an alert and notifies the listed alert methods, or those of its policy. If an alert of the same
 * SLO, objective and policy is open, it notifies only if that alert was silenced so far. `resolved` resolves the
 * alert and notifies the notified methods that have `sendResolution`; repeated, it changes nothing.
 *
 * Without a policy, `alertId` distinguishes alerts. A `resolved` with an `alertId` needs no policy; with a policy and
 * an unknown ID it resolves the policy's alert. The next `triggered` cancels an open alert whose SLO or policy was
 * deleted and created again.
 *
 * Fails with `RateLimitIsExceeded` beyond the organization's quota of alerts or of deliveries, and with
 * `NotificationsQuotaIsExceeded` beyond that of stored notifications; nothing is stored then.
 */
export const receiveAlert = (
  organization: OrganizationId,
  { idempotencyKey, body }: ReceiveAlertRequest,
): Effect.Effect<
  AlertReceipt,
  | AlertIsInvalid
  | AlertNotFound
  | IdempotencyKeyIsReused
  | ParameterIsInvalid
  | StoreIsUnavailable
  | NotificationsQuotaIsExceeded
  | RateLimitIsExceeded,
  AlertStore | DefinitionStore | RateLimiter | Sha256
> =>
  Effect.gen(function* () {
    yield* enforceAlertsQuota(organization, 1)
    const { sha256Base64 } = yield* Sha256
    const key = yield* Effect.fromResult(parseIdempotencyKey(idempotencyKey))
    const request = yield* Effect.fromResult(decodeAlert(body, yield* Clock.currentTimeMillis))
    if (key === undefined) return yield* receiveAlertRequest(organization, request)
    const fingerprint = sha256Base64(encoder.encode(JSON.stringify(request)))
    return yield* receiveOnce(organization, request, { key, fingerprint })
  })

/** Accepts a decoded alert that counts toward the quota of alerts, as `receiveAlert` does, without an idempotency key. */
export const receiveAlertRequest = (
  organization: OrganizationId,
  request: AlertRequest,
): Effect.Effect<
  AlertReceipt,
  AlertIsInvalid | AlertNotFound | StoreIsUnavailable | NotificationsQuotaIsExceeded | RateLimitIsExceeded,
  AlertStore | DefinitionStore | RateLimiter
> => Effect.catchTag(receiveOnce(organization, request, undefined), "IdempotencyKeyIsReused", Effect.die)

const receiveOnce = (
  organization: OrganizationId,
  request: AlertRequest,
  idempotency: Idempotency | undefined,
) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const reads = { subject: reportedSubject(request), id: request.alertId }
    const lookedUp = yield* store.find(organization, reads)
    const facts = yield* readFacts(organization, request, lookedUp)
    // Decided before the transaction, which decides again: an alert that is reported again causes no delivery.
    const expected = Result.getOrUndefined(decideReport(facts, lookedUp))
    const deliveries = expected?.event?.deliveries.length ?? 0
    if (deliveries > 0) {
      const stored = yield* store.storedNotifications(organization)
      yield* Effect.tapError(Effect.fromResult(checkNotificationsQuota(stored, yield* Quotas)), () =>
        noteRejection(organization, "notifications"),
      )
    }
    yield* enforceDeliveriesQuota(organization, deliveries)
    const traceparent = yield* currentTraceparent
    let decided: AlertChange | undefined
    const receipt = yield* store.change(organization, reads, idempotency, (found, isSloStored) =>
      Result.flatMap(decideReport(facts, found), (change) => {
        // The SLO was deleted or moved since the facts were read.
        if (change.put?.status === "triggered" && !isSloStored) return Result.fail(new AlertHasChanged())
        decided = withTraceparent(change, traceparent)
        return Result.succeed(decided)
      }),
    )
    // A request that is repeated gets the receipt of the first, and decides nothing.
    if (decided !== undefined) yield* countAlertChanges([decided], "external")
    return receipt
  }).pipe(Effect.retry({ while: (error) => error._tag === "AlertHasChanged" }))

const readFacts = (organization: OrganizationId, request: AlertRequest, lookedUp: AlertLookupResult) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const expected = request.status === "triggered" ? undefined : alertToResolve(request, lookedUp)
    const storedSlo = yield* findDefinition(organization, "SLO", request.slo)
    const slo = storedSlo?.definition
    const service =
      slo &&
      (yield* findDefinition(organization, "Service", {
        project: slo.metadata.project,
        name: slo.spec.service,
      }))?.definition
    const policyKey = request.alertPolicy ?? expected?.subject.alertPolicy
    const storedPolicy = policyKey && (yield* findDefinition(organization, "AlertPolicy", policyKey))
    const policy = storedPolicy?.definition
    const methods = request.alertMethods ?? policy?.spec.alertMethods ?? []
    const sendsResolution = yield* readSendsResolution(organization, expected?.alertMethods ?? [])
    return {
      request,
      organization,
      // An existing alert can be resolved even if definitions were deleted since.
      issues: expected === undefined ? yield* findIssues(organization, request, slo, policy) : [],
      at: request.at === undefined || request.at > now + alertMaxAheadMs ? now : request.at,
      newAlertId: request.alertId ?? (yield* uuidV7),
      newDeliveryIds: yield* Effect.replicateEffect(uuidV7, Math.max(methods.length, sendsResolution.size)),
      slo,
      service,
      policy,
      definedAt: Math.max(storedSlo?.createdAt ?? 0, storedPolicy?.createdAt ?? 0),
      methods,
      sendsResolution,
    } satisfies ReportFacts
  })

const findDefinition = <K extends Kind>(
  organization: OrganizationId,
  kind: K,
  key: ProjectKey,
): Effect.Effect<StoredDefinition<DefinitionOf<K>> | undefined, StoreIsUnavailable, DefinitionStore> =>
  Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(store.find(organization, kind, key), Option.getOrUndefined),
  )

const findIssues = (
  organization: OrganizationId,
  { objective, alertPolicy, alertMethods = [] }: AlertRequest,
  slo: Slo | undefined,
  policy: AlertPolicy | undefined,
) =>
  Effect.gen(function* () {
    const issues = new IssueList()
    const notFound = (path: string, what: string): undefined =>
      issues.add(path, "not_found", `must name ${what} that exists; check the name and the project`)
    if (slo === undefined) notFound("slo", "an SLO")
    else if (objective !== undefined && objectivesOf(slo).every(({ name }) => name !== objective)) {
      const rule = objectiveNameRule(objectivesOf(slo).map(({ name }) => name))
      issues.add("objective", "not_found", rule)
    }
    if (alertPolicy !== undefined && policy === undefined) notFound("alertPolicy", "an alert policy")
    const methodByKey = yield* readAlertMethods(organization, alertMethods)
    for (const [index, method] of alertMethods.entries()) {
      if (!methodByKey.has(projectKeyText(method)))
        notFound(entryPath("alertMethods", index), "an alert method")
    }
    return issues.sorted()
  })

const encoder = new TextEncoder()
