import type { ProjectKey } from "../definition/Definition.ts"
import type { Severity } from "./AlertPolicy.ts"

/**
 * The states of an alert: it is open while `triggered`, `resolved` when its cause is over, and `canceled` when it is
 * void (`CancelReason`).
 *
 * Source: decisions 0601 and 0612.
 */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

/** One state of an alert. */
export type AlertStatus = (typeof alertStatuses)[number]

/**
 * Why an alert is void: its policy's conditions, cool-down or severity changed, or how its objective counts; a new
 * calendar window began; the policy or the objective is no longer the SLO's; or one of the definitions was deleted.
 *
 * Source: decision 0612.
 */
export type CancelReason = "policy_changed" | "slo_changed" | "window_ended" | "detached" | "deleted"

/** Says that an objective of an SLO is in danger, from when to when, and whom it rang. */
export interface Alert {
  /** A UUIDv7, or the ID that an outside evaluator gave. */
  readonly id: string
  readonly subject: AlertSubject
  readonly status: AlertStatus
  readonly severity?: Severity
  /** One text per condition. */
  readonly conditions: ReadonlyArray<string>
  /**
   * When its SLO was created, or its policy where that is younger, in Unix milliseconds. An alert of a definition that
   * was deleted and created again has another time than theirs.
   */
  readonly definedAt: number
  /** The methods that were rung when it triggered, and that hear of its end when they ask for it. */
  readonly alertMethods: ReadonlyArray<ProjectKey>
  /** When the events happened, in Unix milliseconds. */
  readonly triggeredAt: number
  readonly resolvedAt?: number
}

/**
 * What an alert is about. There is at most one open alert of a subject.
 *
 * Without a policy, `evaluation` tells the alerts of an outside evaluator apart: the ID that it gave, if any.
 *
 * Source: decision 0601.
 */
export interface AlertSubject {
  readonly slo: ProjectKey
  readonly objective?: string
  readonly alertPolicy?: ProjectKey
  readonly evaluation?: string
}

/** A text that is the same for the same subject and for no other. Names have neither blanks nor slashes. */
export const alertSubjectToKey = ({ slo, objective, alertPolicy, evaluation }: AlertSubject): string =>
  [
    `${slo.project}/${slo.name}`,
    objective ?? "",
    alertPolicy === undefined ? "" : `${alertPolicy.project}/${alertPolicy.name}`,
    evaluation ?? "",
  ].join(" ")
