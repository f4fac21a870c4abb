import { severities } from "../alert-policy/AlertPolicy.ts"
import { plain, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import * as Schema from "effect/Schema"
import { objectName, projectKey, sloName } from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import type { AlertEvidence } from "./ExplainCondition.ts"

/**
 * Longest time that the `at` of an external alert may be ahead of the server's clock, and that a resolution
 * may be before the time its alert triggered, in milliseconds.
 */
export const alertMaxAheadMs = 300_000

/**
 * `triggered` is open; `resolved`: the conditions are no longer met; `canceled`: they no longer apply
 * (`CancelReason`).
 */
export const alertStatuses = ["triggered", "resolved", "canceled"] as const

/** `triggered` while the alert is open; `canceled` if its conditions no longer apply (`CancelReason`). */
export type AlertStatus = (typeof alertStatuses)[number]

/**
 * The policy's conditions, cool-down or severity changed; the objective's budgeting changed; a new calendar window
 * began; the policy or objective was removed from the SLO; a definition was deleted.
 */
export const cancelReasons = ["policy_changed", "slo_changed", "window_ended", "detached", "deleted"] as const

/** Why an alert was canceled: `detached` if its SLO lost the policy or objective, `slo_changed` if the budgeting changed. */
export type CancelReason = (typeof cancelReasons)[number]

type AnomalyType = "NoData"

const anomalyType = literals<AnomalyType>(["NoData"])

const alertSubject = object({
  slo: projectKey(sloName),
  objective: exactOptional(anyString),
  alertPolicy: exactOptional(projectKey(objectName)),
  evaluation: exactOptional(anyString),
  anomaly: exactOptional(anomalyType),
})

/**
 * The subject of an alert; it has at most one open alert.
 *
 * Without a policy, `evaluation` distinguishes alerts of an external evaluator: the ID that it sent, if any.
 */
export type AlertSubject = TypeOf<typeof alertSubject>

const anomaly = object({
  type: anomalyType,
  /** The longest time without counts, as written in the policy. */
  alertAfter: anyString,
})

const time = number({})

const acknowledgement = object({
  /** In Unix milliseconds. */
  at: time,
  /** The client ID of the credential. */
  by: anyString,
  /** What the person wrote. */
  note: exactOptional(anyString),
})

const numberOrText = plain<number | string>(
  () => Schema.Union([Schema.Finite, Schema.String]),
  (value, path, issues) =>
    typeof value === "number"
      ? number({}).read(value, path, issues, {})
      : anyString.read(value, path, issues, {}),
)

const recordedCondition = object({
  measurement: anyString,
  /** A time is in the policy's spelling, such as `72h`. */
  value: numberOrText,
  op: anyString,
  alertingWindow: exactOptional(anyString),
  lastsFor: exactOptional(anyString),
  /** Of a condition that has to last: since when it had been met, in Unix milliseconds. */
  metSince: exactOptional(time),
})

/** A condition as the alert policy had it when the alert triggered. */
export type RecordedCondition = TypeOf<typeof recordedCondition>

const displayNames = object({
  slo: exactOptional(anyString),
  service: exactOptional(anyString),
  objective: exactOptional(anyString),
  alertPolicy: exactOptional(anyString),
})

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
  /** The conditions of the policy that was met, by their parts; absent where an external evaluator sent only texts. */
  policyConditions: exactOptional(list(recordedCondition)),
  /** The cool-down of the policy, as written in it. */
  coolDown: exactOptional(anyString),
  /** The name of the SLO's service, which is in its project. */
  service: exactOptional(anyString),
  /** The threshold of the objective, where its SLI is a metric. */
  objectiveValue: exactOptional(number({})),
  /** What people call these objects; absent for those without a display name. */
  displayNames: exactOptional(displayNames),
  /**
   * Creation of the SLO or of its policy, whichever is later, in Unix milliseconds. Differs after a definition was
   * deleted and created again.
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
  /** Someone has taken charge of the alert, which then notifies no further alert methods before it closes. */
  acknowledgement: exactOptional(acknowledgement),
})

/** A period in which an objective met the conditions of an alert policy, and the alert methods notified of it. */
export interface Alert extends TypeOf<typeof alert> {
  /**
   * What was measured when the alert triggered; absent for alerts of external evaluators and about missing data. A store keeps what the
   * alert was added with, whatever replaces the alert.
   */
  readonly evidence?: AlertEvidence
}

/** The stored form of an alert, without its evidence. */
export const storedAlert = stored(alert, [])

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
