import { groupBy } from "@tocsin/domain/adapter"
import { minuteMs } from "@tocsin/domain/codec"
import type { AnswerInTime, MetricFailure, QueryLimits, Sample, SeriesQuery } from "@tocsin/domain/ports"
import type { CounterExpression } from "@tocsin/promql"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { callMaxMs, forgetOldest, serverKey, type WrittenQuery } from "./SeriesReader.ts"

const hourMs = 60 * minuteMs

/** Shortest range of which it is asked first in which hours its counters were steady, in milliseconds. */
const askedFirstMinMs = 4 * hourMs

/** Most parts of a range, besides the whole, that are read again. */
const partsMax = 8

/** How many instants the server evaluates for each hour. */
const evaluationsPerHour = 61

/** How long a server that did not answer in time is not asked which hours are steady, in milliseconds. */
const notAskedMs = hourMs

/** How long it is remembered which hours were steady, in milliseconds: the gaps of a range are read right after its events. */
const rememberedMs = minuteMs

/** Instants of a range, both included, in Unix milliseconds. */
type Instants = Pick<SeriesQuery, "from" | "to">

/** A query for events, and how its expression is written. */
export interface EventsQuery {
  readonly query: SeriesQuery
  readonly events: CounterExpression["events"]
  readonly steady?: CounterExpression["steady"] | undefined
}

type Read = (
  queries: ReadonlyArray<WrittenQuery>,
  limits?: QueryLimits,
) => Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>>

/** What finds and uses the hours without resets and gaps: nearly all of a long range, and a server evaluates them at a tenth of the cost. */
export interface SteadyHours {
  /**
   * The parts of the range of each query in which its counters may not be steady, in order. Of short ranges, and where that cannot be told,
   * it is the whole range. Fails as a server that is down or does not respond.
   */
  readonly interruptedOf: (
    queries: ReadonlyArray<EventsQuery>,
    limits: QueryLimits,
  ) => Effect.Effect<ReadonlyArray<AnswerInTime<Instants>>>
  /** Reads queries for events: where the counters are steady, by the cheaper expression. */
  readonly readEvents: (
    queries: ReadonlyArray<EventsQuery>,
    limits: QueryLimits,
  ) => Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>>
}

/** Limits of which all reads of one call share the time. */
export const limitsOfCall = (limits: QueryLimits = {}): Effect.Effect<QueryLimits> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    ...limits,
    endsAt: Math.min(limits.endsAt ?? Infinity, now + callMaxMs),
  }))

export const makeSteadyHours = (read: Read): SteadyHours => {
  /** Until when servers are not asked, in Unix milliseconds. */
  const slow = new Map<string, number>()
  const remembered = new WeakMap<SeriesQuery["server"], Map<string, Found>>()
  const foundOf = ({ server }: SeriesQuery): Map<string, Found> => {
    const found = remembered.get(server) ?? new Map<string, Found>()
    remembered.set(server, found)
    return found
  }

  const interruptedOf: SteadyHours["interruptedOf"] = (queries, limits) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = queries.map(({ query: { from, to } }): AnswerInTime<Instants> => whole({ from, to }))
      const asked = queries.flatMap(({ query, steady }, index) => {
        if (steady === undefined || !isLong(query) || (slow.get(serverKey(query)) ?? 0) > now) return []
        const before = foundOf(query).get(foundKey(query, steady.interrupted))
        if (before !== undefined && before.until > now) {
          found[index] = Result.succeed(before.parts)
          return []
        }
        const { groupBy: _, from, to, ...rest } = query
        const hours = { ...rest, from: firstHourOf({ from }), to: lastHourOf({ to }), stepMs: hourMs }
        return {
          query: hours,
          written: steady.interrupted,
          form: "interrupted" as const,
          evaluations: evaluationsPerHour,
          isComplete: true,
          index,
        }
      })
      const reads = asked.length === 0 ? [] : yield* read(asked, limits)
      for (const [place, { index, query, written }] of asked.entries()) {
        const answer = reads[place] ?? "not_asked"
        const of = queries[index]?.query
        if (of === undefined) continue
        if (answer === "not_asked") found[index] = answer
        else if (Result.isSuccess(answer)) {
          const parts = partsOf(answer.success, of)
          found[index] = Result.succeed(parts)
          foundOf(of).set(foundKey(of, written), { parts, until: now + rememberedMs })
          forgetOldest(foundOf(of))
        } else if (!isOfQuery.has(answer.failure.reason)) {
          found[index] = Result.fail(answer.failure)
          if (answer.failure.reason === "timeout") {
            slow.set(serverKey(query), now + notAskedMs)
            forgetOldest(slow)
          }
        }
      }
      return sharedParts(queries, found)
    })

  const readEvents: SteadyHours["readEvents"] = (queries, limits) =>
    Effect.gen(function* () {
      const interrupted = yield* interruptedOf(queries, limits)
      const parts = queries.flatMap(({ query, events, steady }, index) => {
        const instants = interrupted[index] ?? "not_asked"
        if (instants === "not_asked" || Result.isFailure(instants)) return []
        const again = instants.success.map((part) => ({
          query: { ...query, ...part },
          written: events,
          index,
          part,
        }))
        return steady === undefined || isWhole(instants.success, query)
          ? again
          : [{ query, written: steady.events, form: "steady" as const, index, part: undefined }, ...again]
      })
      const reads = yield* read(parts, limits)
      const byQuery = groupBy(
        parts.map((each, place) => ({ ...each, answer: reads[place] ?? "not_asked" })),
        ({ index }) => index,
      )
      const answers: Array<AnswerInTime<Sample>> = []
      const rejected: Array<EventsQuery & { readonly index: number }> = []
      for (const [index, each] of queries.entries()) {
        const instants = interrupted[index] ?? "not_asked"
        const all = byQuery.get(index) ?? []
        answers[index] =
          instants !== "not_asked" && Result.isFailure(instants)
            ? Result.fail(instants.failure)
            : all.length === 0
              ? "not_asked"
              : together(all)
        if (all.length > 1) yield* Effect.yieldNow
        const [cheap] = all
        // Not all servers know all functions.
        if (cheap !== undefined && cheap.part === undefined && isRejected(cheap.answer))
          rejected.push({ ...each, index })
      }
      if (rejected.length > 0) {
        const again = yield* read(
          rejected.map(({ query, events }) => ({ query, written: events })),
          limits,
        )
        for (const [place, { index }] of rejected.entries()) answers[index] = again[place] ?? "not_asked"
      }
      return answers
    })

  return { interruptedOf, readEvents }
}

/** The parts of a range that may not be steady. */
interface Found {
  readonly parts: ReadonlyArray<Instants>
  /** Until when it is remembered, in Unix milliseconds. */
  readonly until: number
}

const foundKey = ({ organization, from, to }: SeriesQuery, written: string): string =>
  `${organization} ${from} ${to} ${written}`

const whole = (range: Instants): AnswerInTime<Instants> => Result.succeed([range])

const isWhole = ([first]: ReadonlyArray<Instants>, { from, to }: Instants): boolean =>
  first?.from === from && first.to === to

const isLong = ({ from, to, stepMs = minuteMs }: SeriesQuery): boolean =>
  stepMs === minuteMs && from % minuteMs === 0 && to % minuteMs === 0 && to - from >= askedFirstMinMs

/** Only whole hours are asked for: some servers, and the caches before them, move other instants there. */
const firstHourOf = ({ from }: Pick<Instants, "from">): number => Math.ceil(from / hourMs) * hourMs

const lastHourOf = ({ to }: Pick<Instants, "to">): number => Math.floor(to / hourMs) * hourMs

/** The hours that end at the instants of samples, and what is left after the last hour. */
const partsOf = (ends: ReadonlyArray<Sample>, range: Instants): ReadonlyArray<Instants> => {
  const [first, last] = [firstHourOf(range), lastHourOf(range)]
  if (ends.some(({ at }) => at % hourMs !== 0 || at < first || at > last)) return [range]
  return merged([
    ...ends.map(({ at }) => ({ from: Math.max(range.from, at - hourMs + minuteMs), to: at })),
    ...(last < range.to ? [{ from: last + minuteMs, to: range.to }] : []),
  ])
}

/** Instants without overlaps, in order. */
const merged = (all: ReadonlyArray<Instants>): ReadonlyArray<Instants> => {
  const parts: Array<Instants> = []
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = parts.at(-1)
    if (last !== undefined && from <= last.to + minuteMs)
      parts[parts.length - 1] = { from: last.from, to: Math.max(last.to, to) }
    else parts.push({ from, to })
  }
  return parts
}

/**
 * The parts with those of other queries for the same range, so that all of them can be read together; the whole range if they are many, or
 * most of it.
 */
const sharedParts = (
  queries: ReadonlyArray<EventsQuery>,
  found: ReadonlyArray<AnswerInTime<Instants>>,
): ReadonlyArray<AnswerInTime<Instants>> => {
  const keyOf = ({ query }: EventsQuery): string => `${serverKey(query)} ${query.from} ${query.to}`
  const shared = new Map<string, ReadonlyArray<Instants>>()
  for (const [index, each] of queries.entries()) {
    const parts = partial(found[index], each.query)
    if (parts.length > 0) shared.set(keyOf(each), merged([...(shared.get(keyOf(each)) ?? []), ...parts]))
  }
  if (shared.size === 0) return found
  return queries.map((each, index) => {
    const { from, to } = each.query
    const answer = found[index] ?? "not_asked"
    if (partial(answer, each.query).length === 0) return answer
    const parts = shared.get(keyOf(each)) ?? []
    const length = parts.reduce((sum, part) => sum + part.to - part.from + minuteMs, 0)
    const isMuch = parts.length > partsMax || length > (to - from) / 2
    return isMuch ? whole({ from, to }) : Result.succeed(parts)
  })
}

/** Parts that are not the whole range; none where there are none, or they are not known. */
const partial = (found: AnswerInTime<Instants> | undefined, range: Instants): ReadonlyArray<Instants> =>
  found === undefined || found === "not_asked" || Result.isFailure(found) || isWhole(found.success, range)
    ? []
    : found.success

/** Failures of how a query is written, or of how much it asks for, and not of the server. */
const isOfQuery: ReadonlySet<MetricFailure> = new Set([
  "http_status",
  "query_failed",
  "query_invalid",
  "response_invalid",
  "response_too_large",
  "several_series",
])

const isRejected = (answer: AnswerInTime<Sample>): boolean =>
  answer !== "not_asked" && Result.isFailure(answer) && isOfQuery.has(answer.failure.reason)

/** The samples of a whole range, if there are some, of which those within parts are replaced. */
const together = (
  all: ReadonlyArray<{ readonly part: Instants | undefined; readonly answer: AnswerInTime<Sample> }>,
): AnswerInTime<Sample> => {
  const replaced = all.flatMap(({ part }) => part ?? [])
  const samples: Array<Sample> = []
  for (const { part, answer } of all) {
    if (answer === "not_asked" || Result.isFailure(answer)) return answer
    if (part === undefined) {
      let next = 0
      for (const sample of answer.success) {
        // Samples of each group are in order.
        if (sample.at < (replaced[next - 1]?.to ?? -Infinity)) next = 0
        while ((replaced[next]?.to ?? Infinity) < sample.at) next++
        if (sample.at < (replaced[next]?.from ?? Infinity)) samples.push(sample)
      }
    } else for (const sample of answer.success) samples.push(sample)
  }
  return Result.succeed(all.length === 1 ? samples : samples.toSorted((a, b) => a.at - b.at))
}
