import { budgetingMethods } from "@tocsin/domain/slo/Slo"
import * as Schema from "effect/Schema"
import { sloNameMaxCharacters } from "@tocsin/domain/metadata/MetadataLimits"
import { pageSizeMax } from "@tocsin/domain/pagination/Page"
import { dataRangeMaxDays } from "@tocsin/domain/status/DataRange"

// These describe what `SloJson` writes.

const labels = Schema.Record(Schema.String, Schema.Array(Schema.String))

const NamedObject = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  labels: Schema.optionalKey(labels),
}).annotate({ identifier: "NamedObject" })

const metrics = {
  burnRate: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "1 spends exactly the budget over the window; over the last hour",
    }),
  ),
  errorBudgetRemaining: Schema.optionalKey(
    Schema.Finite.annotate({ description: "In seconds; below 0 when overspent" }),
  ),
  errorBudgetRemainingPercentage: Schema.optionalKey(
    Schema.Finite.annotate({ description: "A fraction of the budget: 1 is all of it, 0 none" }),
  ),
  reliability: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "The good share of the window's events, minutes or weighted minutes, 0 to 1",
    }),
  ),
}

const Objective = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  target: Schema.Finite,
  ...metrics,
  sliType: Schema.Literals(["Ratio", "Composite"]).annotate({
    description: "Ratio: good events over total; Composite: over objectives of other SLOs",
  }),
  counts: Schema.optionalKey(Schema.Struct({ good: Schema.Finite, total: Schema.Finite })),
}).annotate({ identifier: "Objective", description: "Metrics without data are left out" })

const Composite = Schema.Struct({
  target: Schema.Finite,
  burnRateCondition: Schema.optionalKey(
    Schema.Struct({ value: Schema.Finite, op: Schema.Literals(["gt", "gte"]) }),
  ),
  ...metrics,
}).annotate({ identifier: "Composite", description: "Only of an SLO that has one" })

const shared = {
  name: Schema.String.annotate({ description: `At most ${sloNameMaxCharacters} characters` }),
  displayName: Schema.String,
  description: Schema.String,
  objectives: Schema.Array(Objective),
  createdAt: Schema.String.annotate({ format: "date-time" }),
  composite: Schema.optionalKey(Composite),
  labels: Schema.optionalKey(labels),
  annotations: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  budgetingMethod: Schema.Literals(budgetingMethods),
}

export const SloRecordSchema = Schema.Struct({
  project: NamedObject,
  service: NamedObject,
  ...shared,
}).annotate({ identifier: "Slo" })

export const SloRecordV1Schema = Schema.Struct({
  project: Schema.String,
  service: Schema.String,
  ...shared,
}).annotate({ identifier: "SloV1" })

export const PageLinksSchema = Schema.Struct({
  self: Schema.String,
  next: Schema.optionalKey(Schema.String.annotate({ description: "Only when more exist" })),
}).annotate({ description: "Relative, with limit and cursor" })

export const sloPageSchema = <S extends Schema.Top>(record: S, identifier: string) =>
  Schema.Struct({
    data: Schema.Array(record),
    links: PageLinksSchema,
  }).annotate({ identifier })

/** The query of a list. */
export const ListSlosParams = Schema.Struct({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.annotate({
      description: `${pageSizeMax} by default, and when it is 0`,
    }),
  ),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "The one of the next link" })),
})

const dateTime = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, format: "date-time" }))

/** The query of one SLO. Source: spec/status-api §9. */
export const FindSloParams = Schema.Struct({
  fields: Schema.optionalKey(
    Schema.Literal("counts").annotate({
      description: "Adds the counts of each objective from ≤ t < to; needs from and to",
    }),
  ),
  from: dateTime("In UTC; together with to"),
  to: dateTime(`In UTC; at most ${dataRangeMaxDays} days after from`),
})

/** The name of an SLO in a path. */
export const SloNameParam = Schema.String.annotate({ description: "The name of the SLO" }).check(
  Schema.isMaxLength(sloNameMaxCharacters),
)
