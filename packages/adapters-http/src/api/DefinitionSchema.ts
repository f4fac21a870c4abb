import { hiddenValue } from "@tocsin/domain/alert-method/HiddenValue"
import { measurements, operators, severities } from "@tocsin/domain/alerting/AlertPolicy"
import { kinds } from "@tocsin/domain/definition/Definition"
import { Limits } from "@tocsin/domain/Limits"
import {
  budgetingMethods,
  burnRateOperators,
  calendarUnits,
  rollingUnits,
  whenDelayedValues,
} from "@tocsin/domain/slo/Slo"
import { Schema } from "effect"

// These describe; the domain decodes, which tells every issue at once, and writes what is sent.

const apiVersion = Schema.String.annotations({ description: "<vendor_prefix>/v1alpha" })

const nameOf = (maxLength: number) =>
  Schema.String.annotations({
    description: "Lowercase letters, digits and dashes; begins and ends with a letter or digit",
    jsonSchema: { type: "string", maxLength, pattern: "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$" },
  })

const name = nameOf(Limits.nameMaxCharacters)

const textUpTo = (maxLength: number) =>
  Schema.String.annotations({ jsonSchema: { type: "string", maxLength } })

const description = Schema.optional(textUpTo(Limits.descriptionMaxCharacters))

const annotations = Schema.optional(
  Schema.Record({ key: Schema.String, value: textUpTo(Limits.annotationValueMaxCharacters) }),
)

const labels = Schema.optional(
  Schema.Record({ key: Schema.String, value: Schema.Array(textUpTo(Limits.labelValueMaxCharacters)) }),
)

const displayName = Schema.optional(textUpTo(Limits.displayNameMaxCharacters))

const duration = Schema.String.annotations({ description: "A duration such as 90s, 5m or 1h30m" })

const Project = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("Project"),
  metadata: Schema.Struct({ name, displayName, labels, annotations }),
  spec: Schema.optional(Schema.Struct({ description })),
}).annotations({ identifier: "ProjectDefinition" })

const Service = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("Service"),
  metadata: Schema.Struct({ name, displayName, project: name, labels, annotations }),
  spec: Schema.optional(Schema.Struct({ description })),
}).annotations({ identifier: "ServiceDefinition" })

const target = Schema.Number.annotations({ description: "0 ≤ target < 1" })

const wholeCount = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 1 } })

const RollingWindow = Schema.Struct({
  unit: Schema.Literal(...rollingUnits),
  count: wholeCount,
  isRolling: Schema.Literal(true),
}).annotations({
  description: `From ${Limits.rollingWindowMinMs / 60_000} minutes to ${Limits.rollingWindowMaxMs / 86_400_000} days`,
})

const CalendarWindow = Schema.Struct({
  unit: Schema.Literal(...calendarUnits),
  count: wholeCount,
  isRolling: Schema.optional(Schema.Literal(false)),
  calendar: Schema.Struct({
    startTime: Schema.String.annotations({ description: "As 2026-01-01 00:00:00, on a whole minute" }),
    timeZone: textUpTo(Limits.timeZoneMaxCharacters).annotations({
      description: "A name of the IANA database, as Europe/Paris",
    }),
  }),
}).annotations({ description: `At most ${Limits.calendarWindowMaxDays} days` })

const CompositeOfObjective = Schema.Struct({
  maxDelay: duration,
  components: Schema.Struct({
    objectives: Schema.Array(
      Schema.Struct({
        project: Schema.optional(name),
        slo: nameOf(Limits.sloNameMaxCharacters),
        objective: nameOf(Limits.sloNameMaxCharacters),
        weight: Schema.Number.annotations({ jsonSchema: { type: "number", exclusiveMinimum: 0 } }),
        whenDelayed: Schema.Literal(...whenDelayedValues),
      }),
    ).annotations({ jsonSchema: { minItems: 1, maxItems: Limits.definitionEntriesMax } }),
  }),
}).annotations({
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
    service: name.annotations({ description: "A service of the same project" }),
    budgetingMethod: Schema.Literal(...budgetingMethods),
    timeWindows: Schema.Array(Schema.Union(RollingWindow, CalendarWindow)).annotations({
      description: "Exactly one",
      jsonSchema: { minItems: 1, maxItems: 1 },
    }),
    objectives: Schema.Array(
      Schema.Struct({
        name: Schema.optional(nameOf(Limits.sloNameMaxCharacters)),
        displayName,
        target,
        timeSliceTarget: Schema.optional(
          Schema.Number.annotations({
            description: "The good share that makes a minute good, 0 < t ≤ 1; with Timeslices, and only then",
          }),
        ),
        composite: Schema.optional(CompositeOfObjective),
      }),
    ).annotations({ description: "Names are unique", jsonSchema: { minItems: 1 } }),
    composite: Schema.optional(
      Schema.Struct({
        target,
        burnRateCondition: Schema.optional(
          Schema.Struct({ value: Schema.Number, op: Schema.Literal(...burnRateOperators) }),
        ),
      }).annotations({
        description: "The older form, over all objectives; burnRateCondition with Occurrences, and only then",
      }),
    ),
    alertPolicies: Schema.optional(
      Schema.Array(Schema.String).annotations({
        description: `Alert policies of the same project, at most ${Limits.alertPoliciesPerSloMax}`,
      }),
    ),
    indicator: Schema.optional(
      Schema.Struct({
        prometheus: Schema.Struct({
          url: Schema.String.annotations({ description: "Where the paths of the Prometheus server begin" }),
          good: promql.annotations({ description: "How many events of the last minute were good" }),
          total: promql.annotations({ description: "How many events there were in the last minute" }),
        }),
      }),
    ),
    anomalyConfig: Schema.optional(
      Schema.Struct({
        noData: Schema.optional(
          Schema.Struct({
            alertMethods: Schema.Array(Schema.Struct({ name, project: Schema.optional(name) })).annotations({
              jsonSchema: { minItems: 1 },
            }),
            alertAfter: Schema.optional(duration),
          }),
        ),
      }),
    ),
  }),
}).annotations({ identifier: "SloDefinition" })

const AlertPolicy = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertPolicy"),
  metadata: Schema.Struct({ name, displayName, project: name, labels, annotations }),
  spec: Schema.Struct({
    description,
    severity: Schema.Literal(...severities),
    coolDown: Schema.optional(duration),
    conditions: Schema.Array(
      Schema.Struct({
        measurement: Schema.Literal(...measurements),
        value: Schema.Union(Schema.Number, duration),
        op: Schema.optional(Schema.Literal(...operators)),
        alertingWindow: Schema.optional(duration),
        lastsFor: Schema.optional(duration),
      }),
    ).annotations({ jsonSchema: { minItems: 1 } }),
    alertMethods: Schema.optional(
      Schema.Array(Schema.Struct({ metadata: Schema.Struct({ name, project: Schema.optional(name) }) })),
    ),
  }),
}).annotations({ identifier: "AlertPolicyDefinition" })

/** Describes the definition of an alert method. Source: contract section 2.1; decisions 0101 to 0109. */
export const AlertMethodSchema = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertMethod"),
  metadata: Schema.Struct({ name, displayName, project: name, annotations }),
  spec: Schema.Struct({
    description,
    webhook: Schema.Struct({
      url: Schema.optional(
        Schema.String.annotations({
          description: `Begins with https://. Reads back as ${hiddenValue}, which keeps what is stored, as leaving it out does`,
        }),
      ),
      template: Schema.optional(
        Schema.String.annotations({ description: "JSON with variables; this or templateFields" }),
      ),
      templateFields: Schema.optional(Schema.Array(Schema.String)),
      headers: Schema.optional(
        Schema.Array(
          Schema.Struct({
            name: textUpTo(Limits.customHeaderNameMaxCharacters),
            value: textUpTo(Limits.customHeaderValueMaxCharacters),
            isSecret: Schema.optional(Schema.Boolean),
          }),
        ).annotations({ jsonSchema: { maxItems: Limits.customHeadersMax } }),
      ),
      sendResolution: Schema.optional(Schema.Boolean),
    }),
  }),
}).annotations({ identifier: "AlertMethodDefinition" })

const dateTime = Schema.String.annotations({ description: "A date-time of RFC 3339, with any offset" })

const AlertSilence = Schema.Struct({
  apiVersion,
  kind: Schema.Literal("AlertSilence"),
  metadata: Schema.Struct({ name, displayName, project: name, annotations }),
  spec: Schema.Struct({
    description,
    slo: nameOf(Limits.sloNameMaxCharacters).annotations({ description: "An SLO of the same project" }),
    alertPolicy: Schema.optional(
      Schema.Struct({ name, project: Schema.optional(name) }).annotations({
        description: "Absent: every alert policy of the SLO, and its alerts about missing data",
      }),
    ),
    period: Schema.Struct({
      startTime: Schema.optional(dateTime),
      endTime: Schema.optional(dateTime),
      duration: Schema.optional(duration),
    }).annotations({
      description: "Exactly one of endTime and duration; without startTime since it was last changed",
    }),
  }),
}).annotations({ identifier: "AlertSilenceDefinition" })

/** Describes a definition of any kind. Source: decisions 0602 and 0610. */
export const DefinitionSchema = Schema.Union(
  Project,
  Service,
  Slo,
  AlertPolicy,
  AlertMethodSchema,
  AlertSilence,
).annotations({
  identifier: "Definition",
})

/** Describes what applying did to each definition. */
export const AppliedSchema = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.Literal(...kinds),
      project: Schema.optional(Schema.String),
      name: Schema.String,
      outcome: Schema.Literal("created", "updated", "unchanged"),
    }),
  ),
}).annotations({ identifier: "Applied" })
