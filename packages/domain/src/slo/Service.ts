import * as Schema from "effect/Schema"
import { type Codec, described, once, type TypeOf } from "../codec/Codec.ts"
import { hasNoEntries, list, object, optional } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"
import { recurrenceRule } from "../codec/Recurrence.ts"
import { timeZone, wallClockTime } from "../codec/WallClock.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { description, objectName, projectMetadata } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"

/** Longest ID of a user, in characters. */
const userIdMaxCharacters = 253

/** A wall-clock time of a whole minute with `T` between its date and its time. */
const localDateTime: Codec<string, unknown, string> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be a string")
    const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)
    if (!isWhole) {
      const message = "must be a date with a time, such as 2026-01-01T09:00:00, without a time zone"
      return issues.add(path, "invalid_format", message)
    }
    return wallClockTime.read(value.replace("T", " "), path, issues, undefined) && value
  },
  write: (value) => value,
  schema: once(() =>
    Schema.String.annotate({
      description: "Wall-clock time of a whole minute, such as 2026-01-01T09:00:00",
    }).check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00$/u)),
  ),
}

const service = definitionOf("Service", {
  identifier: "ServiceDefinition",
  metadata: projectMetadata(objectName),
  spec: object({
    description: optional(description),
    responsibleUsers: optional(
      described(
        list(object({ id: string({ max: userIdMaxCharacters }) }), { distinct: { by: ({ id }) => id } }),
        "Who is responsible for the service: IDs of users, such as client IDs of credentials. They are only kept",
      ),
      { isEmpty: hasNoEntries },
    ),
    reviewCycle: optional(
      described(
        object({ startTime: localDateTime, timeZone, rrule: recurrenceRule }),
        "When the SLOs of the service are to be reviewed, by an RFC 5545 rule in a time zone",
      ),
    ),
  }),
  isSpecOptional: true,
})

/** The definition of a service, which groups SLOs of one project. */
export type Service = TypeOf<typeof service>

/** A service of which nothing is said but the name. */
export const emptyService = ({ project, name }: ProjectKey): Service => ({
  kind: "Service",
  metadata: { project, name },
  spec: {},
})

export const serviceKind = {
  kind: "Service",
  shortName: "svc",
  words: "a service",
  home: "project",
  codec: service,
  name: objectName,
} as const satisfies KindDescription<Service>
