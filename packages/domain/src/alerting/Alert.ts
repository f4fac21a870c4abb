import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Severity } from "../alert-policy/AlertPolicy.ts"

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

/** A period in which an objective met the conditions of an alert policy, and the alert methods notified of it. */
export interface Alert {
  /** A UUIDv7, or the ID from an external evaluator. */
  readonly id: string
  readonly subject: AlertSubject
  readonly status: AlertStatus
  /** Of a canceled alert. */
  readonly reason?: CancelReason
  readonly severity?: Severity
  /** One text per condition. */
  readonly conditions: ReadonlyArray<string>
  /**
   * When its SLO was created, or its policy where that is younger, in Unix milliseconds. An alert of a definition that
   * was deleted and created again has another time than theirs.
   */
  readonly definedAt: number
  /** The alert methods notified; those with `sendResolution` are notified of the resolution too. */
  readonly alertMethods: ReadonlyArray<ProjectKey>
  /** Whether no alert method was notified because of a silence. */
  readonly isSilenced?: boolean
  /**
   * When the events happened by the clock, in Unix milliseconds; `resolvedAt` is the end of a canceled alert too, and no
   * earlier than `triggeredAt`.
   */
  readonly triggeredAt: number
  readonly resolvedAt?: number
  /** The starts of the objective's latest minutes with counts then, in Unix milliseconds. */
  readonly triggeredMetricAt?: number
  readonly resolvedMetricAt?: number
  /** Set on an alert about the data itself. */
  readonly anomaly?: Anomaly
}

/** Counts of an objective are missing. */
export interface Anomaly {
  readonly type: AnomalyType
  /** The longest time without counts, as written in the policy. */
  readonly alertAfter: string
}

export type AnomalyType = "NoData"

/**
 * What an alert is about. There is at most one open alert of a subject.
 *
 * Without a policy, `evaluation` distinguishes the alerts of an external evaluator: the ID that it sent, if any.
 */
export interface AlertSubject {
  readonly slo: ProjectKey
  readonly objective?: string
  readonly alertPolicy?: ProjectKey
  readonly evaluation?: string
  readonly anomaly?: AnomalyType
}

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
