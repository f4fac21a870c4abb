/** PromQL: checking, parsing and advising on queries, for ports of the domain. */
export { promqlAdvisor } from "../promql/AdvisePromQl.ts"
export { checkPromQl } from "../promql/CheckPromQl.ts"
export { counterExpression } from "../promql/CounterExpression.ts"
export { promqlParser } from "../promql/PromQlParser.ts"
