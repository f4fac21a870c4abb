import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { metricFailures } from "@tocsin/domain/data-source/MetricSource"
import { dataSourceTestIntervalMs } from "@tocsin/domain/data-source/TestDataSource"
import * as Schema from "effect/Schema"
import { BearerAccess, projectHeader } from "../access/BearerAccess.ts"
import { organizationErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { endpoint, type OperationExample } from "../frame/OpenApiDocument.ts"
import { count } from "../frame/ParameterSchema.ts"

const DataSourceTest = Schema.Struct({
  message: Schema.Literals(["Test completed successfully!", "Test failed"]),
  durationMs: count.annotate({ description: "Duration of the test, in milliseconds" }),
  reason: Schema.optionalKey(Schema.Literals(metricFailures)),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "Why the test failed" })),
}).annotate({ identifier: "DataSourceTest" })

const testExample: OperationExample = {
  parameters: { name: "mimir", project: "default" },
  response: {
    message: "Test failed",
    durationMs: 84,
    reason: "credentials_rejected",
    detail: "the server responded with 401; check the credentials of the data source",
  },
}

export const DataSourcesApi = HttpApiGroup.make("dataSources")
  .add(
    endpoint.post("testDataSource", "/api/datasources/:name/test", {
      params: Schema.Struct({ name: Schema.String }),
      headers: projectHeader("Project of the data source. Default: default"),
      success: DataSourceTest,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Test a data source",
      description: `Evaluates vector(1) on the server, with the credentials of the data source. At most one test per data source in ${dataSourceTestIntervalMs / 1000} s. Requires the role editor.`,
      example: testExample,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Data sources")
