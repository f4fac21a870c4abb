import type { Indicator } from "../slo/Indicator.ts"
import type { MetricFailure } from "./MetricSource.ts"

/** How far the counts of an indicator are read. Source: decision 0605. */
export interface IndicatorState {
  /** What is read; a changed indicator begins anew. */
  readonly indicator: Indicator
  /** Every minute before is read, as far back as counts are taken; in Unix milliseconds. 0: nothing is yet. */
  readonly readTo: number
  /** How often in a row reading has failed. */
  readonly failures: number
  /** When it succeeded last, in Unix milliseconds. */
  readonly succeededAt?: number
  /** What was wrong when it was tried last. */
  readonly problem?: IndicatorProblem
}

/** What is wrong with an indicator, in words the user can act on; `at` in Unix milliseconds. */
export interface IndicatorProblem {
  readonly reason: MetricFailure | SampleProblem
  readonly detail: string
  readonly at: number
}

/**
 * What can be wrong with what an expression yields: a value that is negative, infinite or too large; no value of good
 * where there is one of total; or far more good than total.
 *
 * Source: decision 0605.
 */
export const sampleProblems = ["value_invalid", "good_missing", "good_above_total"] as const

/** One of `sampleProblems`. */
export type SampleProblem = (typeof sampleProblems)[number]

/** The server of an indicator, by which polls are told apart: `https://prometheus.example.com:9090`. */
export const serverOf = ({ prometheus }: Indicator): string => {
  const { protocol, host } = new URL(prometheus.url)
  return `${protocol}//${host}`
}
