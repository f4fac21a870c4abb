/** The responses of the API as `effect/Schema` values. */
export { HealthSchema, PreviewSchema, TestSchema } from "../alert-methods/AlertMethodSchema.ts"
export { AnnotationListSchema, AnnotationSchema } from "../annotations/AnnotationsApi.ts"
export { BacktestSchema, ExplainedPolicySchema, ProposalsSchema } from "../backtests/BacktestsApi.ts"
export { BudgetEffectsSchema } from "../budget-adjustments/BudgetAdjustmentsApi.ts"
export { DataSourceStatusSchema, DataSourceTestSchema } from "../data-sources/DataSourcesApi.ts"
export { DeliveryLogSchema, DeliverySchema } from "../deliveries/DeliverySchema.ts"
export { reportFormats } from "../reports/ReportFormat.ts"
export { ReportSummarySchema } from "../reports/ReportsApi.ts"

export { SilencePreviewSchema } from "../silences/SilencesApi.ts"
export { IndicatorSchema, IndicatorTestSchema } from "../slos/IndicatorsApi.ts"
export { ReplaySchema } from "../slos/ReplaysApi.ts"
export { SloRecordSchema } from "../slos/StatusSchema.ts"
