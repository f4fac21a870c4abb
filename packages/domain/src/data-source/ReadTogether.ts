import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { PolledIndicator } from "../slo/PolledIndicator.ts"
import {
  type Answer,
  type CounterGap,
  type GapQuery,
  metricFailureText,
  MetricsAreUnavailable,
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

export type CountsResult = Result.Result<ReadCounts, MetricsAreUnavailable>

/** Most rounds of queries; a round asks what the answers of the one before give rise to. */
const roundsMax = 8

/** Most samples of indicators that are read together, unless a single one has more: several times as many as are expected. */
const samplesTogetherMax = 600_000

/** Most indicators that are read at once where queries are not answered together. */
const readsAtOnce = 5

type Reading = Effect.Effect<ReadonlyArray<CountsResult | undefined>, never, MetricSource>

/** Reads several indicators, such as once it is their turn. */
export type ReadsTogether = (read: Reading) => Reading

/** What is planned to be read; absent `range`: nothing. */
interface PlannedRead {
  readonly range?: MinuteRange | undefined
  readonly read: Omit<IndicatorRead, "range">
}

/**
 * Reads the planned ranges, together as far as that is not too much at once, and uses the result of each, `usedAtOnce` at a time. Those that
 * are left are read after the others were used. What has no range is left out. Each `reading` is of one that is done at once.
 */
export const readEachTogether = <A extends PlannedRead, E, R>(
  planned: ReadonlyArray<A>,
  use: (each: A, result: CountsResult, range: MinuteRange) => Effect.Effect<unknown, E, R>,
  { usedAtOnce, reading = (read) => read }: { readonly usedAtOnce: number; readonly reading?: ReadsTogether },
): Effect.Effect<void, E, R | MetricSource> =>
  Effect.gen(function* () {
    let left = planned.flatMap((each) =>
      each.range === undefined ? [] : { each, read: { ...each.read, range: each.range } },
    )
    for (let size = left.length; left.length > 0;) {
      const some = left.slice(0, size)
      const results = yield* reading(readCountsTogether(some.map(({ read }) => read)))
      const read = some.flatMap(({ each, read: { range } }, index) => {
        const result = results[index]
        return result === undefined ? [] : { each, result, range }
      })
      yield* Effect.forEach(read, ({ each, result, range }) => use(each, result, range), {
        concurrency: usedAtOnce,
        discard: true,
      })
      size = read.length
      left = left.filter((_, index) => index >= some.length || results[index] === undefined)
    }
  })

/**
 * Reads several indicators as `readCounts` reads each. The queries of all are asked together, in rounds: what is asked next may
 * depend on the answers. If there are too many samples, the last ones are forgotten: they have no result, unlike the first one.
 */
export const readCountsTogether = (reads: ReadonlyArray<IndicatorRead>): Reading =>
  Effect.gen(function* () {
    const source = yield* MetricSource
    const { together } = source
    if (together === undefined || reads.length < 2)
      return yield* Effect.forEach(reads, readWith(source), { concurrency: readsAtOnce })
    let readings = reads.map((read) => ({ read, ...makeKnownSource(source) }))
    const results = new Map<IndicatorRead, CountsResult>()
    for (let round = 0; round < roundsMax; round++) {
      const waiting = readings.filter(({ read }) => !results.has(read))
      if (waiting.length === 0) break
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
      let samples = 0
      readings = readings.filter(({ series, gaps }, index) => {
        samples += samplesOf(series) + samplesOf(gaps)
        return index === 0 || samples <= samplesTogetherMax
      })
    }
    const kept = new Set(readings.map(({ read }) => read))
    return yield* Effect.forEach(reads, (read) => {
      const result = results.get(read)
      return result !== undefined || !kept.has(read) ? Effect.succeed(result) : readWith(source)(read)
    })
  })

const samplesOf = <Q, A>({ answers }: Known<Q, A>): number => {
  let samples = 0
  for (const answer of answers.values()) samples += Result.isSuccess(answer) ? answer.success.length : 0
  return samples
}

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
      known.answers.set(key, answers[index] ?? Result.fail(unanswered()))
    }
  })

/** No answer is not one without samples, after which minutes would count as read. */
const unanswered = (): MetricsAreUnavailable =>
  new MetricsAreUnavailable({
    reason: "reader_unavailable",
    detail: metricFailureText.reader_unavailable,
  })
