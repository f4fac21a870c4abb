import { hiddenValue } from "@tocsin/domain/codec/Codec"
import { measurements, operators, severities } from "@tocsin/domain/alert-policy/AlertPolicy"
import { kinds } from "@tocsin/domain/metadata/ObjectKey"
import { Limits } from "@tocsin/domain/Limits"
import {
  budgetingMethods,
  burnRateOperators,
  calendarUnits,
  rollingUnits,
  whenDelayedValues,
} from "@tocsin/domain/slo/Slo"
import * as Schema from "effect/Schema"

// These describe; the domain decodes, which tells every issue at once, and writes what is sent.

const apiVersion = Schema.String.annotate({ description: "<vendor_prefix>/v1alpha" })

const nameOf = (maxLength: number) =>
  Schema.String.annotate({
    description: "Lowercase letters, digits and dashes; begins and ends with a letter or digit",
  }).check(Schema.isMaxLength(maxLength), Schema.isPattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/u))

const name = nameOf(Limits.nameMaxCharacters)

const textUpTo = (maxLength: number) => Schema.String.check(Schema.isMaxLength(maxLength))

const description = Schema.optionalKey(textUpTo(Limits.descriptionMaxCharacters))

const annotations = Schema.optionalKey(
  Schema.Record(Schema.String, textUpTo(Limits.annotationValueMaxCharacters)),
)

const labels = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Array(textUpTo(Limits.labelValueMaxCharacters))),
)

const displayName = Schema.optionalKey(textUpTo(Limits.displayNameMaxCharacters))

const duration = Schema.String.annotate({ description: "A duration such as 90s, 5m or 1h30m" })

const Project = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("Project"),
  metadata: Schema.Struct({ name, displayName, labels, annotations }),
  spec: Schema.optionalKey(Schema.Struct({ description })),
}).annotate({ identifier: "ProjectDefinition" })

const Service = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("Service"),
  metadata: Schema.Struct({ name, displayName, project: name, labels, annotations }),
  spec: Schema.optionalKey(Schema.Struct({ description })),
}).annotate({ identifier: "ServiceDefinition" })

const target = Schema.Finite.annotate({ description: "0 ≤ target < 1" })

const wholeCount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const RollingWindow = Schema.Struct({
  unit: Schema.Literals(rollingUnits),
  count: wholeCount,
  isRolling: Schema.Literal(true),
}).annotate({
  description: `From ${Limits.rollingWindowMinMs / 60_000} minutes to ${Limits.rollingWindowMaxMs / 86_400_000} days`,
})

const CalendarWindow = Schema.Struct({
  unit: Schema.Literals(calendarUnits),
  count: wholeCount,
  isRolling: Schema.optionalKey(Schema.Literal(false)),
  calendar: Schema.Struct({
    startTime: Schema.String.annotate({ description: "As 2026-01-01 00:00:00, on a whole minute" }),
    timeZone: textUpTo(Limits.timeZoneMaxCharacters).annotate({
      description: "A name of the IANA database, as Europe/Paris",
    }),
  }),
}).annotate({ description: `At most ${Limits.calendarWindowMaxDays} days` })

const CompositeOfObjective = Schema.Struct({
  maxDelay: duration,
  components: Schema.Struct({
    objectives: Schema.Array(
      Schema.Struct({
        project: Schema.optionalKey(name),
        slo: nameOf(Limits.sloNameMaxCharacters),
        objective: nameOf(Limits.sloNameMaxCharacters),
        weight: Schema.Finite.check(Schema.isGreaterThan(0)),
        whenDelayed: Schema.Literals(whenDelayedValues),
      }),
    ).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.definitionEntriesMax)),
  }),
}).annotate({
  description: `Over objectives of other SLOs, at most ${Limits.componentsMax} in all of an SLO; with Occurrences`,
})

const promql = textUpTo(Limits.promqlMaxCharacters)

const Slo = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("SLO"),
  metadata: Schema.Struct({
    name: nameOf(Limits.sloNameMaxCharacters),
    displayName,
    project: name,
    labels,
    annotations,
  }),
  spec: Schema.Struct({
    description,
    service: name.annotate({ description: "A service of the same project" }),
    budgetingMethod: Schema.Literals(budgetingMethods),
    timeWindows: Schema.Array(Schema.Union([RollingWindow, CalendarWindow]))
      .annotate({ description: "Exactly one" })
      .check(Schema.isMinLength(1), Schema.isMaxLength(1)),
    objectives: Schema.Array(
      Schema.Struct({
        name: Schema.optionalKey(nameOf(Limits.sloNameMaxCharacters)),
        displayName,
        target,
        timeSliceTarget: Schema.optionalKey(
          Schema.Finite.annotate({
            description: "The good share that makes a minute good, 0 < t ≤ 1; with Timeslices, and only then",
          }),
        ),
        composite: Schema.optionalKey(CompositeOfObjective),
      }),
    )
      .annotate({ description: "Names are unique" })
      .check(Schema.isMinLength(1)),
    composite: Schema.optionalKey(
      Schema.Struct({
        target,
        burnRateCondition: Schema.optionalKey(
          Schema.Struct({ value: Schema.Finite, op: Schema.Literals(burnRateOperators) }),
        ),
      }).annotate({
        description: "The older form, over all objectives; burnRateCondition with Occurrences, and only then",
      }),
    ),
    alertPolicies: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({
        description: `Alert policies of the same project, at most ${Limits.alertPoliciesPerSloMax}`,
      }),
    ),
    indicator: Schema.optionalKey(
      Schema.Struct({
        prometheus: Schema.Struct({
          url: Schema.String.annotate({ description: "Where the paths of the Prometheus server begin" }),
          good: promql.annotate({ description: "How many events of the last minute were good" }),
          total: promql.annotate({ description: "How many events there were in the last minute" }),
        }),
      }),
    ),
    anomalyConfig: Schema.optionalKey(
      Schema.Struct({
        noData: Schema.optionalKey(
          Schema.Struct({
            alertMethods: Schema.Array(Schema.Struct({ name, project: Schema.optionalKey(name) })).check(
              Schema.isMinLength(1),
            ),
            alertAfter: Schema.optionalKey(duration),
          }),
        ),
      }),
    ),
  }),
}).annotate({ identifier: "SloDefinition" })

const AlertPolicy = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertPolicy"),
  metadata: Schema.Struct({ name, displayName, project: name, labels, annotations }),
  spec: Schema.Struct({
    description,
    severity: Schema.Literals(severities),
    coolDown: Schema.optionalKey(duration),
    conditions: Schema.Array(
      Schema.Struct({
        measurement: Schema.Literals(measurements),
        value: Schema.Union([Schema.Finite, duration]),
        op: Schema.optionalKey(Schema.Literals(operators)),
        alertingWindow: Schema.optionalKey(duration),
        lastsFor: Schema.optionalKey(duration),
      }),
    ).check(Schema.isMinLength(1)),
    alertMethods: Schema.optionalKey(
      Schema.Array(Schema.Struct({ metadata: Schema.Struct({ name, project: Schema.optionalKey(name) }) })),
    ),
  }),
}).annotate({ identifier: "AlertPolicyDefinition" })

/** Describes the definition of an alert method. Source: contract section 2.1; decisions 0101 to 0109. */
export const AlertMethodSchema = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertMethod"),
  metadata: Schema.Struct({ name, displayName, project: name, annotations }),
  spec: Schema.Struct({
    description,
    webhook: Schema.Struct({
      url: Schema.optionalKey(
        Schema.String.annotate({
          description: `Begins with https://. Reads back as ${hiddenValue}, which keeps what is stored, as leaving it out does`,
        }),
      ),
      template: Schema.optionalKey(
        Schema.String.annotate({ description: "JSON with variables; this or templateFields" }),
      ),
      templateFields: Schema.optionalKey(Schema.Array(Schema.String)),
      headers: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            name: textUpTo(Limits.customHeaderNameMaxCharacters),
            value: textUpTo(Limits.customHeaderValueMaxCharacters),
            isSecret: Schema.optionalKey(Schema.Boolean),
          }),
        ).check(Schema.isMaxLength(Limits.customHeadersMax)),
      ),
      sendResolution: Schema.optionalKey(Schema.Boolean),
    }),
  }),
}).annotate({ identifier: "AlertMethodDefinition" })

const dateTime = Schema.String.annotate({ description: "A date-time of RFC 3339, with any offset" })

const AlertSilence = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertSilence"),
  metadata: Schema.Struct({ name, displayName, project: name, annotations }),
  spec: Schema.Struct({
    description,
    slo: nameOf(Limits.sloNameMaxCharacters).annotate({ description: "An SLO of the same project" }),
    alertPolicy: Schema.optionalKey(
      Schema.Struct({ name, project: Schema.optionalKey(name) }).annotate({
        description: "Absent: every alert policy of the SLO, and its alerts about missing data",
      }),
    ),
    period: Schema.Struct({
      startTime: Schema.optionalKey(dateTime),
      endTime: Schema.optionalKey(dateTime),
      duration: Schema.optionalKey(duration),
    }).annotate({
      description: "Exactly one of endTime and duration; without startTime since it was last changed",
    }),
  }),
}).annotate({ identifier: "AlertSilenceDefinition" })

/** Describes a definition of any kind. Source: decisions 0602 and 0610. */
export const DefinitionSchema = Schema.Union([
  Project,
  Service,
  Slo,
  AlertPolicy,
  AlertMethodSchema,
  AlertSilence,
]).annotate({
  identifier: "Definition",
})

/** Describes what applying did to each definition. */
export const AppliedSchema = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(kinds),
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.Literals(["created", "updated", "unchanged"]),
    }),
  ),
}).annotate({ identifier: "Applied" })
