import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpoint, rateLimited } from "../frame/OpenApiDocument.ts"
import { countBatch } from "@tocsin/domain/counts/DecodeCountBatch"
import { countList } from "@tocsin/domain/counts/DecodeCounts"
import { seriesPointsMax, seriesSteps } from "@tocsin/domain/status/SloSeries"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"
import { dateTime } from "../frame/ParameterSchema.ts"
import * as examples from "./SloExamples.ts"
import { dataRangeMaxDays } from "@tocsin/domain/status/DataRange"
import { seriesPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

const series = Schema.Array(Schema.NullOr(Schema.Finite))

const budgets = series.annotate({
  description: "Fraction of the error budget that remains at the end of each step; null without data",
})

const SloSeries = Schema.Struct({
  from: dateTime("Start of the first step"),
  to: dateTime("End of the last step"),
  step: Schema.Literals(seriesSteps),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      counts: Schema.optionalKey(
        Schema.Struct({ good: series, total: series }).annotate({
          description: "Events of each step; null without events. Absent for composite objectives",
        }),
      ),
      errorBudgetRemainingPercentage: budgets,
    }),
  ),
  composite: Schema.optionalKey(Schema.Struct({ errorBudgetRemainingPercentage: budgets })),
}).annotate({ identifier: "SloSeries", description: "Each list has one value per step" })

export const CountsApi = HttpApiGroup.make("counts")
  .add(
    endpoint.post("recordCounts", "/api/slos/:sloName/counts", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      payload: countList.schema(),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, ...bodyErrors, TooManyRequests],
      summary: "Record counts of an SLO",
      description:
        "Records good and total events per objective and minute. Stores all counts or none. Replaces the counts of a minute that was already recorded. Requires the role editor.",
      example: examples.recordCounts,
    }),
    endpoint.post("recordCountBatch", "/api/counts", {
      headers: OrganizationHeader,
      payload: countBatch.schema(),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, ...bodyErrors, TooManyRequests],
      summary: "Record counts of several SLOs",
      description:
        "Stores all counts or none. Replaces the counts of a minute that was already recorded. Statuses are updated within 10 s. Requires the role editor.",
      example: examples.recordCountBatch,
    }),
    endpoint.get("readSeries", "/api/slos/:sloName/series", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: Schema.Struct({
        from: dateTime("Start of the range (inclusive), in UTC"),
        to: dateTime(`End of the range (exclusive), in UTC. At most ${dataRangeMaxDays} days after from`),
        step: Schema.optionalKey(
          Schema.Literals(seriesSteps).annotate({
            description: `At most ${seriesPointsMax} steps. Default: the shortest step within this limit`,
          }),
        ),
      }),
      success: SloSeries,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Retrieve the time series of an SLO",
      description: `Returns data for charts. The range is extended to whole steps. At most ${seriesPerSecond} requests per second and organization.`,
      responseHeaders: rateLimited,
      example: examples.readSeries,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Counts")
