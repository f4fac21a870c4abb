import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { cancelReasons } from "@tocsin/domain/alerting/Alert"
import { backtestRangeMaxDays, backtestRequest } from "@tocsin/domain/backtest/BacktestPolicy"
import * as Schema from "effect/Schema"
import { BearerAccess } from "../access/BearerAccess.ts"
import { organizationErrors, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { dateTime } from "../frame/ParameterSchema.ts"
import { ProjectHeader } from "../slos/StatusApi.ts"
import { SloNameParam } from "../slos/StatusSchema.ts"
import * as examples from "./BacktestExamples.ts"

/** Most alerts that the response of a backtest lists. */
export const backtestAlertsMax = 1_000

const burned = (when: string) =>
  Schema.optionalKey(
    Schema.Finite.annotate({ description: `Share of the error budget that was burned ${when}` }),
  )

export const BacktestSchema = Schema.Struct({
  from: dateTime("Start of the range (inclusive)"),
  to: dateTime("End of the range"),
  alertCount: Schema.Int.annotate({ description: "Alerts of all objectives in the range" }),
  alertsPerMonth: Schema.Finite.annotate({ description: "Alerts per 30 days" }),
  objectives: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String.annotate({ description: "Absent for the legacy composite" })),
      alertCount: Schema.Int,
      burned: burned("at the end of the range"),
    }),
  ),
  alerts: Schema.Array(
    Schema.Struct({
      objective: Schema.optionalKey(
        Schema.String.annotate({ description: "Absent for the legacy composite" }),
      ),
      triggeredAt: dateTime("When the alert would have triggered"),
      closedAt: Schema.optionalKey(
        dateTime("When it would have been resolved or canceled. Absent while it is open at the end"),
      ),
      reason: Schema.optionalKey(
        Schema.Literals(cancelReasons).annotate({ description: "Of a canceled alert" }),
      ),
      burnedAtTrigger: burned("when it triggered"),
      burnedAtEnd: burned("when it closed, or at the end of the range"),
    }),
  ).annotate({ description: `The earliest first, at most ${backtestAlertsMax}` }),
}).annotate({ identifier: "Backtest" })

export const BacktestsApi = HttpApiGroup.make("backtests")
  .add(
    endpoint.post("backtestPolicy", "/api/slos/:sloName/backtest", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      payload: backtestRequest.schema(),
      success: BacktestSchema,
      error: [...organizationErrors, NotFound, ...bodyErrors, TooManyRequests],
      summary: "Backtest an alert policy",
      description: `Returns the alerts that a stored or proposed alert policy would have opened for an SLO, over at most ${backtestRangeMaxDays} days of its counts. Nothing is stored or sent.`,
      example: examples.backtestPolicy,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Backtests")
