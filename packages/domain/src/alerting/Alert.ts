import { severities } from "../alert-policy/AlertPolicy.ts"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import { objectName, projectKey, sloName } from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"

/**
 * How far ahead of the server's clock the time of an alert from outside may be, and its end before its begin, in
 * milliseconds. */
export const alertMaxAheadMs = 300_000

/**
 * The states of an alert: open while `triggered`, `resolved` when its conditions are no longer met, `canceled` when they
 * no longer apply (`CancelReason`).
 */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

export type AlertStatus = (typeof alertStatuses)[number]

/**
 * Why an alert can be canceled: its policy's conditions, cool-down or severity changed, or how its objective counts; a
 * new calendar window began; the policy or the objective was removed from the SLO; or a definition was deleted.
 */
export const cancelReasons = ["policy_changed", "slo_changed", "window_ended", "detached", "deleted"] as const

export type CancelReason = (typeof cancelReasons)[number]

export type AnomalyType = "NoData"

const anomalyType = literals<AnomalyType>(["NoData"])

const alertSubject = object({
  slo: projectKey(sloName),
  objective: exactOptional(anyString),
  alertPolicy: exactOptional(projectKey(objectName)),
  evaluation: exactOptional(anyString),
  anomaly: exactOptional(anomalyType),
})

/**
 * What an alert is about. There is at most one open alert of a subject.
 *
 * Without a policy, `evaluation` distinguishes the alerts of an external evaluator: the ID that it sent, if any.
 */
export type AlertSubject = TypeOf<typeof alertSubject>

const anomaly = object({
  type: anomalyType,
  /** The longest time without counts, as written in the policy. */
  alertAfter: anyString,
})

/** Counts of an objective are missing. */
export type Anomaly = TypeOf<typeof anomaly>

const time = number({})

const alert = object({
  /** A UUIDv7, or the ID from an external evaluator. */
  id: anyString,
  subject: alertSubject,
  status: literals(alertStatuses),
  /** Of a canceled alert. */
  reason: exactOptional(literals(cancelReasons)),
  severity: exactOptional(literals(severities)),
  /** One text per condition. */
  conditions: list(anyString),
  /**
   * When its SLO was created, or its policy where that is younger, in Unix milliseconds. An alert of a definition that
   * was deleted and created again has another time than theirs.
   */
  definedAt: time,
  /** The alert methods notified; those with `sendResolution` are notified of the resolution too. */
  alertMethods: list(projectKey(objectName)),
  /** Whether no alert method was notified because of a silence. */
  isSilenced: exactOptional(boolean),
  /**
   * When the events happened by the clock, in Unix milliseconds; `resolvedAt` is the end of a canceled alert too, and no
   * earlier than `triggeredAt`.
   */
  triggeredAt: time,
  resolvedAt: exactOptional(time),
  /** The starts of the objective's latest minutes with counts then, in Unix milliseconds. */
  triggeredMetricAt: exactOptional(time),
  resolvedMetricAt: exactOptional(time),
  /** Set on an alert about the data itself. */
  anomaly: exactOptional(anomaly),
})

/** A period in which an objective met the conditions of an alert policy, and the alert methods notified of it. */
export type Alert = TypeOf<typeof alert>

/** The stored form of an alert. */
export const storedAlert = stored(alert, [])

/** An open alert once one of its definitions is deleted, at `now` (Unix milliseconds). */
export const canceledAsDeleted = (alert: Alert, now: number): Alert => ({
  ...alert,
  status: "canceled",
  reason: "deleted",
  resolvedAt: Math.max(now, alert.triggeredAt),
})

/** A text that is the same for the same subject and for no other. Names and IDs have no blanks. */
export const alertSubjectToKey = ({
  slo,
  objective,
  alertPolicy,
  evaluation,
  anomaly,
}: AlertSubject): string =>
  [
    projectKeyText(slo),
    objective ?? "",
    alertPolicy === undefined ? "" : projectKeyText(alertPolicy),
    evaluation ?? "",
    ...(anomaly === undefined ? [] : [anomaly]),
  ].join(" ")
