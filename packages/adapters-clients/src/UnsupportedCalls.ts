import * as Effect from "effect/Effect"
import { jsonResponse } from "./ClientRequest.ts"

/**
 * The calls of the service's public clients that have no counterpart here, with the reason (spec/clients §10). The clients show
 * the title of an error only.
 */
export const unsupportedCalls = [
  {
    methods: ["POST"],
    path: "/api/alerting/v1/analysis",
    reason:
      "Alert analyses are not supported. Send the SLO and the alert policy to POST /api/slos/{name}/backtest, which returns the alerts at once.",
  },
  {
    methods: ["GET"],
    path: "/api/alerting/v1/analysis/:id",
    reason: "Alert analyses are not stored. POST /api/slos/{name}/backtest returns the alerts at once.",
  },
  {
    methods: ["POST"],
    path: "/api/alerting/v1/analysis/:id/retry",
    reason: "Alert analyses are not stored. Repeat POST /api/slos/{name}/backtest.",
  },
  {
    methods: ["POST"],
    path: "/api/alerting/v1/calculate-alert-policy",
    reason:
      "Alert policies are not calculated. Use sreWorkbook: page or ticket in an alert policy, and POST /api/slos/{name}/backtest to see its alerts.",
  },
  {
    methods: ["GET"],
    path: "/api/dashboards/v1/status-page/status",
    reason: "Status pages are not served as JSON. GET /api/v2/slos has the status of every SLO.",
  },
  {
    methods: ["GET"],
    path: "/api/dashboards/v1/status-page/disruptions",
    reason: "Status pages are not served as JSON. GET /api/get/alert lists alerts.",
  },
  {
    methods: ["GET"],
    path: "/api/get/dataexport/aws-external-id",
    reason: "Data is not exported to AWS. GET /metrics/slos and GET /api/v2/slos have the figures.",
  },
  {
    methods: ["GET"],
    path: "/api/data-sources/iam-role-auth-data/:name",
    reason: "Data sources of AWS are not supported: the server reads Prometheus.",
  },
  {
    methods: ["POST"],
    path: "/api/agentcommander/v2/commands/timeseries/execute",
    reason: "Queries are not run for a client. POST /api/indicators/test tries the queries of an indicator.",
  },
] as const

export const unsupportedCallsRoutes = unsupportedCalls.flatMap(({ methods, path, reason }) =>
  methods.map((method) => ({
    method,
    path,
    access: "token" as const,
    handler: () =>
      Effect.succeed(
        jsonResponse(404, JSON.stringify({ errors: [{ title: reason, code: "not_supported" }] })),
      ),
  })),
)
