/** Data sources: reading indicators, replays of history, and tests of sources and queries. */
export { listMetricNames } from "../../data-source/ListMetricNames.ts"
export { pollIndicators } from "../../data-source/PollIndicators.ts"
export { indicatorSettleMs } from "../../data-source/PollPlan.ts"
export { readCounts } from "../../data-source/ReadCounts.ts"
export { replayIndicators } from "../../data-source/ReplayIndicators.ts"
export {
  cancelQueuedReplays,
  cancelReplay,
  findReplay,
  isQueued,
  listReplays,
  ReplayIsInvalid,
  ReplayIsNotResumable,
  ReplayNotFound,
  replayNothing,
  replayPercent,
  replayRequest,
  resumeReplay,
  startReplay,
  startReplayFrom,
} from "../../data-source/RequestReplay.ts"
export {
  findDataSource,
  listDataSources,
  type ListedDataSource,
  sourceStates,
} from "../../data-source/SourceState.ts"
export {
  DataSourceNotFound,
  DataSourceTestIsInvalid,
  dataSourceTestRequest,
  testDataSource,
  testProposedSource,
} from "../../data-source/TestDataSource.ts"
export {
  type IndicatorTest,
  IndicatorTestIsInvalid,
  indicatorTestRequest,
  testIndicator,
} from "../../data-source/TestIndicator.ts"
