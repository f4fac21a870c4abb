import { described, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, list, object, optional } from "../codec/Containers.ts"
import { entryPath } from "../codec/Issue.ts"
import { dayMs, instant, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import { eachRecurringRange, recurrence, recurringRanges } from "../codec/Recurrence.ts"
import { duration } from "../codec/Duration.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { labelSelector, labelsMatch } from "../metadata/LabelFilter.ts"
import {
  description,
  type Labels,
  objectName,
  ownedKey,
  sloName,
  unlabelledMetadata,
} from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"

const period = object(
  {
    /** Default: when the silence was last changed. */
    startTime: optional(instant),
    endTime: optional(instant),
    duration: optional(duration((ms) => ms > 0, "must be more than 0")),
  },
  {
    rules: ({ value: { startTime, endTime }, has, at, path, issues }) => {
      if (has("endTime") && has("duration")) {
        issues.add(path, "mutually_exclusive", "must have either endTime or duration, not both")
      } else if (!has("endTime") && !has("duration")) {
        issues.add(path, "required", "must have endTime or duration")
      } else if (startTime !== undefined && endTime !== undefined && endTime.ms <= startTime.ms) {
        issues.add(at("endTime"), "out_of_range", "must be after startTime")
      }
    },
  },
)

/** Shortest time before the end of a silence at which its notice can be sent, in milliseconds. */
export const endNoticeMinMs = 60_000

/** Most alert methods that are notified before the end of a silence. */
export const endNoticeMethodsMax = 10

const notifyBeforeEnd = object({
  before: duration((ms) => ms >= endNoticeMinMs, `must be at least ${endNoticeMinMs / minuteMs} minute`),
  alertMethods: list(ownedKey(objectName), {
    min: 1,
    max: endNoticeMethodsMax,
    distinct: { by: projectKeyText },
  }),
})

/** Suppresses the notifications of SLOs for a time, but not their alerts. */
export const alertSilence = definitionOf("AlertSilence", {
  identifier: "AlertSilenceDefinition",
  metadata: unlabelledMetadata,
  spec: object(
    {
      description: optional(description),
      slo: optional(described(sloName, "Name of an SLO of the same project. Or sloLabels")),
      sloLabels: optional(
        described(
          labelSelector,
          "All SLOs of the same project with these labels: comma-separated key:value pairs, or keys alone",
        ),
      ),
      alertPolicy: optional(
        described(ownedKey(objectName), "Default: all alert policies of the SLOs, and their no-data alerts"),
      ),
      period: optional(
        described(
          period,
          "Either endTime or duration is required. Without startTime, the silence begins when it was last changed. Or recurrence",
        ),
      ),
      recurrence: optional(
        described(recurrence, "The silence recurs by an RFC 5545 rule in a time zone, instead of period"),
      ),
      notifyBeforeEnd: optional(
        described(
          notifyBeforeEnd,
          "Alert methods that are notified once before each end of the silence, less than its duration earlier",
        ),
      ),
    },
    {
      rules: (place) => {
        eitherOf("slo", "sloLabels")(place)
        eitherOf("period", "recurrence")(place)
        const { period, recurrence, notifyBeforeEnd } = place.value
        const { startTime, endTime, duration } = period ?? {}
        const lengthMs =
          recurrence?.duration.ms ??
          duration?.ms ??
          (startTime && endTime ? endTime.ms - startTime.ms : Infinity)
        if (notifyBeforeEnd !== undefined && notifyBeforeEnd.before.ms >= lengthMs) {
          const path = `${place.at("notifyBeforeEnd")}.before`
          place.issues.add(path, "out_of_range", "must be less than the duration of the silence")
        }
      },
    },
  ),
})

/** Suppresses the notifications of SLOs for a time, but not their alerts. */
export type AlertSilence = TypeOf<typeof alertSilence>

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
    return recurringRanges(recurrence, { from: minute, to: minute + minuteMs })[0]?.to
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
    for (const range of eachRecurringRange(recurrence, { from, to: from + silenceForecastDays * dayMs })) {
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

export const alertSilenceKind = {
  kind: "AlertSilence",
  shortName: "as",
  words: "an alert silence",
  home: "project",
  codec: alertSilence,
  name: objectName,
  references: ({ spec: { slo, alertPolicy, notifyBeforeEnd } }) => [
    ...(slo === undefined ? [] : [{ kind: "SLO", name: slo, path: "spec.slo" } as const]),
    ...(alertPolicy === undefined
      ? []
      : [{ kind: "AlertPolicy", ...alertPolicy, path: "spec.alertPolicy.name" } as const]),
    ...(notifyBeforeEnd?.alertMethods ?? []).map((method, index) => ({
      kind: "AlertMethod" as const,
      ...method,
      path: `${entryPath("spec.notifyBeforeEnd.alertMethods", index)}.name`,
    })),
  ],
  selects: ({ spec }) => spec.sloLabels?.filter,
  whenMoved: { prevents: "a silence is of one project" },
} as const satisfies KindDescription<AlertSilence, AlertSilence, "AlertMethod" | "AlertPolicy" | "SLO">
