import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { sourceKinds } from "@tocsin/domain/definitions"
import { indicatorTestRequest } from "@tocsin/domain/features/data-source"
import {
  dayStepMinutes,
  indicatorTestMinutes,
  indicatorTestsPerWindow,
  indicatorTestWindowMs,
} from "@tocsin/domain/limits"
import { metricFailures, sampleProblems } from "@tocsin/domain/ports"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  bodyErrors,
  organizationErrors,
  NotFound,
  endpoint,
  count,
  dateTime,
  warnings,
} from "@tocsin/api/openapi"
import * as examples from "./SloExamples.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"

/** How far the indicator of an SLO was read, and what failed. */
export const IndicatorSchema = Schema.Struct({
  readTo: Schema.optionalKey(dateTime("Counts before this time have been read; absent until the first read")),
  succeededAt: Schema.optionalKey(dateTime("When a read last succeeded")),
  receivedAt: Schema.optionalKey(
    dateTime(
      "When data points that count last arrived over OTLP; absent until the first, and with Prometheus",
    ),
  ),
  failures: count.annotate({ description: "Number of consecutive failed reads" }),
  problem: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.Literals([...metricFailures, ...sampleProblems, "source_unsupported"]),
      detail: Schema.String,
      at: dateTime("When the read failed"),
    }).annotate({ description: "Why the latest read failed; absent if it succeeded" }),
  ),
  unavailableSince: Schema.optionalKey(
    dateTime(
      "Since when the server could not be read for this SLO; absent if it could be when it was last tried",
    ),
  ),
  dataSource: Schema.optionalKey(
    Schema.Struct({
      project: Schema.String,
      name: Schema.String,
      kind: Schema.optionalKey(Schema.Literals(sourceKinds)).annotate({
        description: "Absent for a DataSource",
      }),
    }).annotate({
      description: "The data source that is read; absent for a url",
    }),
  ),
}).annotate({ identifier: "IndicatorState" })

/** What is wrong with what was read for an SLO that need not be stored. */
export const indicatorTestProblem = Schema.optionalKey(
  Schema.Struct({
    reason: Schema.Literals([...metricFailures, ...sampleProblems]),
    detail: Schema.String,
  }).annotate({ description: "Why minutes have no count, or the server could not be read" }),
)

/** What the queries of an indicator returned, and problems. */
export const IndicatorTestSchema = Schema.Struct({
  from: dateTime("Start of the range (inclusive)"),
  to: dateTime("End of the range"),
  stepMinutes: count.annotate({ description: "Number of minutes that each count is of" }),
  counts: Schema.Array(
    Schema.Struct({
      objective: Schema.optionalKey(
        Schema.String.annotate({
          description: "Only where objectives compare a metric with values of their own",
        }),
      ),
      timestamp: dateTime("Start of the step"),
      good: Schema.Finite.annotate({ description: "Number of good events" }),
      total: Schema.Finite.annotate({ description: "Number of all events" }),
    }),
  ).annotate({ description: "The steps that have a count, the earliest first" }),
  problem: indicatorTestProblem,
  warnings,
}).annotate({ identifier: "IndicatorTest" })

export const IndicatorsApi = HttpApiGroup.make("indicators")
  .add(
    endpoint.get("findIndicator", "/api/slos/:sloName/indicator", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      success: IndicatorSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve the state of an SLO's indicator",
      description:
        "Returns how far counts have been read from Prometheus and the latest problem, or when metrics last arrived over OTLP. An SLO whose data source is not read has the problem `source_unsupported`. Returns 404 for an SLO without an indicator.",
      example: examples.findIndicator,
    }),
  )
  .add(
    endpoint.post("testIndicator", "/api/indicators/test", {
      headers: OrganizationHeader,
      payload: indicatorTestRequest.schema(),
      success: IndicatorTestSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Test an SLO's indicator",
      description: `Reads the counts of the last ${indicatorTestMinutes} minutes, or with range=day of the last day in steps of ${dayStepMinutes} minutes, for an SLO that need not be stored. Nothing is stored. At most ${indicatorTestsPerWindow} tests in ${indicatorTestWindowMs / 1_000} s. Requires the role editor.`,
      example: examples.testIndicator,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Indicators")
