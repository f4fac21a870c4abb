/** What forms of definitions need: limits, presets, states and names. These modules import nothing, so that a browser loads little. */
export { recommendedBurnRates } from "../alert-policy/RecommendedBurnRates.ts"
export { silenceName } from "../alert-policy/SilenceName.ts"
export { nameFromDisplayName } from "../codec/NameFromDisplayName.ts"
export { hiddenValue } from "../codec/HiddenValue.ts"
export { groupBy } from "../collections/GroupBy.ts"
export { type MergeConflict, type MergedDocument, mergeDocuments } from "../definition/MergeDocuments.ts"
export { attemptsMax } from "../delivery/RetryPolicy.ts"
export { type ReliabilityColumn, reliabilityColumns, sloSortKeys } from "../slo/SloListColumns.ts"
export { type ReportResult, statedResult } from "../report/ReportResult.ts"
export {
  countStates,
  isBurning,
  objectiveState,
  type ObjectiveState,
  objectiveStates,
  type StateCounts,
  worseState,
} from "../slo/ObjectiveState.ts"
export { detailsSelectedAtFirst, variableByName, variableField, variables } from "../template/Variable.ts"
