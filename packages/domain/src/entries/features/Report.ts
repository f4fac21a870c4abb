/** Reports: signed summaries of SLOs over a period. */
export { createReport, reportRequest, ReportRequestIsInvalid } from "../../report/CreateReport.ts"
export { findReport, findReportSignature, listReports, ReportNotFound } from "../../report/ListReports.ts"
export { makeReports } from "../../report/MakeReports.ts"
export {
  type Report,
  type ReportAdjustment,
  type ReportAlert,
  type ReportDocument,
  reportDocument,
  type ReportMeasurement,
  type ReportSummary,
} from "../../report/Report.ts"
export { type ReportResult, statedResult } from "../../report/ReportResult.ts"
