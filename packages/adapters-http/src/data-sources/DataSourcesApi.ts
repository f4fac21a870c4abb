import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { dataSource } from "@tocsin/domain/definitions"
import { dataSourceTestRequest, sourceStates } from "@tocsin/domain/features/data-source"
import {
  dataSourceTestIntervalMs,
  proposedSourceTestsPerWindow,
  proposedSourceTestWindowMs,
} from "@tocsin/domain/limits"
import { affectedSlosMax, metricFailures } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import * as examples from "../definitions/DefinitionExamples.ts"
import {
  BearerAccess,
  OrganizationHeader,
  projectHeader,
  bodyErrors,
  organizationErrors,
  NotFound,
  TooManyRequests,
  endpoint,
  type OperationExample,
  count,
  dateTime,
  optionalText,
  PageParams,
  pageSchema,
  warnings,
} from "@tocsin/api/openapi"

/** The outcome of a test of a data source. */
export const DataSourceTestSchema = Schema.Struct({
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  durationMs: count.annotate({ description: "Duration of the test, in milliseconds" }),
  reason: Schema.optionalKey(Schema.Literals(metricFailures)),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "Why the test failed" })),
  warnings,
}).annotate({ identifier: "DataSourceTest" })

const testExample: OperationExample = {
  parameters: { name: "mimir", project: "default" },
  response: {
    message: "Test failed",
    durationMs: 84,
    reason: "credentials_rejected",
    detail: "the server responded with 401; check the credentials of the data source",
    warnings: [],
  },
}

const proposedTestExample: OperationExample = {
  request: { definition: examples.dataSource },
  response: { message: "Test completed successfully!", durationMs: 84, warnings: [] },
}

/** A data source with when it was last read, and what failed. */
export const DataSourceStatusSchema = Schema.Struct({
  definition: dataSource.schema(),
  state: Schema.Literals(sourceStates).annotate({
    description:
      "Whether its SLOs can be read. degraded: some of them could not be read when it was tried last; unavailable: none of them; unused: none has been tried yet",
  }),
  sloCount: count.annotate({ description: "Number of SLOs that name it" }),
  succeededAt: Schema.optionalKey(dateTime("When one of them was last read successfully")),
  unavailableSince: Schema.optionalKey(
    dateTime(
      "Since when it could not be read; absent if it was available to all SLOs when they were last tried",
    ),
  ),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals(metricFailures),
      detail: Schema.String,
      at: dateTime("When the read failed"),
    }).annotate({ description: "The latest failure of the SLO whose failures began last" }),
  ),
  affectedSloCount: count.annotate({ description: "Number of SLOs for which it could not be read" }),
  affectedSlos: Schema.Array(Schema.Struct({ project: Schema.String, name: Schema.String })).annotate({
    description: `The first ${affectedSlosMax} of them, by project and name`,
  }),
}).annotate({ identifier: "DataSourceStatus" })

const statusExample = {
  definition: examples.hiddenDataSource,
  state: "unavailable",
  sloCount: 12,
  succeededAt: "2026-01-30T11:40:15.120Z",
  unavailableSince: "2026-01-30T11:41:15.090Z",
  problem: {
    reason: "credentials_rejected",
    detail: "the server responded with 401; check the credentials of the data source",
    at: "2026-01-30T11:59:15.340Z",
  },
  affectedSloCount: 1,
  affectedSlos: [{ project: "default", name: "checkout-availability" }],
}

export const DataSourcesApi = HttpApiGroup.make("dataSources")
  .add(
    endpoint.get("listDataSources", "/api/datasources", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...PageParams.fields,
        project: optionalText("Name of the project. Default: all projects"),
      }),
      success: pageSchema(DataSourceStatusSchema, "DataSourcePage"),
      error: [...organizationErrors, TooManyRequests],
      summary: "List data sources with their state",
      description: "Sorted by project and name.",
      example: {
        parameters: { limit: 20 },
        response: { data: [statusExample], links: { self: "/api/datasources?limit=20&cursor=" } },
      },
    }),
    endpoint.get("findDataSource", "/api/datasources/:name", {
      params: Schema.Struct({ name: Schema.String }),
      headers: projectHeader("Project of the data source. Default: default"),
      success: DataSourceStatusSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Retrieve a data source with its state",
      description: "Returns whether its SLOs can be read, since when they cannot and why.",
      example: { parameters: { name: "mimir", project: "default" }, response: statusExample },
    }),
    endpoint.post("testDataSource", "/api/datasources/:name/test", {
      params: Schema.Struct({ name: Schema.String }),
      headers: projectHeader("Project of the data source. Default: default"),
      success: DataSourceTestSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Test a data source",
      description: `Evaluates vector(1) on the server, with the credentials of the data source. At most one test per data source in ${dataSourceTestIntervalMs / 1000} s. Requires the role editor.`,
      example: testExample,
    }),
    endpoint.post("testProposedDataSource", "/api/datasources/test", {
      headers: OrganizationHeader,
      payload: dataSourceTestRequest.schema(),
      success: DataSourceTestSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Test a data source before it is applied",
      description: `Evaluates vector(1) on the server of a data source that need not be stored. [hidden] is the stored value of the data source of the same name. Nothing is stored. At most ${proposedSourceTestsPerWindow} tests in ${proposedSourceTestWindowMs / 1000} s. Requires the role editor.`,
      example: proposedTestExample,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Data sources")
