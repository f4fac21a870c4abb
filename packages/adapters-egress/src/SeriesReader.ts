import { makeMask } from "@tocsin/domain"
import { minuteMs } from "@tocsin/domain/codec"
import type { Answer, MetricFailure, MetricsAreUnavailable, Sample, SeriesQuery } from "@tocsin/domain/ports"
import { type ExpressionShape, shapeOf, togetherExpression } from "@tocsin/promql"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { metricFailure, type ReadSeries, readSeriesResponse, samplesOfSeries } from "./PrometheusResponse.ts"

/** Most points of a series that Prometheus returns in one response. */
const seriesPointsMax = 11_000

/** Most points that are asked for in one query of several expressions, all series together. */
const pointsPerQueryMax = 100_000

/** Most expressions that one query reads. */
const expressionsPerQueryMax = 100

/** Longest query of several expressions, in characters; proxies reject long requests. */
const queryMaxCharacters = 64 * 1024

/** Most queries of one call that are in flight. */
const queriesAtOnce = 2

/** Fewest points of one series that are still read in halves after the query failed: two days. */
const halvedPointsMin = 2_880

/** Most servers of which it is remembered how much of them can be read at once. */
const serversMax = 1_000

/** A response to a range query. */
export interface SeriesResponse {
  readonly status: number
  readonly body: string
  /** Whether the body was read completely; otherwise it is too large. */
  readonly isComplete: boolean
  /** What was sent that the answer may repeat. */
  readonly secrets: ReadonlyArray<string>
}

/** A query, and its expression as it is sent. */
export interface WrittenQuery {
  readonly query: SeriesQuery
  readonly written: string
}

interface Member extends WrittenQuery {
  readonly shape: ExpressionShape | undefined
  /** Where its answer belongs. */
  readonly places: ReadonlyArray<number>
}

type ReadMember = Result.Result<ReadonlyArray<ReadSeries>, MetricsAreUnavailable>

/**
 * Reads range queries, of which those that are alike are one request. What fails for several is read in halves down to each
 * alone, so that none keeps others from being read; and what fails alone, by halves of its range. How much a server can answer
 * at once is remembered.
 *
 * `ask` sends one range query, and fails with its own errors only.
 */
export const makeSeriesReader = (
  ask: (
    query: SeriesQuery,
    points: number,
    series: number,
  ) => Effect.Effect<SeriesResponse, MetricsAreUnavailable>,
): ((queries: ReadonlyArray<WrittenQuery>) => Effect.Effect<ReadonlyArray<Answer<Sample>>>) => {
  const pointsAtOnce = new Map<string, number>()
  const pointsOf = ({ organization, server }: SeriesQuery, change?: (points: number) => number): number => {
    const key = `${organization} ${server.url.text}`
    const known = pointsAtOnce.get(key) ?? pointsPerQueryMax
    if (change === undefined) return known
    const points = Math.max(1, Math.min(pointsPerQueryMax, Math.floor(change(known))))
    pointsAtOnce.delete(key)
    // Only what is not the default needs to be remembered.
    if (points < pointsPerQueryMax) pointsAtOnce.set(key, points)
    const [oldest] = pointsAtOnce.keys()
    if (pointsAtOnce.size > serversMax && oldest !== undefined) pointsAtOnce.delete(oldest)
    return points
  }

  const send = (query: SeriesQuery, expressions: number): Effect.Effect<ReadMember> =>
    Effect.gen(function* () {
      const response = yield* ask(query, countOfPoints(query), expressions)
      if (!response.isComplete) return Result.fail(metricFailure("response_too_large"))
      const { status, body, secrets } = response
      return yield* Effect.promise(() => readSeriesResponse(status, body, makeMask(secrets)))
    }).pipe(Effect.catch((error) => Effect.succeed(Result.fail(error))))

  const readAlone = ({ query, written }: WrittenQuery): Effect.Effect<ReadMember> =>
    Effect.gen(function* () {
      const points = countOfPoints(query)
      if (points <= seriesPointsMax) {
        const read = yield* send({ ...query, expression: written }, 1)
        if (Result.isSuccess(read) || points < halvedPointsMin || !canBeLess.has(read.failure.reason))
          return read
      }
      const [first, second] = halvesOf(query)
      const earlier = yield* readAlone({ query: first, written })
      if (Result.isFailure(earlier)) return earlier
      const later = yield* readAlone({ query: second, written })
      return Result.map(later, (series) => joinedSeries(earlier.success, series))
    })

  const readHalves = (members: ReadonlyArray<Member>): Effect.Effect<ReadonlyArray<ReadMember>> => {
    const middle = members.length >> 1
    const halves = [members.slice(0, middle), members.slice(middle)]
    return Effect.map(Effect.forEach(halves, readTogether, { concurrency: queriesAtOnce }), (all) =>
      all.flat(),
    )
  }

  /** Reads members that are alike, in their order. */
  const readTogether = (members: ReadonlyArray<Member>): Effect.Effect<ReadonlyArray<ReadMember>> =>
    Effect.gen(function* () {
      const [first] = members
      if (first === undefined) return []
      if (members.length === 1) return [yield* readAlone(first)]
      const points = countOfPoints(first.query)
      if (points > seriesPointsMax) {
        const [early, late] = halvesOf(first.query)
        const earlier = yield* readTogether(members.map((member) => ({ ...member, query: early })))
        const later = yield* readTogether(members.map((member) => ({ ...member, query: late })))
        return earlier.map((read, index) =>
          Result.flatMap(read, (series) =>
            Result.map(later[index] ?? Result.succeed([]), (more) => joinedSeries(series, more)),
          ),
        )
      }
      const isTooMuch =
        members.length > expressionsPerQueryMax || members.length * points > pointsOf(first.query)
      if (isTooMuch) return yield* readHalves(members)
      const labels = [...(first.shape?.labels.keys() ?? [])].filter((label) =>
        members.some(({ shape }) => shape?.labels.get(label) !== first.shape?.labels.get(label)),
      )
      const values = members.map(({ shape }) => labels.map((label) => shape?.labels.get(label) ?? ""))
      const expression = first.query.groupBy?.some((label) => labels.includes(label))
        ? undefined
        : togetherExpression(first.written, labels, values)
      if (expression === undefined)
        return yield* Effect.forEach(members, readAlone, { concurrency: queriesAtOnce })
      if (expression.length > queryMaxCharacters) return yield* readHalves(members)
      const read = yield* send({ ...first.query, expression }, members.length)
      if (Result.isFailure(read)) {
        if (!canBeLess.has(read.failure.reason)) return members.map(() => read)
        if (isOfSize.has(read.failure.reason)) pointsOf(first.query, () => (members.length * points) / 2)
        return yield* readHalves(members)
      }
      if (members.length * points > pointsOf(first.query) / 2) pointsOf(first.query, (known) => known * 2)
      return membersOf(read.success, labels, values)
    })

  return (queries) =>
    Effect.gen(function* () {
      const alike = new Map<string, Map<string, Member & { readonly places: Array<number> }>>()
      const servers = new Map<SeriesQuery["server"], number>()
      const isSingle = queries.length === 1
      for (const [place, { query, written }] of queries.entries()) {
        const shape = isSingle ? undefined : shapeOf(query.expression)
        const { organization, server, from, to, stepMs, isValue, isCumulative, groupBy } = query
        servers.set(server, servers.get(server) ?? servers.size)
        const likeness = shape?.key ?? query.expression
        const instants = [from, to, stepMs, isValue, isCumulative, groupBy]
        const key = JSON.stringify([organization, servers.get(server), ...instants, likeness])
        const members = alike.get(key) ?? new Map<string, Member & { readonly places: Array<number> }>()
        alike.set(key, members)
        const member = members.get(written) ?? { query, written, shape, places: [] }
        members.set(written, member)
        member.places.push(place)
      }
      const answers = queries.map((): Answer<Sample> => Result.succeed([]))
      yield* Effect.forEach(
        alike.values(),
        (byText) => {
          const members = [...byText.values()]
          return Effect.map(readTogether(members), (read) => {
            for (const [index, { places, query }] of members.entries()) {
              const answer = Result.flatMap(read[index] ?? Result.succeed([]), (series) =>
                samplesOfSeries(series, query.groupBy),
              )
              for (const place of places) answers[place] = answer
            }
          })
        },
        { concurrency: queriesAtOnce, discard: true },
      )
      return answers
    })
}

/** Failures that may be of one of several expressions, or of too long a range, and not of the server. */
const canBeLess: ReadonlySet<MetricFailure> = new Set([
  "timeout",
  "response_too_large",
  "response_invalid",
  "query_invalid",
  "query_failed",
  "http_status",
])

/** Those of them that are likely for a query that asks for too much. */
const isOfSize: ReadonlySet<MetricFailure> = new Set(["timeout", "response_too_large", "query_failed"])

const countOfPoints = ({ from, to, stepMs = minuteMs }: SeriesQuery): number =>
  Math.floor((to - from) / stepMs) + 1

/** The instants of a query in two halves. */
const halvesOf = (query: SeriesQuery): readonly [SeriesQuery, SeriesQuery] => {
  const { from, stepMs = minuteMs } = query
  const middle = from + ((countOfPoints(query) >> 1) - 1) * stepMs
  return [
    { ...query, to: middle },
    { ...query, from: middle + stepMs },
  ]
}

/** Series of a range and of a later one. */
const joinedSeries = (
  earlier: ReadonlyArray<ReadSeries>,
  later: ReadonlyArray<ReadSeries>,
): ReadonlyArray<ReadSeries> => {
  const all = new Map(earlier.map((series) => [labelsKey(series), series]))
  for (const series of later) {
    const before = all.get(labelsKey(series))
    const samples = before === undefined ? series.samples : [...before.samples, ...series.samples]
    all.set(labelsKey(series), { ...series, samples })
  }
  return [...all.values()]
}

const labelsKey = ({ labels = {} }: ReadSeries): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The series of each member of a query that read several, without the labels by which they are told apart. */
const membersOf = (
  all: ReadonlyArray<ReadSeries>,
  labels: ReadonlyArray<string>,
  values: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<ReadMember> => {
  const byMember = new Map<string, Array<ReadSeries>>(values.map((each) => [JSON.stringify(each), []]))
  for (const { labels: of = {}, samples } of all) {
    const rest = Object.fromEntries(Object.entries(of).filter(([label]) => !labels.includes(label)))
    byMember.get(JSON.stringify(labels.map((label) => of[label] ?? "")))?.push({ labels: rest, samples })
  }
  return values.map((each) => Result.succeed(byMember.get(JSON.stringify(each)) ?? []))
}
