/** Series, matchers, values and errors of queries, without what reads or evaluates a query. */
export { formatTime, formatValue } from "../FormatValue.ts"
export {
  evaluatedValuesMax,
  type InParts,
  labelsValues,
  makeInParts,
  type Parts,
  valuesPerUnit,
  type Work,
} from "../Parts.ts"
export { isMatch, type Matcher, type Query, type Selector } from "../Query.ts"
export { QueryFailed, QueryIsInvalid } from "../QueryErrors.ts"
export {
  type EvaluatedSeries,
  type Labels,
  labelsKey,
  placeFrom,
  type RangeValue,
  type SampledSeries,
  type ScalarValue,
  sortedByLabels,
  type StringValue,
  type Value,
  type VectorValue,
} from "../Series.ts"
