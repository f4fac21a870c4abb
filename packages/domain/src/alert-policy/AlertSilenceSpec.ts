import { dateTimeText, dateTimeToMs } from "../codec/DateTime.ts"
import { durationOf } from "../codec/Duration.ts"
import { description, nameOf, projectKey } from "../metadata/Metadata.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import type { Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import type { AlertSilence, SilencePeriod } from "./AlertSilence.ts"

/**
 * The property `spec` of an alert silence; an alert policy without a project is of the silence's own `project`.
 *
 * Source: decision 0610.
 */
export const alertSilenceSpec = (project: string): Rule<AlertSilence["spec"]> =>
  objectOf((reader) => {
    const said = reader.optional("description", description)
    const slo = reader.required("slo", nameOf(Limits.sloNameMaxCharacters))
    const alertPolicy = reader.optional("alertPolicy", projectKey(Limits.nameMaxCharacters, project))
    const period = reader.required("period", silencePeriod)
    if (slo === undefined || period === undefined) return undefined
    return {
      ...(said !== undefined && { description: said }),
      slo,
      ...(alertPolicy !== undefined && { alertPolicy }),
      period,
    }
  })

const silencePeriod: Rule<SilencePeriod> = objectOf((reader) => {
  const { issues } = reader
  const startTime = reader.optional("startTime", dateTimeText)
  const endTime = reader.optional("endTime", dateTimeText)
  const duration = reader.optional("duration", silenceDuration)
  if (reader.has("endTime") && reader.has("duration")) {
    return issues.add(reader.path, "mutually_exclusive", "must have either endTime or duration, not both")
  }
  if (!reader.has("endTime") && !reader.has("duration")) {
    return issues.add(reader.path, "required", "must have endTime or duration")
  }
  if (startTime !== undefined && endTime !== undefined) {
    const isAfter = (dateTimeToMs(endTime) ?? 0) > (dateTimeToMs(startTime) ?? 0)
    if (!isAfter) return issues.add(reader.at("endTime"), "out_of_range", "must be after startTime")
  }
  return {
    ...(startTime !== undefined && { startTime }),
    ...(endTime !== undefined && { endTime }),
    ...(duration !== undefined && { duration }),
  }
})

const silenceDuration = durationOf((ms) => ms > 0, "must be a duration of more than 0")
