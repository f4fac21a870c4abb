import { described, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, list, object, optional } from "../codec/Containers.ts"
import { entryPath } from "../codec/Issue.ts"
import { instant } from "../codec/Instant.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { recurrence } from "../codec/Recurrence.ts"
import { duration } from "../codec/DurationCodec.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { labelSelector } from "../metadata/LabelFilter.ts"
import { description, objectName, ownedKey, sloName, unlabelledMetadata } from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"

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
const endNoticeMinMs = 60_000

/** Most alert methods that are notified before the end of a silence. */
const endNoticeMethodsMax = 10

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
          "All SLOs of the same project with these labels: comma-separated key=value pairs, or keys alone",
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
