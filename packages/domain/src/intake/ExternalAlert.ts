import * as Result from "effect/Result"
import * as Data from "effect/Data"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { Limits } from "../Limits.ts"
import { type Alert, type AlertSubject, alertSubjectToKey, canceledAsDeleted } from "../alerting/Alert.ts"
import type { AlertChange, AlertsLookedUp } from "../alerting/AlertStore.ts"
import { conditionText } from "../alerting/ConditionText.ts"
import { AlertIsInvalid, type AlertRequest } from "./DecodeAlert.ts"
import { type AlertContext, resolutionRecipients, notifyMethods, unchanged } from "../alerting/NotifyAlert.ts"

/** All that the decision over a report needs, read and made before it. */
export interface ReportFacts extends AlertContext {
  readonly request: AlertRequest
  readonly issues: AlertIsInvalid["issues"]
  /** When it happened, in Unix milliseconds; as it came, where that is not known or cannot be. */
  readonly at: number
  readonly newAlertId: string
  /** As many as there can be deliveries. */
  readonly newDeliveryIds: ReadonlyArray<string>
  /** As `Alert.definedAt`. */
  readonly definedAt: number
  /** The methods to ring when it triggers. */
  readonly methods: ReadonlyArray<ProjectKey>
  /** Of the methods that the alert to resolve has rung: whether each asks for its end. */
  readonly sendsResolution: ReadonlyMap<string, boolean>
}

/** An alert is to be resolved that never was triggered, or is forgotten. */
export class AlertNotFound extends Data.TaggedError("AlertNotFound") {}

/** The alert rang other methods since they were read: read again. */
export class AlertHasChanged extends Data.TaggedError("AlertHasChanged") {}

/**
 * Decides what an alert from outside changes: it triggers one or resolves one, rings for it, or changes nothing.
 *
 * Fails with `AlertIsInvalid` or `AlertNotFound`, or with `AlertHasChanged`: then it is to be read again.
 */
export const decideReport = (
  facts: ReportFacts,
  lookedUp: AlertsLookedUp,
): Result.Result<AlertChange, AlertIsInvalid | AlertNotFound | AlertHasChanged> => {
  if (facts.issues.length > 0) return Result.fail(new AlertIsInvalid({ issues: facts.issues }))
  return facts.request.status === "triggered" ? trigger(facts, lookedUp) : resolve(facts, lookedUp)
}

/**
 * The alert that a report of its end means.
 *
 * An `alertId` alone names it, of whatever objective and policy, but of the same SLO. One that is not known can
 * be of a `triggered` that found the subject's alert open; not where an evaluator that numbers its alerts tells an end
 * from before the open one began.
 */
export const alertToResolve = (
  request: AlertRequest,
  { latest, withId }: AlertsLookedUp,
): Alert | undefined => {
  if (withId !== undefined && projectKeyText(withId.subject.slo) === projectKeyText(request.slo))
    return withId
  const { evaluation, at = Infinity } = request
  return evaluation !== undefined && latest !== undefined && at < latest.triggeredAt ? undefined : latest
}

/** What a reported alert is about. */
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
  { latest, withId }: AlertsLookedUp,
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
  const change = notifyMethods(facts, alert, facts.methods, facts.newDeliveryIds)
  return Result.succeed(
    open === undefined || open.id === alert.id ? change : { ...change, closed: closedBy(open, facts) },
  )
}

/** Rings for an alert of the evaluation that has rung nobody because of a silence. */
const notifySilenced = (facts: ReportFacts, silenced: Alert): AlertChange => {
  const { request, methods, newDeliveryIds } = facts
  const { isSilenced: _, ...open } = silenced
  const alert = { ...open, ...judgementOf(request), alertMethods: methods }
  return notifyMethods(facts, alert, methods, newDeliveryIds)
}

/** What the request itself says of how grave the alert is. */
const judgementOf = ({
  severity,
  conditions,
}: AlertRequest): Pick<Partial<Alert>, "severity" | "conditions"> => ({
  ...(severity !== undefined && { severity }),
  ...(conditions !== undefined && { conditions }),
})

/** Whether an evaluator that numbers its alerts has begun another one since, and so has ended the one that is open. */
const isFollowed = (open: Alert, { request, newAlertId, at }: ReportFacts): boolean =>
  request.evaluation !== undefined && open.id !== newAlertId && at > open.triggeredAt

const closedBy = (open: Alert, { definedAt, at }: ReportFacts): Alert =>
  open.definedAt === definedAt ? { ...open, status: "resolved", resolvedAt: at } : canceledAsDeleted(open, at)

const resolve = (
  facts: ReportFacts,
  lookedUp: AlertsLookedUp,
): Result.Result<AlertChange, AlertIsInvalid | AlertNotFound | AlertHasChanged> => {
  const { request, sendsResolution } = facts
  const alert = alertToResolve(request, lookedUp)
  if (alert === undefined) return Result.fail(new AlertNotFound())
  const { reason, ...open } = alert
  // Nobody was told the end of an alert that ended with its SLO.
  if (alert.status !== "triggered" && reason !== "deleted") return Result.succeed(unchanged(alert.id))
  if (facts.at < alert.triggeredAt - Limits.alertMaxAheadMs) {
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
