import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import { countBatch } from "@tocsin/domain/counts/DecodeCountBatch"
import { countList } from "@tocsin/domain/counts/DecodeCounts"
import { seriesPointsMax, seriesSteps } from "@tocsin/domain/status/SloSeries"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { ProjectHeader } from "./StatusApi.ts"
import { SloNameParam } from "./StatusSchema.ts"
import { dataRangeMaxDays } from "@tocsin/domain/status/DataRange"
import { seriesPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

const dateTime = (description: string) => Schema.String.annotate({ description, format: "date-time" })

/** A list of one value a step. */
const series = Schema.Array(Schema.NullOr(Schema.Finite))

const budgets = series.annotate({
  description: "What fraction of the error budget was left at the end of each step; null without data",
})

const SloSeries = Schema.Struct({
  from: dateTime("The start of the first step"),
  to: dateTime("The end of the last step"),
  step: Schema.Literals(seriesSteps),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      counts: Schema.optionalKey(
        Schema.Struct({ good: series, total: series }).annotate({
          description: "The events of each step, null where none were counted; not of composite objectives",
        }),
      ),
      errorBudgetRemainingPercentage: budgets,
    }),
  ),
  composite: Schema.optionalKey(Schema.Struct({ errorBudgetRemainingPercentage: budgets })),
}).annotate({ identifier: "SloSeries", description: "Every list has one value a step" })

export const CountsApi = HttpApiGroup.make("counts")
  .add(
    HttpApiEndpoint.post("recordCounts", "/api/slos/:sloName/counts", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      payload: countList.schema(),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Record good and total counts of an SLO")
      .annotate(
        OpenApi.Description,
        "All or none; the same objective and minute again replaces. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.post("recordCountBatch", "/api/counts", {
      headers: OrganizationHeader,
      payload: countBatch.schema(),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Record good and total counts of several SLOs")
      .annotate(
        OpenApi.Description,
        "All or none; the same objective and minute again replaces. Statuses follow within 10 s. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.get("readSeries", "/api/slos/:sloName/series", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: Schema.Struct({
        from: dateTime("In UTC"),
        to: dateTime(`In UTC; at most ${dataRangeMaxDays} days after from`),
        step: Schema.optionalKey(
          Schema.Literals(seriesSteps).annotate({
            description: `At most ${seriesPointsMax} steps; absent: the shortest that are so few`,
          }),
        ),
      }),
      success: SloSeries,
      error: [...organizationErrors, NotFound, TooManyRequests],
    })
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "Read what charts of an SLO are drawn from")
      .annotate(
        OpenApi.Description,
        `The range is widened to whole steps. At most ${seriesPerSecond} per second and organization.`,
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Counts")
