import { BacktestSchema, ReportSummarySchema } from "@tocsin/adapters-http/schemas"
import { resource } from "@tocsin/api"
import { backtestRequest } from "@tocsin/domain/features/backtest"
import { reportRequest } from "@tocsin/domain/features/report"
import * as Schema from "effect/Schema"

// The operations that `@tocsin/api` does not declare yet, with their names there: to use the declared ones, import these
// resources from there.

const headers = { project: Schema.String }
const text = Schema.optionalKey(Schema.String)

export const backtests = resource("Backtests", {
  backtestPolicy: {
    method: "POST",
    path: "/api/slos/:sloName/backtest",
    headers,
    body: backtestRequest,
    success: BacktestSchema,
    summary: "Backtest an alert policy",
  },
})

export const reports = resource("Reports", {
  listReports: {
    method: "GET",
    path: "/api/reports",
    query: { project: text, slo: text, from: text, to: text },
    success: { page: ReportSummarySchema, identifier: "ReportPage" },
    summary: "List reports",
  },
  createReport: {
    method: "POST",
    path: "/api/reports",
    body: reportRequest,
    success: ReportSummarySchema,
    summary: "Create a report",
  },
})
