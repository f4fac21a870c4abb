/** Reading and evaluating queries over any series. */
export { evaluate, type Evaluation, type Selection, selectionsOf } from "../Evaluate.ts"
export { evaluateOver, type EvaluateOptions } from "../EvaluateOver.ts"
export { regexesInstructionsMax } from "../LabelRegex.ts"
export { readQuery, readSelector } from "../ReadQuery.ts"
export {
  type LabelColumn,
  type ReducedSeries,
  reduceTable,
  type Reduction,
  reductionsOf,
  type SeriesTable,
} from "../ReduceTable.ts"
