/** The responses of the API as `effect/Schema` values. */
export { BacktestSchema, ExplainedPolicySchema, ProposalsSchema } from "../backtests/BacktestsApi.ts"
export { IndicatorSchema, IndicatorTestSchema } from "../slos/IndicatorsApi.ts"
export { ReplaySchema } from "../slos/ReplaysApi.ts"
export { SloRecordSchema } from "../slos/StatusSchema.ts"
