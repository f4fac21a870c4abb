import type { PromQlAdvisor } from "./PromQlAdvice.ts"

/** Checks PromQL without a server: returns what is wrong in an expression, as clauses with line and column; none if it is valid. */
export type PromQlCheck = (expression: string) => ReadonlyArray<string>

/** What a definition's expressions are checked with. */
export interface PromQlContext {
  /** Finds warnings about valid expressions; absent: there are none. */
  readonly promqlAdvisor?: PromQlAdvisor
  /** Absent: not checked, such as in stored definitions. */
  readonly checkPromQl?: PromQlCheck
}
