/** PromQL as text: parsing, checking, and advice on queries that count events. */
export { promqlAdvisor } from "../AdvisePromQl.ts"
export type { PromQlAdvice, PromQlAdviceCode, PromQlAdvisor, QueryUse } from "../PromQlAdvice.ts"
export {
  checkPromQl,
  functionNames,
  parsePromQl,
  promqlErrorsMax,
  type SyntaxProblem,
} from "../CheckPromQl.ts"
export { type CounterExpression, counterExpression, cumulativeExpression } from "../CounterExpression.ts"
export { durationToMs } from "../Literals.ts"
export { type ExpressionShape, shapeOf, togetherExpression } from "../TogetherExpression.ts"
export { promqlParser } from "../PromQlParser.ts"
