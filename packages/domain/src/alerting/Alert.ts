import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Severity } from "../alert-policy/AlertPolicy.ts"

/**
 * The states of an alert: it is open while `triggered`, `resolved` when its cause is over, and `canceled` when it is
 * void (`CancelReason`).
 */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

/** One state of an alert. */
export type AlertStatus = (typeof alertStatuses)[number]

/**
 * Why an alert can be void: its policy's conditions, cool-down or severity changed, or how its objective counts; a new
 * calendar window began; the policy or the objective is no longer the SLO's; or one of the definitions was deleted.
 */
export const cancelReasons = ["policy_changed", "slo_changed", "window_ended", "detached", "deleted"] as const

/** Why an alert is void. */
export type CancelReason = (typeof cancelReasons)[number]

/** Says that an objective of an SLO is in danger, from when to when, and whom it rang. */
export interface Alert {
  /** A UUIDv7, or the ID that an outside evaluator gave. */
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
  /** The methods that were rung for it, and that hear of its end when they ask for it. */
  readonly alertMethods: ReadonlyArray<ProjectKey>
  /** Whether it has rung nobody, because of a silence. */
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
  /** What is odd about the data, where the alert is about that. */
  readonly anomaly?: Anomaly
}

/** Counts of an objective stay away. */
export interface Anomaly {
  readonly type: AnomalyType
  /** How long they may: a duration as written. */
  readonly alertAfter: string
}

/** What can be odd about the data of an objective. */
export type AnomalyType = "NoData"

/**
 * What an alert is about. There is at most one open alert of a subject.
 *
 * Without a policy, `evaluation` tells the alerts of an outside evaluator apart: the ID that it gave, if any.
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
