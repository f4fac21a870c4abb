import * as Effect from "effect/Effect"
import { evaluate, selectionsOf } from "./Evaluate.ts"
import { makeInParts } from "./Parts.ts"
import { isMatch } from "./Query.ts"
import type { QueryFailed, QueryIsInvalid } from "./QueryErrors.ts"
import { readQuery } from "./ReadQuery.ts"
import { type SampledSeries, sortedByLabels, type Value } from "./Series.ts"

/** When and how a query is evaluated. */
export interface EvaluateOptions {
  /** When, in Unix milliseconds, ascending; one time for an instant query. */
  readonly times: ReadonlyArray<number>
  /** How long a sample is the current one, in milliseconds. Default: 5 minutes, as in Prometheus. */
  readonly lookbackMs?: number
  /** The end of the range of `@ end()`, in Unix milliseconds. Default: the last time. */
  readonly end?: number
  /** Runs between the parts of the work, each at most some 10 ms. Default: other fibers run. */
  readonly pause?: (units: number) => Effect.Effect<unknown>
}

/** Evaluates a query over series in memory, each in the range that the query needs or longer. */
export const evaluateOver = (
  text: string,
  series: ReadonlyArray<SampledSeries>,
  { times, lookbackMs = 300_000, end = times.at(-1) ?? 0, pause = () => Effect.yieldNow }: EvaluateOptions,
): Effect.Effect<Value, QueryIsInvalid | QueryFailed> =>
  Effect.gen(function* () {
    const query = yield* Effect.fromResult(readQuery(text))
    const evaluation = { times: Float64Array.from(times), end, lookbackMs }
    const inParts = makeInParts(pause)
    const sorted = sortedByLabels(series, ({ labels }) => labels)
    const samplesOf = new Map(
      (yield* selectionsOf(query, evaluation, inParts)).map(({ selector }) => [
        selector,
        sorted.filter(({ labels }) =>
          selector.matchers.every((matcher) => isMatch(matcher, labels.get(matcher.label) ?? "")),
        ),
      ]),
    )
    return yield* evaluate(query, evaluation, samplesOf, inParts)
  })
