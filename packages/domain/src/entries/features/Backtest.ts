/** Backtests: what an alert policy would have done in the past, and targets proposed from history. */
export {
  backtestIndicator,
  indicatorBacktestRequest,
  readIndicatorHistory,
} from "../../backtest/BacktestIndicator.ts"
export {
  type Backtest,
  backtestFields,
  BacktestIsInvalid,
  backtestPolicy,
  backtestRequest,
} from "../../backtest/BacktestPolicy.ts"
export {
  AlertPolicyNotFound,
  type ExplainedHold,
  type ExplainedMinute,
  type ExplainedPolicy,
  explainPolicy,
} from "../../backtest/ExplainPolicy.ts"
export { proposalMetShare, type Proposals, proposeTargets } from "../../backtest/ProposeTargets.ts"
export { type CountHistory, makeCountHistory } from "../../backtest/CountHistory.ts"
export { burnedBudget, runBacktest } from "../../backtest/RunBacktest.ts"
