/** The responses of the API as `effect/Schema` values. */
export { BacktestSchema, ExplainedPolicySchema, ProposalsSchema } from "../backtests/BacktestsApi.ts"
export { reportFormats } from "../reports/ReportFormat.ts"
export { ReportSummarySchema } from "../reports/ReportsApi.ts"

export { SilencePreviewSchema } from "../silences/SilencesApi.ts"
