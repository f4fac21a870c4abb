/** Data sources: reading indicators, backfills of history, and tests of sources and queries. */
export { listMetricNames } from "../../data-source/ListMetricNames.ts"
export { pollIndicators } from "../../data-source/PollIndicators.ts"
export { indicatorSettleMs } from "../../data-source/PollPlan.ts"
export { readCounts } from "../../data-source/ReadCounts.ts"
export { backfillIndicators } from "../../data-source/BackfillIndicators.ts"
export {
  cancelQueuedBackfills,
  cancelBackfill,
  findBackfill,
  isQueued,
  listBackfills,
  BackfillIsInvalid,
  BackfillIsNotResumable,
  BackfillNotFound,
  backfillNothing,
  backfillPercent,
  backfillRequest,
  resumeBackfill,
  startBackfill,
  startBackfillFrom,
} from "../../data-source/RequestBackfill.ts"
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
