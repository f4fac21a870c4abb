/**
 * What the values of a query are taken for: the events of the last minute, which are good, bad or all; a counter that only grows, whose
 * increase is computed; or a value that is compared.
 */
export type QueryUse = "good" | "bad" | "total" | "counter" | "value"

/** The kind of problem that a query has. */
export type PromQlAdviceCode =
  | "counter_without_increase"
  | "foreign_placeholder"
  | "increase_of_increase"
  | "range_not_one_minute"
  | "rate_not_count"
  | "ratio_not_count"

/** Why a query probably does not return what it is used for. */
export interface PromQlAdvice {
  /** The kind of problem. */
  readonly code: PromQlAdviceCode
  /** A clause about the query, such as `returns a rate per second`. */
  readonly message: string
  /** The corrected query; absent where none is known. */
  readonly suggestion?: string
}

/** Reads queries without a server. */
export interface PromQlAdvisor {
  /** What is wrong with a query for a use; none of one that is not valid. */
  readonly advise: (expression: string, use: QueryUse) => ReadonlyArray<PromQlAdvice>
  /** The query with its series aggregated to one; `undefined` if it returns only one, or is not valid. */
  readonly oneSeries: (expression: string, use: QueryUse) => string | undefined
  /** The names of the metrics of a query, each once. */
  readonly metricNames: (expression: string) => ReadonlyArray<string>
}
