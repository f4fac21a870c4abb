import { budgetingMethods } from "@tocsin/domain/definitions"
import { dataRangeMaxDays, sloNameMaxCharacters } from "@tocsin/domain/limits"
import { listSlosPerSecond } from "@tocsin/domain/rate-limit"
import { rateLimited } from "../openapi/OpenApiDocument.ts"
import * as Schema from "effect/Schema"
import { dateTime, pageOf } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { metrics } from "./Metrics.ts"
import { projectOfSlo, sloNameParam } from "./SloParameters.ts"

const labels = Schema.Record(Schema.String, Schema.Array(Schema.String))

const namedObject = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  labels: Schema.optionalKey(labels),
}).annotate({ identifier: "NamedObject" })

/** Whether the metrics of an objective are still those of its earlier definition. */
export const isOutdated = Schema.optionalKey(
  Schema.Boolean.annotate({
    description:
      "true while the metrics are those before the latest change of the definition, until they are computed, usually within seconds. Omitted otherwise",
  }),
)

const objective = Schema.Struct({
  name: Schema.String,
  displayName: Schema.String,
  target: Schema.Finite,
  ...metrics,
  isOutdated,
  sliType: Schema.Literals(["Ratio", "Composite"]).annotate({
    description: "Ratio: good over total events; Composite: a combination of objectives of other SLOs",
  }),
  counts: Schema.optionalKey(Schema.Struct({ good: Schema.Finite, total: Schema.Finite })),
}).annotate({ identifier: "Objective", description: "Metrics without data are omitted" })

const composite = Schema.Struct({
  target: Schema.Finite,
  burnRateCondition: Schema.optionalKey(
    Schema.Struct({ value: Schema.Finite, op: Schema.Literals(["gt", "gte"]) }),
  ),
  ...metrics,
  isOutdated,
}).annotate({ identifier: "Composite", description: "The metrics of a legacy composite" })

const shared = {
  name: Schema.String.annotate({ description: `At most ${sloNameMaxCharacters} characters` }),
  displayName: Schema.String,
  description: Schema.String,
  objectives: Schema.Array(objective),
  createdAt: dateTime("When the SLO was created"),
  composite: Schema.optionalKey(composite),
  labels: Schema.optionalKey(labels),
  annotations: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  budgetingMethod: Schema.Literals(budgetingMethods),
}

/** The status of an SLO as version 2 of the API returns it. */
export const sloRecord = Schema.Struct({
  project: namedObject,
  service: namedObject,
  ...shared,
}).annotate({ identifier: "Slo" })

/** The status of an SLO as version 1 of the API returns it. */
export const sloRecordV1 = Schema.Struct({
  project: Schema.String,
  service: Schema.String,
  ...shared,
}).annotate({ identifier: "SloV1" })

/** The JSON of `sloRecord`. */
export type SloRecord = (typeof sloRecord)["Encoded"]

const countsOfRange = {
  fields: Schema.optionalKey(
    Schema.Literal("counts").annotate({
      description: "Adds the counts of each objective between from (inclusive) and to (exclusive)",
    }),
  ),
  from: Schema.optionalKey(dateTime("Start of the range (inclusive), in UTC. Requires to")),
  to: Schema.optionalKey(
    dateTime(`End of the range (exclusive), in UTC. At most ${dataRangeMaxDays} days after from`),
  ),
}

// The JSON of an SLO is kept: it is written once for many requests. The limits depend on the server and who asks.
const kept = { isQueryOpen: true, isRaw: true, responseHeaders: rateLimited } as const

const ofSlo = { params: sloNameParam, headers: projectOfSlo, query: countsOfRange } as const

/** SLOs with their status. */
export const status = resource("SLOs", {
  listSlos: {
    method: "GET",
    path: "/api/v2/slos",
    ...kept,
    success: pageOf(sloRecord),
    errors: [429],
    summary: "List SLOs",
    description: `Returns SLOs with their status, sorted by project and name. At most ${listSlosPerSecond} requests per second and organization.`,
  },
  findSlo: {
    method: "GET",
    path: "/api/v2/slos/:sloName",
    ...kept,
    ...ofSlo,
    success: sloRecord,
    errors: [404, 429],
    summary: "Retrieve an SLO",
    description: "Returns an SLO with its status.",
  },
})

/** The same in version 1 of the API. */
export const statusV1 = resource("SLOs, version 1 (deprecated)", {
  listSlosV1: {
    method: "GET",
    path: "/api/v1/slos",
    ...kept,
    success: pageOf(sloRecordV1, "SloPageV1"),
    errors: [410, 429],
    summary: "List SLOs (deprecated)",
    description: "Use GET /api/v2/slos.",
    deprecated: true,
  },
  findSloV1: {
    method: "GET",
    path: "/api/v1/slos/:sloName",
    ...kept,
    ...ofSlo,
    success: sloRecordV1,
    errors: [404, 410, 429],
    summary: "Retrieve an SLO (deprecated)",
    description: "Use GET /api/v2/slos/{sloName}.",
    deprecated: true,
  },
})
