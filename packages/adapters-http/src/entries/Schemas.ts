/** The responses of the API as `effect/Schema` values. */
export { BacktestSchema, ExplainedPolicySchema, ProposalsSchema } from "../backtests/BacktestsApi.ts"
