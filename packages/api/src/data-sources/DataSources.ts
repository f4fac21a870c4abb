import { dataSource } from "@tocsin/domain/definitions"
import { dataSourceTestRequest, sourceStates } from "@tocsin/domain/features/data-source"
import {
  dataSourceTestIntervalMs,
  proposedSourceTestsPerWindow,
  proposedSourceTestWindowMs,
} from "@tocsin/domain/limits"
import { affectedSlosMax, type IndicatorProblem, metricFailures } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import { count, definitionJson, KeySchema, optionalText, pageOf, time, written } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"

/** The outcome of a test of a data source. */
const dataSourceTest = Schema.Struct({
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  durationMs: count.annotate({ description: "Duration of the test, in milliseconds" }),
  reason: Schema.optionalKey(Schema.Literals(metricFailures)),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "Why the test failed" })),
  warnings,
}).annotate({ identifier: "DataSourceTest" })

/** The JSON of `dataSourceTest`. */
export type DataSourceTest = (typeof dataSourceTest)["Encoded"]

/** A data source with when it was last read, and what failed. */
export const dataSourceStatus = Schema.Struct({
  definition: definitionJson(dataSource),
  state: Schema.Literals(sourceStates).annotate({
    description:
      "Whether its SLOs can be read. degraded: some of them could not be read when it was tried last; unavailable: none of them; unused: none has been tried yet",
  }),
  sloCount: count.annotate({ description: "Number of SLOs that name it" }),
  succeededAt: Schema.optionalKey(time("When one of them was last read successfully")),
  unavailableSince: Schema.optionalKey(
    time("Since when it could not be read; absent if it was available to all SLOs when they were last tried"),
  ),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: written<IndicatorProblem["reason"], (typeof metricFailures)[number]>(
        Schema.Literals(metricFailures),
      ),
      detail: Schema.String,
      at: time("When the read failed"),
    }).annotate({ description: "The latest failure of the SLO whose failures began last" }),
  ),
  affectedSloCount: count.annotate({ description: "Number of SLOs for which it could not be read" }),
  affectedSlos: Schema.Array(KeySchema).annotate({
    description: `The first ${affectedSlosMax} of them, by project and name`,
  }),
}).annotate({ identifier: "DataSourceStatus" })

/** The JSON of `dataSourceStatus`. */
export type DataSourceStatus = (typeof dataSourceStatus)["Encoded"]

const headers = { project: optionalText("Project of the data source. Default: default") }

/** Data sources: their status, and tests of them. */
export const dataSources = resource("Data sources", {
  listDataSources: {
    method: "GET",
    path: "/api/datasources",
    query: { project: optionalText("Name of the project. Default: all projects") },
    success: pageOf(dataSourceStatus, "DataSourcePage"),
    errors: [429],
    summary: "List data sources with their status",
    description: "Sorted by project and name.",
  },
  findDataSource: {
    method: "GET",
    path: "/api/datasources/:name",
    headers,
    success: dataSourceStatus,
    errors: [404, 429],
    summary: "Retrieve a data source with its status",
    description: "Returns whether its SLOs can be read, since when they cannot and why.",
  },
  testDataSource: {
    method: "POST",
    path: "/api/datasources/:name/test",
    role: "editor",
    headers,
    success: dataSourceTest,
    errors: [404, 429],
    summary: "Test a data source",
    description: `Evaluates vector(1) on the server, with the credentials of the data source. At most one test per data source in ${dataSourceTestIntervalMs / 1000} s.`,
  },
  testProposedDataSource: {
    method: "POST",
    path: "/api/datasources/test",
    role: "editor",
    body: dataSourceTestRequest,
    bodyAs: "json",
    success: dataSourceTest,
    summary: "Test a data source before it is applied",
    description: `Evaluates vector(1) on the server of a data source that need not be stored. [hidden] is the stored value of the data source of the same name. Nothing is stored. At most ${proposedSourceTestsPerWindow} tests in ${proposedSourceTestWindowMs / 1000} s.`,
  },
})
