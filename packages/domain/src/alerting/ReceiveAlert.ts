import { Clock, Data, Effect, Option } from "effect"
import {
  type DefinitionOf,
  type Kind,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../definition/Definition.ts"
import {
  DefinitionStore,
  type DefinitionStoreIsUnavailable,
  type StoredDefinition,
} from "../definition/DefinitionStore.ts"
import { entryPath, IssueList } from "../definition/Issue.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import type { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { err, ok, type Result, resultToEffect } from "../Result.ts"
import { Sha256 } from "../signature/Sha256.ts"
import type { Slo } from "../slo/Slo.ts"
import { type Alert, type AlertSubject, alertSubjectToKey, canceledAsDeleted } from "./Alert.ts"
import type { AlertPolicy } from "./AlertPolicy.ts"
import {
  type AlertChange,
  type AlertReceipt,
  type AlertsFound,
  AlertStore,
  type AlertStoreIsUnavailable,
  type Idempotency,
  type IdempotencyKeyIsReused,
} from "./AlertStore.ts"
import { conditionText } from "./ConditionText.ts"
import { AlertIsInvalid, type AlertRequest, decodeAlert } from "./DecodeAlert.ts"
import { parseIdempotencyKey } from "./IdempotencyKey.ts"
import { type AlertContext, readAsksForEnd, ringing, unchanged } from "./RingAlert.ts"

/** An alert from outside, as header and body say it. */
export interface ReceiveAlertRequest {
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined
  /** The body, parsed from JSON. */
  readonly body: unknown
}

/** An alert is to be resolved that never was triggered, or is forgotten. Source: decision 0601. */
export class AlertNotFound extends Data.TaggedError("AlertNotFound") {}

/**
 * Takes an alert that an outside evaluator reports, and rings.
 *
 * `triggered` opens an alert and rings the alert methods listed, or its policy's; when one of the same SLO, objective
 * and policy is open, it rings nobody. `resolved` ends it and tells those that were rung and ask for it
 * (`sendResolution`); a second one tells nobody. When this succeeds, the alert and its deliveries are stored.
 *
 * An alert without a policy is told apart by its `alertId`. A `resolved` with an `alertId` needs no policy; with one it
 * ends the policy's alert where the ID is not known, as when another ID was open at `triggered`. An open alert whose SLO
 * or policy was deleted and created again is ended without a word by the next `triggered`.
 *
 * Fails with `AlertIsInvalid`, `AlertNotFound` or `IdempotencyKeyIsReused`.
 *
 * Source: decisions 0301, 0307 and 0601.
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
  | AlertStoreIsUnavailable
  | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore | Sha256
> =>
  Effect.gen(function* () {
    const { sha256Base64 } = yield* Sha256
    const key = yield* resultToEffect(parseIdempotencyKey(idempotencyKey))
    const request = yield* resultToEffect(decodeAlert(body))
    if (key === undefined) return yield* receiveAlertRequest(organization, request)
    const fingerprint = sha256Base64(encoder.encode(JSON.stringify(request)))
    return yield* receiveOnce(organization, request, { key, fingerprint })
  })

/** Takes an alert that is read already, as `receiveAlert` does; nothing but its own ID tells it from another. */
export const receiveAlertRequest = (
  organization: OrganizationId,
  request: AlertRequest,
): Effect.Effect<
  AlertReceipt,
  AlertIsInvalid | AlertNotFound | AlertStoreIsUnavailable | DefinitionStoreIsUnavailable,
  AlertStore | DefinitionStore
> => Effect.catchTag(receiveOnce(organization, request, undefined), "IdempotencyKeyIsReused", Effect.die)

const receiveOnce = (
  organization: OrganizationId,
  request: AlertRequest,
  idempotency: Idempotency | undefined,
) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const facts = yield* readFacts(organization, request)
    const reads = { subject: subjectOf(request), id: request.alertId }
    const decide = (
      found: AlertsFound,
    ): Result<AlertChange, AlertIsInvalid | AlertNotFound | AlertHasChanged> => {
      if (facts.issues.length > 0) return err(new AlertIsInvalid({ issues: facts.issues }))
      return request.status === "triggered" ? trigger(facts, found) : resolve(facts, found)
    }
    return yield* store.change(organization, reads, idempotency, decide)
  }).pipe(
    Effect.retry({ while: (error) => error._tag === "AlertHasChanged" }),
    Effect.catchTag("AlertHasChanged", Effect.die),
  )

/** The alert rang other methods since they were read: read again. */
class AlertHasChanged extends Data.TaggedError("AlertHasChanged") {}

/** All that a decision needs, read and made before it. */
interface Facts extends AlertContext {
  readonly request: AlertRequest
  readonly issues: AlertIsInvalid["issues"]
  readonly at: number
  readonly newAlertId: string
  /** As many as there can be deliveries. */
  readonly newDeliveryIds: ReadonlyArray<string>
  readonly definedAt: number
  /** The methods to ring when it triggers. */
  readonly methods: ReadonlyArray<ProjectKey>
  /** Of the methods that the alert to resolve has rung: whether each asks for its end. */
  readonly asksForEnd: ReadonlyMap<string, boolean>
}

const readFacts = (organization: OrganizationId, request: AlertRequest) =>
  Effect.gen(function* () {
    const expected = yield* findToResolve(organization, request)
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
    const asksForEnd = yield* readAsksForEnd(organization, expected?.alertMethods ?? [])
    return {
      request,
      organization,
      // An alert that is there can be resolved, whatever was deleted since.
      issues: expected === undefined ? yield* findIssues(organization, request, slo, policy) : [],
      at: request.at ?? (yield* Clock.currentTimeMillis),
      newAlertId: request.alertId ?? (yield* uuidV7),
      newDeliveryIds: yield* Effect.replicateEffect(uuidV7, Math.max(methods.length, asksForEnd.size)),
      slo,
      service,
      policy,
      definedAt: Math.max(storedSlo?.createdAt ?? 0, storedPolicy?.createdAt ?? 0),
      methods,
      asksForEnd,
    } satisfies Facts
  })

const findToResolve = (organization: OrganizationId, request: AlertRequest) =>
  Effect.gen(function* () {
    if (request.status === "triggered") return undefined
    const reads = { subject: subjectOf(request), id: request.alertId }
    return alertToResolve(request, yield* (yield* AlertStore).find(organization, reads))
  })

const findDefinition = <K extends Kind>(
  organization: OrganizationId,
  kind: K,
  key: ProjectKey,
): Effect.Effect<
  StoredDefinition<DefinitionOf<K>> | undefined,
  DefinitionStoreIsUnavailable,
  DefinitionStore
> =>
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
      issues.add(path, "not_found", `must name ${what} that exists`)
    if (slo === undefined) notFound("slo", "an SLO")
    else if (objective !== undefined && slo.spec.objectives.every(({ name }) => name !== objective)) {
      notFound("objective", "an objective of the SLO")
    }
    if (alertPolicy !== undefined && policy === undefined) notFound("alertPolicy", "an alert policy")
    for (const [index, method] of alertMethods.entries()) {
      const found = yield* findDefinition(organization, "AlertMethod", method)
      if (found === undefined) notFound(entryPath("alertMethods", index), "an alert method")
    }
    return issues.sorted()
  })

const trigger = (facts: Facts, { latest, withId }: AlertsFound): Result<AlertChange, AlertIsInvalid> => {
  const { request } = facts
  const subject = subjectOf(request)
  const open = latest?.status === "triggered" ? latest : undefined
  const isOver = open !== undefined && isFollowed(open, facts)
  if (open?.definedAt === facts.definedAt && !isOver) return ok(unchanged(open.id))
  if (withId !== undefined && alertSubjectToKey(withId.subject) !== alertSubjectToKey(subject)) {
    const message = "must not be the ID of an alert of another SLO, objective or policy"
    return err(new AlertIsInvalid({ issues: [{ path: "alertId", code: "duplicate", message }] }))
  }
  const severity = request.severity ?? facts.policy?.spec.severity
  const alert: Alert = {
    id: facts.newAlertId,
    subject,
    status: "triggered",
    ...(severity !== undefined && { severity }),
    conditions: request.conditions ?? facts.policy?.spec.conditions.map(conditionText) ?? [],
    definedAt: facts.definedAt,
    alertMethods: facts.methods,
    triggeredAt: facts.at,
  }
  const change = ringing(facts, alert, facts.methods, facts.newDeliveryIds)
  return ok(open === undefined || open.id === alert.id ? change : { ...change, ended: endOf(open, facts) })
}

/** Whether an evaluator that numbers its alerts has begun another one since, and so has ended the one that is open. */
const isFollowed = (open: Alert, { request, newAlertId, at }: Facts): boolean =>
  request.evaluation !== undefined && open.id !== newAlertId && at > open.triggeredAt

const endOf = (open: Alert, { definedAt, at }: Facts): Alert =>
  open.definedAt === definedAt ? { ...open, status: "resolved", resolvedAt: at } : canceledAsDeleted(open, at)

const resolve = (facts: Facts, found: AlertsFound): Result<AlertChange, AlertNotFound | AlertHasChanged> => {
  const { request, asksForEnd } = facts
  const alert = alertToResolve(request, found)
  if (alert === undefined) return err(new AlertNotFound())
  const { reason, ...open } = alert
  // Nobody was told the end of an alert that ended with its SLO.
  if (alert.status !== "triggered" && reason !== "deleted") return ok(unchanged(alert.id))
  if (alert.alertMethods.some((method) => !asksForEnd.has(projectKeyText(method))))
    return err(new AlertHasChanged())
  const resolved: Alert = {
    ...open,
    status: "resolved",
    ...(request.severity !== undefined && { severity: request.severity }),
    ...(request.conditions !== undefined && { conditions: request.conditions }),
    resolvedAt: facts.at,
  }
  const methods = alert.alertMethods.filter((method) => asksForEnd.get(projectKeyText(method)) === true)
  return ok(ringing(facts, resolved, methods, facts.newDeliveryIds))
}

/**
 * An `alertId` alone names the alert, of whatever objective and policy, but of the same SLO. One that is not known can
 * be of a `triggered` that found the subject's alert open; not where an evaluator that numbers its alerts tells an end
 * from before the open one began.
 */
const alertToResolve = (request: AlertRequest, { latest, withId }: AlertsFound): Alert | undefined => {
  if (withId !== undefined && projectKeyText(withId.subject.slo) === projectKeyText(request.slo))
    return withId
  const { evaluation, at = Infinity } = request
  return evaluation !== undefined && latest !== undefined && at < latest.triggeredAt ? undefined : latest
}

const subjectOf = ({ slo, objective, alertPolicy, alertId, evaluation }: AlertRequest): AlertSubject => {
  const told = evaluation ?? (alertPolicy === undefined ? alertId : undefined)
  return {
    slo,
    ...(objective !== undefined && { objective }),
    ...(alertPolicy !== undefined && { alertPolicy }),
    ...(told !== undefined && { evaluation: told }),
  }
}

const encoder = new TextEncoder()
