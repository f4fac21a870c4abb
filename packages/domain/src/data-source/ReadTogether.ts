import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PolledIndicator } from "../slo/PolledIndicator.ts"
import {
  type Answer,
  type CounterGap,
  type GapQuery,
  type MetricsAreUnavailable,
  MetricSource,
  type Sample,
  type SeriesQuery,
} from "./MetricSource.ts"
import { readCounts, type ReadCounts } from "./ReadCounts.ts"
import type { CountsRead } from "./ReadEvents.ts"

/** What is read of an indicator. */
export interface IndicatorRead extends Omit<CountsRead, "server"> {
  readonly indicator: PolledIndicator
  /** Absent: it is gone. */
  readonly server: CountsRead["server"] | undefined
}

type CountsResult = Result.Result<ReadCounts, MetricsAreUnavailable>

/** Most rounds of queries; a round asks what the answers of the one before give rise to. */
const roundsMax = 8

/** Most indicators that are read at once where queries are not answered together. */
const readsAtOnce = 5

/**
 * Reads several indicators as `readCounts` reads each. The queries of all are asked together, in rounds: what is asked next may
 * depend on the answers.
 */
export const readCountsTogether = (
  reads: ReadonlyArray<IndicatorRead>,
): Effect.Effect<ReadonlyArray<CountsResult>, never, MetricSource> =>
  Effect.gen(function* () {
    const source = yield* MetricSource
    const { together } = source
    if (together === undefined || reads.length < 2)
      return yield* Effect.forEach(reads, readWith(source), { concurrency: readsAtOnce })
    const readings = reads.map((read) => ({ read, ...makeKnownSource(source) }))
    const results = new Map<IndicatorRead, CountsResult>()
    for (let round = 0; round < roundsMax && results.size < reads.length; round++) {
      const waiting = readings.filter(({ read }) => !results.has(read))
      for (const { read, known, series, gaps } of waiting) {
        // Other work may be done before the next.
        yield* Effect.yieldNow
        const result = yield* readWith(known)(read)
        const isComplete = series.asked.size === 0 && gaps.asked.size === 0
        if (isComplete || Result.isFailure(result)) results.set(read, result)
      }
      const unread = waiting.filter(({ read }) => !results.has(read))
      yield* Effect.all(
        [
          answer(
            unread.map(({ series }) => series),
            together.readSeries,
          ),
          answer(
            unread.map(({ gaps }) => gaps),
            together.readGaps,
          ),
        ],
        { concurrency: 2 },
      )
    }
    return yield* Effect.forEach(reads, (read) => {
      const result = results.get(read)
      return result === undefined ? readWith(source)(read) : Effect.succeed(result)
    })
  })

const readWith =
  (source: MetricSource["Service"]) =>
  ({ organization, slo, indicator, server, range, oldest }: IndicatorRead): Effect.Effect<CountsResult> =>
    readCounts(organization, slo, indicator, server, range, oldest).pipe(
      Effect.provideService(MetricSource, source),
      Effect.result,
    )

/** Queries of one kind: what is known, and what has been asked and is not. */
interface Known<Q, A> {
  readonly answers: Map<string, Answer<A>>
  readonly asked: Map<string, Q>
}

/** A source that knows answers; what it does not know is remembered, and has no samples for now. */
const makeKnownSource = ({ readNames }: MetricSource["Service"]) => {
  const series: Known<SeriesQuery, Sample> = { answers: new Map(), asked: new Map() }
  const gaps: Known<GapQuery, CounterGap> = { answers: new Map(), asked: new Map() }
  const ask =
    <Q extends SeriesQuery, A>({ answers, asked }: Known<Q, A>) =>
    (query: Q): Effect.Effect<ReadonlyArray<A>, MetricsAreUnavailable> =>
      Effect.suspend(() => {
        const { organization: _organization, server: _server, ...rest } = query
        const key = JSON.stringify(rest)
        const found = answers.get(key)
        if (found !== undefined) return Effect.fromResult(found)
        asked.set(key, query)
        return Effect.succeed([])
      })
  const known: MetricSource["Service"] = { readSeries: ask(series), readGaps: ask(gaps), readNames }
  return { known, series, gaps }
}

/** Asks what all of them have asked, and lets each know its answers. */
const answer = <Q, A>(
  all: ReadonlyArray<Known<Q, A>>,
  read: (queries: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<Answer<A>>>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const asked = all.flatMap((known) => [...known.asked].map(([key, query]) => ({ known, key, query })))
    if (asked.length === 0) return
    const answers = yield* read(asked.map(({ query }) => query))
    for (const [index, { known, key }] of asked.entries()) {
      known.asked.delete(key)
      known.answers.set(key, answers[index] ?? Result.succeed([]))
    }
  })
