import { minuteMs } from "@tocsin/domain/codec"
import type { AnswerInTime, QueryLimits, Sample, SeriesQuery } from "@tocsin/domain/ports"
import type { CounterExpression } from "@tocsin/promql"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { WrittenQuery } from "./SeriesReader.ts"

const hourMs = 60 * minuteMs

/** Shortest range of which it is asked first in which hours its counters were steady, in milliseconds. */
const askedFirstMinMs = 4 * hourMs

/** Most parts of a range, besides the whole, that are read again. */
const partsMax = 4

/** Instants of a range, both included, in Unix milliseconds. */
type Instants = Pick<SeriesQuery, "from" | "to">

/** A query for events, and how its expression is written. */
export interface EventsQuery {
  readonly query: SeriesQuery
  readonly events: CounterExpression["events"]
  readonly steady?: CounterExpression["steady"] | undefined
}

/** The parts of the range of each query in which its counters may not be steady, in order; or that it was not asked. */
type Interrupted = ReadonlyArray<Instants> | "not_asked"

type Read = (
  queries: ReadonlyArray<WrittenQuery>,
  limits?: QueryLimits,
) => Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>>

/**
 * Finds where counters have resets or gaps: nearly all of a long range has none, and costs a server a tenth to evaluate. Of short ranges,
 * and where that cannot be told, it is the whole range.
 */
export const interruptedOf = (
  read: Read,
  queries: ReadonlyArray<EventsQuery>,
  limits?: QueryLimits,
): Effect.Effect<ReadonlyArray<Interrupted>> =>
  Effect.gen(function* () {
    const found: Array<Interrupted> = queries.map(({ query: { from, to } }) => [{ from, to }])
    const asked = queries.flatMap(({ query, steady }, index) => {
      if (steady === undefined || !isLong(query)) return []
      const { groupBy: _, to, ...rest } = query
      const from = to - Math.floor((to - query.from) / hourMs) * hourMs
      return { query: { ...rest, from, to, stepMs: hourMs }, written: steady.interrupted, index }
    })
    for (const [place, answer] of (yield* read(asked, limits)).entries()) {
      const of = asked[place]
      if (of === undefined) continue
      if (answer === "not_asked") found[of.index] = answer
      else if (Result.isSuccess(answer)) found[of.index] = partsOf(answer.success, queries[of.index]?.query)
    }
    return found
  })

const isLong = ({ from, to, stepMs = minuteMs }: SeriesQuery): boolean =>
  stepMs === minuteMs && from % minuteMs === 0 && to % minuteMs === 0 && to - from >= askedFirstMinMs

/** The hours that end at the instants of samples; the whole range if they are many. */
const partsOf = (ends: ReadonlyArray<Sample>, whole: Instants | undefined): ReadonlyArray<Instants> => {
  if (whole === undefined) return []
  const parts: Array<Instants> = []
  let length = 0
  for (const { at } of ends) {
    const from = Math.max(whole.from, at - hourMs + minuteMs)
    const last = parts.at(-1)
    length += at - from + minuteMs
    if (last?.to === from - minuteMs) parts[parts.length - 1] = { from: last.from, to: at }
    else parts.push({ from, to: at })
  }
  const isMost = length > (whole.to - whole.from) / 2
  return parts.length > partsMax || isMost ? [{ from: whole.from, to: whole.to }] : parts
}

/** Reads queries for events: where the counters are steady, by the cheaper expression. */
export const readEvents = (
  read: Read,
  queries: ReadonlyArray<EventsQuery>,
  limits?: QueryLimits,
): Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>> =>
  Effect.gen(function* () {
    const interrupted = yield* interruptedOf(read, queries, limits)
    const parts = queries.flatMap(({ query, events, steady }, index) => {
      const instants = interrupted[index] ?? "not_asked"
      if (instants === "not_asked") return []
      const isWhole = instants[0]?.from === query.from && instants[0].to === query.to
      return [
        ...(isWhole || steady === undefined ? [] : [{ query, written: steady.events, index }]),
        ...instants.map((part) => ({ query: { ...query, ...part }, written: events, index })),
      ]
    })
    const answers: Array<AnswerInTime<Sample> | undefined> = []
    for (const [place, answer] of (yield* read(parts, limits)).entries()) {
      const of = parts[place]
      if (of === undefined) continue
      answers[of.index] = bothOf(answers[of.index], answer, replacedWithin(of.query))
    }
    return queries.map((_, index) => answers[index] ?? "not_asked")
  })

/** Samples of which those at some instants are others. */
const replacedWithin =
  ({ from, to }: Instants) =>
  (all: ReadonlyArray<Sample>, within: ReadonlyArray<Sample>): ReadonlyArray<Sample> =>
    [...all.filter(({ at }) => at < from || at > to), ...within].toSorted((a, b) => a.at - b.at)

/** Two answers in one, if both are known. */
export const bothOf = <A>(
  first: AnswerInTime<A> | undefined,
  second: AnswerInTime<A>,
  combined: (first: ReadonlyArray<A>, second: ReadonlyArray<A>) => ReadonlyArray<A>,
): AnswerInTime<A> => {
  if (first === undefined) return second
  if (first === "not_asked" || Result.isFailure(first)) return first
  if (second === "not_asked" || Result.isFailure(second)) return second
  return Result.succeed(combined(first.success, second.success))
}
