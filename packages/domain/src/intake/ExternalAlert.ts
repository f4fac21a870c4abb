import * as Result from "effect/Result"
import { TaggedError } from "../TaggedError.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import {
  alertMaxAheadMs,
  type Alert,
  type AlertSubject,
  alertSubjectToKey,
  canceledAsDeleted,
} from "../alerting/Alert.ts"
import { type AlertChange, type AlertLookupResult, AlertNotFound } from "../alerting/AlertStore.ts"
import { conditionsRecord, recordOf } from "../alerting/AlertRecord.ts"
import { policyConditions, policyConditionTexts } from "../alert-policy/ConditionText.ts"
import { AlertIsInvalid, type AlertRequest } from "./DecodeAlert.ts"
import { type AlertContext, resolutionRecipients, notifyMethods, unchanged } from "../alerting/NotifyAlert.ts"

export interface ReportFacts extends AlertContext {
  readonly request: AlertRequest
  readonly issues: AlertIsInvalid["issues"]
  /** When it happened, in Unix milliseconds; the time of receipt if that is missing or too far ahead. */
  readonly at: number
  readonly newAlertId: string
  /** One for each possible delivery. */
  readonly newDeliveryIds: ReadonlyArray<string>
  /** As `Alert.definedAt`. */
  readonly definedAt: number
  readonly methods: ReadonlyArray<ProjectKey>
  /** For each method notified of the alert to resolve: its `sendResolution`. */
  readonly sendsResolution: ReadonlyMap<string, boolean>
}

/** The alert notified other methods since they were read, or its SLO was deleted or moved; read again. */
export class AlertHasChanged extends TaggedError("AlertHasChanged") {}

/**
 * Decides what an external report changes: it triggers, notifies of or resolves an alert, or changes nothing.
 *
 * Fails with `AlertIsInvalid` or `AlertNotFound`, or with `AlertHasChanged` if the facts must be read again.
 */
export const decideReport = (
  facts: ReportFacts,
  lookedUp: AlertLookupResult,
): Result.Result<AlertChange, AlertIsInvalid | AlertNotFound | AlertHasChanged> => {
  if (facts.issues.length > 0) return Result.fail(new AlertIsInvalid({ issues: facts.issues }))
  return facts.request.status === "triggered" ? trigger(facts, lookedUp) : resolve(facts, lookedUp)
}

/**
 * The alert that a `resolved` report refers to.
 *
 * An `alertId` identifies it within the SLO. An unknown `alertId` refers to the subject's latest alert, which its
 * `triggered` may have found open, unless the report has an evaluation and is older than that alert.
 */
export const alertToResolve = (
  request: AlertRequest,
  { latest, withId }: AlertLookupResult,
): Alert | undefined => {
  if (withId !== undefined && projectKeyText(withId.subject.slo) === projectKeyText(request.slo))
    return withId
  const { evaluation, at = Infinity } = request
  return evaluation !== undefined && latest !== undefined && at < latest.triggeredAt ? undefined : latest
}

export const reportedSubject = ({
  slo,
  objective,
  alertPolicy,
  alertId,
  evaluation,
}: AlertRequest): AlertSubject => {
  const evaluationId = evaluation ?? (alertPolicy === undefined ? alertId : undefined)
  return {
    slo,
    ...(objective !== undefined && { objective }),
    ...(alertPolicy !== undefined && { alertPolicy }),
    ...(evaluationId !== undefined && { evaluation: evaluationId }),
  }
}

const trigger = (
  facts: ReportFacts,
  { latest, withId }: AlertLookupResult,
): Result.Result<AlertChange, AlertIsInvalid> => {
  const { request } = facts
  const subject = reportedSubject(request)
  const open = latest?.status === "triggered" ? latest : undefined
  const isOver = open !== undefined && isFollowed(open, facts)
  if (open?.definedAt === facts.definedAt && !isOver) {
    return Result.succeed(open.isSilenced === true ? notifySilenced(facts, open) : unchanged(open.id))
  }
  if (withId !== undefined && alertSubjectToKey(withId.subject) !== alertSubjectToKey(subject)) {
    const message = "must not be the ID of an alert of another SLO, objective or policy"
    return Result.fail(new AlertIsInvalid({ issues: [{ path: "alertId", code: "duplicate", message }] }))
  }
  const severity = request.severity ?? facts.policy?.spec.severity ?? request.defaultSeverity
  const alert: Alert = {
    id: facts.newAlertId,
    subject,
    status: "triggered",
    ...(severity !== undefined && { severity }),
    ...conditionsOf(facts),
    ...recordOf(facts, subject),
    definedAt: facts.definedAt,
    alertMethods: facts.methods,
    triggeredAt: facts.at,
  }
  const change = notifyMethods(facts, alert, facts.methods, facts.newDeliveryIds)
  return Result.succeed(
    open === undefined || open.id === alert.id ? change : { ...change, closed: closedBy(open, facts) },
  )
}

/** The conditions that the request sent, or else those of the policy, whichever group they are in. */
const conditionsOf = ({ request, policy }: ReportFacts): Pick<Alert, "conditions" | "policyConditions"> => {
  if (request.conditions !== undefined) return { conditions: request.conditions }
  if (policy === undefined) return { conditions: [] }
  return policy.spec.sreWorkbook === undefined
    ? conditionsRecord(policyConditions(policy).map((condition) => ({ condition, metSince: undefined })))
    : { conditions: policyConditionTexts(policy) }
}

/** Notifies of an open alert that was silenced so far. */
const notifySilenced = (facts: ReportFacts, silenced: Alert): AlertChange => {
  const { request, methods, newDeliveryIds } = facts
  const { isSilenced: _, ...open } = silenced
  const alert = { ...open, ...judgementOf(request), alertMethods: methods }
  return notifyMethods(facts, alert, methods, newDeliveryIds)
}

/** The severity and conditions of the request, where given. */
const judgementOf = ({
  severity,
  conditions,
}: AlertRequest): Pick<Partial<Alert>, "severity" | "conditions"> => ({
  ...(severity !== undefined && { severity }),
  ...(conditions !== undefined && { conditions }),
})

/** Whether the evaluation has started a later alert, which implies that the open one is resolved. */
const isFollowed = (open: Alert, { request, newAlertId, at }: ReportFacts): boolean =>
  request.evaluation !== undefined && open.id !== newAlertId && at > open.triggeredAt

const closedBy = (open: Alert, { definedAt, at }: ReportFacts): Alert =>
  open.definedAt === definedAt ? { ...open, status: "resolved", resolvedAt: at } : canceledAsDeleted(open, at)

const resolve = (
  facts: ReportFacts,
  lookedUp: AlertLookupResult,
): Result.Result<AlertChange, AlertIsInvalid | AlertNotFound | AlertHasChanged> => {
  const { request, sendsResolution } = facts
  const alert = alertToResolve(request, lookedUp)
  if (alert === undefined) return Result.fail(new AlertNotFound())
  const { reason, ...open } = alert
  // No resolution was sent for an alert that was canceled because its SLO was deleted.
  if (alert.status !== "triggered" && reason !== "deleted") return Result.succeed(unchanged(alert.id))
  if (facts.at < alert.triggeredAt - alertMaxAheadMs) {
    const message = `must not be before the alert triggered, at ${new Date(alert.triggeredAt).toISOString()}`
    return Result.fail(new AlertIsInvalid({ issues: [{ path: "at", code: "out_of_range", message }] }))
  }
  const methods = resolutionRecipients(alert, sendsResolution)
  if (methods === undefined) return Result.fail(new AlertHasChanged())
  const resolved: Alert = {
    ...open,
    status: "resolved",
    ...judgementOf(request),
    resolvedAt: Math.max(facts.at, alert.triggeredAt),
  }
  return Result.succeed(notifyMethods(facts, resolved, methods, facts.newDeliveryIds))
}
