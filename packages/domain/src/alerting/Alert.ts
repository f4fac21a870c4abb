import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Severity } from "../alert-policy/AlertPolicy.ts"

/**
 * How far ahead of the server's clock the time of an alert from outside may be, and its end before its begin, in
 * milliseconds. */
export const alertMaxAheadMs = 300_000

/**
 * `triggered` is open; `resolved`: the conditions are no longer met; `canceled`: they no longer apply
 * (`CancelReason`).
 */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

export type AlertStatus = (typeof alertStatuses)[number]

/**
 * The policy's conditions, cool-down or severity changed; the objective's budgeting changed; a new calendar window
 * began; the policy or objective was removed from the SLO; a definition was deleted.
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
   * Creation of the SLO or of its policy, whichever is later, in Unix milliseconds. Differs after a definition was
   * deleted and created again.
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

export interface Anomaly {
  readonly type: AnomalyType
  /** The longest time without counts, as written in the policy. */
  readonly alertAfter: string
}

export type AnomalyType = "NoData"

/**
 * The subject of an alert; it has at most one open alert.
 *
 * Without a policy, `evaluation` distinguishes alerts of an external evaluator: the ID that it sent, if any.
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

/** Unique for each subject, because names and IDs have no spaces. */
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
