import type { ProjectMetadata } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { dateTimeToMs } from "../codec/DateTime.ts"
import { durationToMs } from "../codec/Duration.ts"

/** Holds the notifications of an SLO back for a time, but not its alerts. Source: decision 0610. */
export interface AlertSilence {
  readonly kind: "AlertSilence"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    /** The name of an SLO of the same project. */
    readonly slo: string
    /** Absent: every alert policy of the SLO, and its alerts about missing data. */
    readonly alertPolicy?: ProjectKey
    readonly period: SilencePeriod
  }
}

/** When a silence holds, as written: exactly one of `endTime` and `duration` is there. Source: decision 0610. */
export interface SilencePeriod {
  /** A date-time (`dateTimeToMs`); absent: when the silence was last changed. */
  readonly startTime?: string
  /** A date-time after the start. */
  readonly endTime?: string
  /** A duration of more than 0 (`durationToMs`), from the start on. */
  readonly duration?: string
}

/** A silence, and when it was last written, in Unix milliseconds. */
export interface WrittenSilence {
  readonly definition: AlertSilence
  readonly updatedAt: number
}

/**
 * When a silence holds: from ≤ t < to, in Unix milliseconds.
 *
 * Source: decision 0610.
 */
export const silenceRange = ({
  definition,
  updatedAt,
}: WrittenSilence): { readonly from: number; readonly to: number } => {
  const { startTime, endTime, duration } = definition.spec.period
  const from = (startTime === undefined ? undefined : dateTimeToMs(startTime)) ?? updatedAt
  const to = endTime === undefined ? from + (durationToMs(duration ?? "0") ?? 0) : dateTimeToMs(endTime)
  return { from, to: to ?? from }
}

/**
 * When the silences that hold at `now` for an alert policy are over, in Unix milliseconds; `undefined` when none holds.
 * Without a policy, it is about alerts of missing data.
 *
 * Source: decision 0610.
 */
export const silencedUntil = (
  silences: ReadonlyArray<WrittenSilence>,
  alertPolicy: ProjectKey | undefined,
  now: number,
): number | undefined => {
  let until: number | undefined
  for (const silence of silences) {
    const silenced = silence.definition.spec.alertPolicy
    const isMeant =
      silenced === undefined ||
      (alertPolicy !== undefined && projectKeyText(silenced) === projectKeyText(alertPolicy))
    const { from, to } = silenceRange(silence)
    if (isMeant && from <= now && now < to) until = Math.max(until ?? to, to)
  }
  return until
}
