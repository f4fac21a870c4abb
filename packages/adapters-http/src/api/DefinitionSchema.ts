import { hiddenValue } from "@tocsin/domain/alert-method/HiddenValue"
import { measurements, operators, severities } from "@tocsin/domain/alerting/AlertPolicy"
import { kinds } from "@tocsin/domain/definition/Definition"
import { Limits } from "@tocsin/domain/Limits"
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
    budgetingMethod: Schema.Literal("Occurrences"),
    timeWindows: Schema.Array(
      Schema.Struct({
        unit: Schema.Literal("Minute", "Hour", "Day"),
        count: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 1 } }),
        isRolling: Schema.Literal(true),
      }),
    ).annotations({
      description: `Exactly one, from ${Limits.rollingWindowMinMs / 60_000} minutes to ${Limits.rollingWindowMaxMs / 86_400_000} days`,
      jsonSchema: { minItems: 1, maxItems: 1 },
    }),
    objectives: Schema.Array(
      Schema.Struct({
        name: Schema.optional(nameOf(Limits.sloNameMaxCharacters)),
        displayName,
        target: Schema.Number.annotations({ description: "0 ≤ target < 1" }),
      }),
    ).annotations({ description: "Names are unique", jsonSchema: { minItems: 1 } }),
    alertPolicies: Schema.optional(
      Schema.Array(Schema.String).annotations({ description: "Alert policies of the same project" }),
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
