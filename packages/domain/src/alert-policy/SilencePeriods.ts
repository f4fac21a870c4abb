import { dayMs, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { labelsMatch } from "../metadata/LabelFilter.ts"
import type { Labels } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { AlertSilence } from "./AlertSilence.ts"

/** A silence as it is stored. */
export interface WrittenSilence {
  /** What was applied. */
  readonly definition: AlertSilence
  /** When it was last written, in Unix milliseconds. */
  readonly updatedAt: number
}

/** Whether a silence is of an SLO: it names the SLO, or selects it by its labels. */
export const silenceIsOf = (
  { metadata, spec }: AlertSilence,
  slo: ProjectKey & { readonly labels?: Labels | undefined },
): boolean =>
  metadata.project === slo.project &&
  (spec.sloLabels === undefined ? spec.slo === slo.name : labelsMatch(slo.labels, spec.sloLabels.filter))

/** The only period of a silence that does not recur. */
export const periodOf = (period: AlertSilence["spec"]["period"], updatedAt: number) => {
  const from = period?.startTime?.ms ?? updatedAt
  return { from, to: period?.endTime?.ms ?? from + (period?.duration?.ms ?? 0) }
}

/** When a silence that is active at `now` ends, in Unix milliseconds; `undefined` if it is not active. */
export const silenceEnd = ({ definition, updatedAt }: WrittenSilence, now: number): number | undefined => {
  const { period, recurrence } = definition.spec
  if (recurrence !== undefined) {
    const minute = minuteOf(now)
    return recurrence.ranges({ from: minute, to: minute + minuteMs })[0]?.to
  }
  const { from, to } = periodOf(period, updatedAt)
  return from <= now && now < to ? to : undefined
}

/** from ≤ t < to, in Unix milliseconds. */
export interface SilencePeriod {
  readonly from: number
  readonly to: number
}

/** How far ahead the occurrences of a silence are looked for, in days. */
export const silenceForecastDays = 366

/**
 * The times in which a silence is active, those that have not ended at `now`, at most `max`: its period, or its next
 * occurrences that begin within `silenceForecastDays`.
 */
export const silencePeriods = (
  { definition, updatedAt }: WrittenSilence,
  now: number,
  max: number,
): ReadonlyArray<SilencePeriod> => {
  const { period, recurrence } = definition.spec
  if (recurrence !== undefined) {
    const from = minuteOf(now)
    const found: Array<SilencePeriod> = []
    for (const range of recurrence.eachRange({ from, to: from + silenceForecastDays * dayMs })) {
      if (range.to > now) found.push(range)
      if (found.length >= max) break
    }
    return found
  }
  const range = periodOf(period, updatedAt)
  return range.to > now ? [range] : []
}

/**
 * When the notice before an end of a silence is to be looked for next, after `after` (exclusive): when it is due or, for a rule
 * without an occurrence that is near enough, some time later. `undefined` if no more is due.
 */
export const nextEndNotice = (silence: WrittenSilence, after: number): number | undefined => {
  const { notifyBeforeEnd, recurrence } = silence.definition.spec
  if (notifyBeforeEnd === undefined) return undefined
  const times = silencePeriods(silence, after, 2).map(({ to }) => to - notifyBeforeEnd.before.ms)
  const ahead = recurrence === undefined ? undefined : after + (silenceForecastDays / 2) * dayMs
  return times.find((time) => time > after) ?? ahead
}

/** The period of a silence before whose end the notice is due at `dueAt`, unless it has ended at `now`. */
export const endNoticePeriod = (
  silence: WrittenSilence,
  dueAt: number,
  now: number,
): SilencePeriod | undefined => {
  const before = silence.definition.spec.notifyBeforeEnd?.before.ms ?? 0
  return silencePeriods(silence, dueAt, 2).find(({ to }) => to - before === dueAt && now < to)
}

/**
 * When the silences end that are active at `now` for an alert policy, or for missing data without one;
 * `undefined` if none is active.
 */
export const silencedUntil = (
  silences: ReadonlyArray<WrittenSilence>,
  alertPolicy: ProjectKey | undefined,
  now: number,
): number | undefined => {
  let until: number | undefined
  for (const silence of silences) {
    const policy = silence.definition.spec.alertPolicy
    const applies =
      policy === undefined ||
      (alertPolicy !== undefined && projectKeyText(policy) === projectKeyText(alertPolicy))
    const end = applies ? silenceEnd(silence, now) : undefined
    if (end !== undefined) until = Math.max(until ?? end, end)
  }
  return until
}
