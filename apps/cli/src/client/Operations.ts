import {
  BacktestSchema,
  ExplainedPolicySchema,
  IndicatorSchema,
  IndicatorTestSchema,
  ProposalsSchema,
  ReplaySchema,
  ReportSummarySchema,
  SilencePreviewSchema,
} from "@tocsin/adapters-http/schemas"
import { resource } from "@tocsin/api"
import { alertSilence } from "@tocsin/domain"
import { backtestRequest } from "@tocsin/domain/features/backtest"
import { indicatorTestRequest, replayRequest } from "@tocsin/domain/features/data-source"
import { reportRequest } from "@tocsin/domain/features/report"
import * as Schema from "effect/Schema"
import { WarningTexts } from "./Warnings.ts"

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
  explainPolicy: {
    method: "GET",
    path: "/api/slos/:sloName/explain",
    headers,
    query: { alertPolicy: Schema.String, from: text, to: text },
    success: Schema.Struct({ ...ExplainedPolicySchema.fields, warnings: WarningTexts }),
    summary: "Explain an alert policy",
  },
  proposeTargets: {
    method: "GET",
    path: "/api/slos/:sloName/proposals",
    headers,
    success: ProposalsSchema,
    summary: "Propose targets for an SLO",
  },
})

export type Backtest = typeof BacktestSchema.Encoded
export type Proposals = typeof ProposalsSchema.Encoded

export const indicators = resource("Indicators", {
  findIndicator: {
    method: "GET",
    path: "/api/slos/:sloName/indicator",
    headers,
    success: IndicatorSchema,
    summary: "Retrieve the state of an SLO's indicator",
  },
  testIndicator: {
    method: "POST",
    path: "/api/indicators/test",
    body: indicatorTestRequest,
    success: IndicatorTestSchema,
    summary: "Test an SLO's indicator",
  },
})

export type Indicator = typeof IndicatorSchema.Encoded
export type IndicatorTest = typeof IndicatorTestSchema.Encoded

export const silences = resource("Alert silences", {
  previewSilence: {
    method: "POST",
    path: "/api/alertsilences/preview",
    body: alertSilence,
    success: SilencePreviewSchema,
    summary: "Preview an alert silence",
  },
})

export type SilencePreview = typeof SilencePreviewSchema.Encoded

const replay = "/api/slos/:sloName/indicator/replay"

export const replays = resource("Replays", {
  startReplay: {
    method: "POST",
    path: replay,
    headers,
    body: replayRequest,
    success: ReplaySchema,
    summary: "Start a replay",
  },
  findReplay: { method: "GET", path: replay, headers, success: ReplaySchema, summary: "Retrieve a replay" },
  cancelReplay: {
    method: "DELETE",
    path: replay,
    headers,
    success: ReplaySchema,
    summary: "Cancel a replay",
  },
  resumeReplay: {
    method: "POST",
    path: `${replay}/resume`,
    headers,
    success: ReplaySchema,
    summary: "Resume a replay",
  },
})

export type Replay = typeof ReplaySchema.Encoded

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
