import { Limits } from "@tocsin/domain/Limits"
import { budgetingMethods, burnRateOperators } from "@tocsin/domain/slo/Slo"
import { Schema } from "effect"

// These describe; what is sent is ready JSON that `SloRecord` of the domain writes.

const labels = Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) })

const NamedObject = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  labels: Schema.optional(labels),
}).annotations({ identifier: "NamedObject" })

const metrics = {
  burnRate: Schema.optional(
    Schema.Number.annotations({
      description: "1 spends exactly the budget over the window; over the last hour",
    }),
  ),
  errorBudgetRemaining: Schema.optional(
    Schema.Number.annotations({ description: "In seconds; below 0 when overspent" }),
  ),
  errorBudgetRemainingPercentage: Schema.optional(
    Schema.Number.annotations({ description: "A fraction of the budget: 1 is all of it, 0 none" }),
  ),
  reliability: Schema.optional(
    Schema.Number.annotations({
      description: "The good share of the window's events, minutes or weighted minutes, 0 to 1",
    }),
  ),
}

const Objective = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  target: Schema.Number,
  ...metrics,
  sliType: Schema.Literal("Ratio", "Composite").annotations({
    description: "Ratio: good events over total; Composite: over objectives of other SLOs",
  }),
  counts: Schema.optional(Schema.Struct({ good: Schema.Number, total: Schema.Number })),
}).annotations({ identifier: "Objective", description: "Metrics without data are left out" })

const Composite = Schema.Struct({
  target: Schema.Number,
  burnRateCondition: Schema.optional(
    Schema.Struct({ value: Schema.Number, op: Schema.Literal(...burnRateOperators) }),
  ),
  ...metrics,
}).annotations({ identifier: "Composite", description: "Only of an SLO that has one" })

const shared = {
  name: Schema.String.annotations({ description: `At most ${Limits.sloNameMaxCharacters} characters` }),
  displayName: Schema.String,
  description: Schema.String,
  objectives: Schema.Array(Objective),
  createdAt: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  composite: Schema.optional(Composite),
  labels: Schema.optional(labels),
  annotations: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  budgetingMethod: Schema.Literal(...budgetingMethods),
}

/** Describes the record of an SLO in version 2. Source: contract section 2.2; decisions 0504 to 0507. */
export const SloRecordSchema = Schema.Struct({
  project: NamedObject,
  service: NamedObject,
  ...shared,
}).annotations({ identifier: "Slo" })

/** Describes the record of an SLO in version 1. Source: contract section 4.4. */
export const SloRecordV1Schema = Schema.Struct({
  project: Schema.String,
  service: Schema.String,
  ...shared,
}).annotations({ identifier: "SloV1" })

/** Describes the links of a page. Source: decision 0508. */
export const PageLinksSchema = Schema.Struct({
  self: Schema.String,
  next: Schema.optional(Schema.String.annotations({ description: "Only when more exist" })),
}).annotations({ description: "Relative, with limit and cursor" })

/** Describes a page of SLO records. Source: contract section 2.2; decision 0508. */
export const sloPageSchema = <A>(record: Schema.Schema<A>, identifier: string) =>
  Schema.Struct({
    data: Schema.Array(record),
    links: PageLinksSchema,
  }).annotations({ identifier })

/** The query of a list. Source: contract section 4.2; decision 0509. */
export const ListSlosParams = Schema.Struct({
  limit: Schema.optional(
    Schema.String.annotations({
      jsonSchema: {
        description: "0 means the default",
        type: "integer",
        minimum: 0,
        maximum: Limits.pageSizeMax,
        default: Limits.pageSizeMax,
      },
    }),
  ),
  cursor: Schema.optional(Schema.String.annotations({ description: "The one of the next link" })),
})

const dateTime = (description: string) =>
  Schema.optional(
    Schema.String.annotations({ jsonSchema: { description, type: "string", format: "date-time" } }),
  )

/** The query of one SLO. Source: contract section 4.3; decision 0512. */
export const FindSloParams = Schema.Struct({
  fields: Schema.optional(
    Schema.Literal("counts").annotations({
      description: "Adds the counts of each objective from ≤ t < to; needs from and to",
    }),
  ),
  from: dateTime("In UTC; together with to"),
  to: dateTime(`In UTC; at most ${Limits.dataRangeMaxDays} days after from`),
})

/** The name of an SLO in a path. Source: contract section 4.3. */
export const SloNameParam = Schema.String.annotations({
  jsonSchema: {
    description: "The name of the SLO",
    type: "string",
    maxLength: Limits.sloNameMaxCharacters,
  },
})
