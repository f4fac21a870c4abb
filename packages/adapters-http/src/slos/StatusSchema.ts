import { budgetingMethods } from "@tocsin/domain/definitions"
import { dataRangeMaxDays, sloNameMaxCharacters } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { metrics } from "@tocsin/api"
import { dateTime } from "@tocsin/api/openapi"

const labels = Schema.Record(Schema.String, Schema.Array(Schema.String))

const NamedObject = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  labels: Schema.optionalKey(labels),
}).annotate({ identifier: "NamedObject" })

const Objective = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  target: Schema.Finite,
  ...metrics,
  sliType: Schema.Literals(["Ratio", "Composite"]).annotate({
    description: "Ratio: good over total events; Composite: a combination of objectives of other SLOs",
  }),
  counts: Schema.optionalKey(Schema.Struct({ good: Schema.Finite, total: Schema.Finite })),
}).annotate({ identifier: "Objective", description: "Metrics without data are omitted" })

const Composite = Schema.Struct({
  target: Schema.Finite,
  burnRateCondition: Schema.optionalKey(
    Schema.Struct({ value: Schema.Finite, op: Schema.Literals(["gt", "gte"]) }),
  ),
  ...metrics,
}).annotate({ identifier: "Composite", description: "The metrics of a legacy composite" })

const shared = {
  name: Schema.String.annotate({ description: `At most ${sloNameMaxCharacters} characters` }),
  displayName: Schema.String,
  description: Schema.String,
  objectives: Schema.Array(Objective),
  createdAt: dateTime("When the SLO was created"),
  composite: Schema.optionalKey(Composite),
  labels: Schema.optionalKey(labels),
  annotations: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  budgetingMethod: Schema.Literals(budgetingMethods),
}

/** The status of an SLO as version 2 of the API returns it. */
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

export const FindSloParams = Schema.Struct({
  fields: Schema.optionalKey(
    Schema.Literal("counts").annotate({
      description: "Adds the counts of each objective between from (inclusive) and to (exclusive)",
    }),
  ),
  from: Schema.optionalKey(dateTime("Start of the range (inclusive), in UTC. Requires to")),
  to: Schema.optionalKey(
    dateTime(`End of the range (exclusive), in UTC. At most ${dataRangeMaxDays} days after from`),
  ),
})

export const SloNameParam = Schema.String.annotate({ description: "Name of the SLO" }).check(
  Schema.isMaxLength(sloNameMaxCharacters),
)
