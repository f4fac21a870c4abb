import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { PolledIndicator } from "../slo/PolledIndicator.ts"
import {
  type Answer,
  type AnswerInTime,
  type CounterGap,
  type GapQuery,
  type MetricFailure,
  metricFailureText,
  MetricsAreUnavailable,
  MetricSource,
  type QueryLimits,
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

/** Most samples that are expected of the queries that are asked at once, unless a single indicator has more. */
const samplesAskedMax = 300_000

/** How many groups of an expression are expected. */
const groupsExpected = 25

/** Most indicators that are read at once where queries are not answered together. */
const readsAtOnce = 5

type Reading = Effect.Effect<ReadonlyArray<CountsResult | undefined>, never, MetricSource>

/** Reads several indicators, such as once it is their turn. */
export type ReadsTogether = (read: Reading) => Reading

/** What reading may ask. */
export interface ReadLimits {
  /** Most queries in flight. */
  readonly queriesAtOnce: number
  /** When no more is read, in Unix milliseconds: what is not asked by then has no result, unless nothing else has one. */
  readonly endsAt?: number
}

/** What is planned to be read; absent `range`: nothing. */
interface PlannedRead {
  readonly range?: MinuteRange | undefined
  readonly read: Omit<IndicatorRead, "range">
}

/**
 * Reads the planned ranges, together as far as that is not too much at once, and uses the result of each, `usedAtOnce` at a time. Those that
 * are left are read after the others were used, until the end. What has no range is left out. Each `reading` is of one that is done at once.
 */
export const readEachTogether = <A extends PlannedRead, E, R>(
  planned: ReadonlyArray<A>,
  use: (each: A, result: CountsResult, range: MinuteRange) => Effect.Effect<unknown, E, R>,
  {
    usedAtOnce,
    reading = (read) => read,
    limits,
  }: { readonly usedAtOnce: number; readonly reading?: ReadsTogether; readonly limits?: ReadLimits },
): Effect.Effect<void, E, R | MetricSource> =>
  Effect.gen(function* () {
    let left = planned.flatMap((each) =>
      each.range === undefined ? [] : { each, read: { ...each.read, range: each.range } },
    )
    for (let size = left.length; left.length > 0;) {
      const some = left.slice(0, size)
      const results = yield* reading(
        readCountsTogether(
          some.map(({ read }) => read),
          limits,
        ),
      )
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
      if (yield* isOver(limits)) return
    }
  })

const isOver = (limits: ReadLimits | undefined): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => now >= (limits?.endsAt ?? Infinity))

/**
 * Reads several indicators as `readCounts` reads each. The queries of all are asked together, in rounds: what is asked next may
 * depend on the answers. If there are too many samples, or no time is left, the last ones are forgotten: they have no result. At least one
 * has a result.
 */
export const readCountsTogether = (reads: ReadonlyArray<IndicatorRead>, limits?: ReadLimits): Reading =>
  Effect.gen(function* () {
    const source = yield* MetricSource
    const { together } = source
    if (together === undefined || reads.length < 2) return yield* readEachAlone(source, reads, limits)
    const queryLimits: QueryLimits = {
      ...(limits !== undefined && { atOnce: limits.queriesAtOnce }),
      ...(limits?.endsAt !== undefined && { endsAt: limits.endsAt }),
    }
    let readings: ReadonlyArray<KnownRead> = reads.map((read) => ({ read, ...makeKnownSource(source) }))
    const [first] = readings
    const results = new Map<IndicatorRead, CountsResult>()
    for (let round = 0; round < roundsMax; round++) {
      const waiting = readings.filter(({ read }) => !results.has(read))
      if (waiting.length === 0) break
      for (const each of waiting) {
        // Other work may be done before the next.
        yield* Effect.yieldNow
        const result = yield* readWith(each.known)(each.read)
        if (!isAsking(each) || Result.isFailure(result)) results.set(each.read, result)
      }
      const unread = waiting.filter(({ read }) => !results.has(read))
      let isAsked = true
      for (const some of slicesOf(unread)) {
        isAsked = (results.size === 0 && some[0] === first) || !(yield* isOver(limits))
        if (!isAsked) break
        const askSeries = answer(
          some.map(({ series }) => series),
          (queries) => together.readSeries(queries, queryLimits),
        )
        const askGaps = answer(
          some.map(({ gaps }) => gaps),
          (queries) => together.readGaps(queries, queryLimits),
        )
        yield* Effect.all([askSeries, askGaps], { concurrency: limits === undefined ? 2 : 1, discard: true })
        isAsked = !some.some(isAsking)
        const kept = withinSamples(readings)
        const isTooMuch = kept.length < readings.length
        readings = kept
        if (isTooMuch || !isAsked) break
      }
      if (!isAsked) {
        const hasNone = results.size === 0 && !unread.some(hasFailed)
        for (const each of unread)
          if (limits?.endsAt === undefined || (hasNone && each === first)) failUnasked(each)
      }
      readings = readings.filter((each) => results.has(each.read) || !isAsking(each))
    }
    const kept = new Set(readings.map(({ read }) => read))
    return yield* Effect.forEach(reads, (read) => {
      const result = results.get(read)
      return result !== undefined || !kept.has(read) ? Effect.succeed(result) : readWith(source)(read)
    })
  })

/** Reads each by itself; those for which no time is left have no result, unlike the first one. */
const readEachAlone = (
  source: MetricSource["Service"],
  reads: ReadonlyArray<IndicatorRead>,
  limits: ReadLimits | undefined,
) =>
  Effect.forEach(
    reads,
    (read, index) =>
      Effect.flatMap(isOver(limits), (isOver) =>
        isOver && index > 0 ? Effect.undefined : readWith(source)(read),
      ),
    // Each asks two queries at once.
    { concurrency: limits === undefined ? readsAtOnce : Math.max(1, limits.queriesAtOnce >> 1) },
  )

/** An indicator with what is known of it. */
interface KnownRead extends ReturnType<typeof makeKnownSource> {
  readonly read: IndicatorRead
}

const isAsking = ({ series, gaps }: KnownRead): boolean => series.asked.size > 0 || gaps.asked.size > 0

/** Whether its next try fails. */
const hasFailed = ({ series, gaps }: KnownRead): boolean =>
  [series, gaps].some(({ answers }) =>
    [...answers.values()].some((answer: Result.Result<unknown, unknown>) => Result.isFailure(answer)),
  )

const failUnasked = ({ series, gaps }: KnownRead): void => {
  for (const { answers, asked } of [series, gaps]) {
    for (const key of asked.keys()) answers.set(key, Result.fail(failureOf("timeout")))
    asked.clear()
  }
}

/** Those that are asked at once, so that what is read of them is counted before the others are asked. */
const slicesOf = (unread: ReadonlyArray<KnownRead>): ReadonlyArray<ReadonlyArray<KnownRead>> => {
  const slices: Array<Array<KnownRead>> = []
  let samples = 0
  for (const each of unread) {
    const more = samplesExpected(each)
    samples += more
    const slice = slices.at(-1)
    if (slice === undefined || samples > samplesAskedMax) {
      slices.push([each])
      samples = more
    } else slice.push(each)
  }
  return slices
}

/** Gaps are rare. */
const samplesExpected = ({ series }: KnownRead): number => {
  let samples = 0
  for (const { from, to, stepMs = minuteMs, groupBy } of series.asked.values())
    samples += ((to - from) / stepMs + 1) * (groupBy === undefined ? 1 : groupsExpected)
  return samples
}

/** The first one, and those that have few enough samples with it. */
const withinSamples = (readings: ReadonlyArray<KnownRead>): ReadonlyArray<KnownRead> => {
  let samples = 0
  return readings.filter(({ series, gaps }, index) => {
    samples += samplesOf(series) + samplesOf(gaps)
    return index === 0 || samples <= samplesTogetherMax
  })
}

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

/** Asks what all of them have asked, and lets each know its answers; what the source did not ask is still asked afterwards. */
const answer = <Q, A>(
  all: ReadonlyArray<Known<Q, A>>,
  read: (queries: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<AnswerInTime<A>>>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const asked = all.flatMap((known) => [...known.asked].map(([key, query]) => ({ known, key, query })))
    if (asked.length === 0) return
    const answers = yield* read(asked.map(({ query }) => query))
    for (const [index, { known, key }] of asked.entries()) {
      // No answer is not one without samples, after which minutes would count as read.
      const given = answers[index] ?? Result.fail(failureOf("reader_unavailable"))
      if (given === "not_asked") continue
      known.asked.delete(key)
      known.answers.set(key, given)
    }
  })

const failureOf = (reason: MetricFailure): MetricsAreUnavailable =>
  new MetricsAreUnavailable({ reason, detail: metricFailureText[reason] })
