import { makeMask } from "@tocsin/domain"
import { minuteMs } from "@tocsin/domain/codec"
import type {
  AnswerInTime,
  MetricFailure,
  MetricsAreUnavailable,
  QueryLimits,
  Sample,
  SeriesQuery,
} from "@tocsin/domain/ports"
import { type ExpressionShape, shapeOf, togetherExpression } from "@tocsin/promql"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { metricFailure, type ReadSeries, readSeriesResponse, samplesOfSeries } from "./PrometheusResponse.ts"

/** Most points of a series that Prometheus returns in one response. */
const seriesPointsMax = 11_000

/** Most points that are asked for in one query of several expressions, all series together. */
const pointsPerQueryMax = 100_000

/** Most expressions that one query reads. */
const expressionsPerQueryMax = 100

/** Longest query of several expressions, in characters; VictoriaMetrics and proxies reject longer ones. */
const queryMaxCharacters = 15 * 1024

/** Longest expression that is read with others, in characters as it is sent. */
const sharedMaxCharacters = 4_000

/** Most queries of one call that are in flight, unless it has a lower limit. */
const queriesAtOnce = 10

/** After how long a call asks no more, in milliseconds. */
export const callMaxMs = 30_000

/** After so many queries in a row without a response in time, a call asks no more. */
const timeoutsMax = 3

/** Fewest expressions that are tried in one query, however little a server could answer. */
const expressionsTried = 10

/** How long expressions of a shape that cannot be read together are read alone, in milliseconds. */
const apartMs = 3_600_000

/** Queries that are prepared before other work may be done. */
const preparedAtOnce = 20

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
  /** `lookbackMs`: how far back it looks as it is written. */
  readonly query: SeriesQuery & { readonly lookbackMs?: number }
  readonly written: string
  /** How it is written, of expressions that are written in several ways; only those that are written alike are read together. */
  readonly form?: "steady" | "interrupted"
  /** How many instants the server evaluates for each point; default: 1. */
  readonly evaluations?: number
  /** Whether part of the series are no answer. */
  readonly isComplete?: boolean
}

interface Member extends WrittenQuery {
  readonly shape: ExpressionShape | undefined
  /** Where its answer belongs. */
  readonly places: ReadonlyArray<number>
}

type ReadMember = Result.Result<ReadonlyArray<ReadSeries>, MetricsAreUnavailable | "not_asked">

const notAsked: ReadMember = Result.fail("not_asked")

/** No answer is not one without series, after which minutes would count as read. */
const missing: ReadMember = Result.fail(metricFailure("reader_unavailable"))

/**
 * Reads range queries, of which those that are alike are one request. What fails for several is read in halves down to each
 * alone, so that none keeps others from being read; and what fails alone, by halves of its range. How much a server can answer
 * at once is remembered, and what it cannot answer together. A call ends soon after half a minute, or when the server does not respond;
 * what was asked neither alone nor with others then is `not_asked`.
 *
 * `ask` sends one range query, and fails with its own errors only.
 */
export const makeSeriesReader = (
  ask: (
    query: SeriesQuery,
    points: number,
    series: number,
    isComplete: boolean,
  ) => Effect.Effect<SeriesResponse, MetricsAreUnavailable>,
): ((
  queries: ReadonlyArray<WrittenQuery>,
  limits?: QueryLimits,
) => Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>>) => {
  const pointsAtOnce = new Map<string, number>()
  /** Until when shapes are read alone, in Unix milliseconds. */
  const apart = new Map<string, number>()
  const pointsOf = ({ organization, server }: SeriesQuery, change?: (points: number) => number): number => {
    const key = serverKey({ organization, server })
    const known = pointsAtOnce.get(key) ?? pointsPerQueryMax
    if (change === undefined) return known
    const points = Math.max(1, Math.min(pointsPerQueryMax, Math.floor(change(known))))
    pointsAtOnce.delete(key)
    // Only what is not the default needs to be remembered.
    if (points < pointsPerQueryMax) pointsAtOnce.set(key, points)
    forgetOldest(pointsAtOnce)
    return points
  }

  const send = (
    query: SeriesQuery,
    { isComplete = false }: WrittenQuery,
    expressions: number,
    call: Call,
  ): Effect.Effect<ReadMember> =>
    Effect.gen(function* () {
      if (call.timeouts >= timeoutsMax || (yield* Clock.currentTimeMillis) >= call.endsAt) return notAsked
      const response = yield* ask(query, countOfPoints(query), expressions, isComplete)
      call.timeouts = 0
      if (!response.isComplete) return Result.fail(metricFailure("response_too_large"))
      const { status, body, secrets } = response
      return yield* Effect.promise(() => readSeriesResponse(status, body, makeMask(secrets), isComplete))
    }).pipe(
      Effect.catch((error) => {
        if (error.reason === "timeout") call.timeouts++
        return Effect.succeed(Result.fail(error))
      }),
      call.slots.withPermits(1),
    )

  const readAlone = (member: Member, call: Call): Effect.Effect<ReadMember> =>
    Effect.gen(function* () {
      const { query, written } = member
      const points = countOfPoints(query)
      if (points <= seriesPointsMax) {
        const read = yield* send({ ...query, expression: written }, member, 1, call)
        if (Result.isSuccess(read))
          return Result.succeed(read.success.map((series) => unlabeled(series, member)))
        if (points < halvedPointsMin || !isFailureOf(read, isOfSize)) return read
        return unlessAsked(read, call, yield* readAloneByHalves(member, call))
      }
      return yield* readAloneByHalves(member, call)
    })

  const readAloneByHalves = (member: Member, call: Call): Effect.Effect<ReadMember> =>
    Effect.gen(function* () {
      const [first, second] = halvesOf(member.query)
      const earlier = yield* readAlone({ ...member, query: first }, call)
      if (Result.isFailure(earlier)) return earlier
      const later = yield* readAlone({ ...member, query: second }, call)
      return Result.map(later, (series) => joinedSeries(earlier.success, series))
    })

  const readEach = (members: ReadonlyArray<Member>, call: Call): Effect.Effect<ReadonlyArray<ReadMember>> =>
    Effect.forEach(members, (member) => readAlone(member, call), { concurrency: queriesAtOnce })

  const readHalves = (
    members: ReadonlyArray<Member>,
    call: Call,
  ): Effect.Effect<ReadonlyArray<ReadMember>> => {
    const middle = members.length >> 1
    const halves = [members.slice(0, middle), members.slice(middle)]
    return Effect.map(
      Effect.forEach(halves, (half) => readTogether(half, call), { concurrency: queriesAtOnce }),
      (all) => all.flat(),
    )
  }

  /** Reads members that are alike, in their order. */
  const readTogether = (
    members: ReadonlyArray<Member>,
    call: Call,
  ): Effect.Effect<ReadonlyArray<ReadMember>> =>
    Effect.gen(function* () {
      const [first] = members
      if (first === undefined) return []
      if (members.length === 1) return [yield* readAlone(first, call)]
      const { shape, form, evaluations = 1 } = first
      const apartKey = `${serverKey(first.query)} ${form} ${shape?.key}`
      if ((apart.get(apartKey) ?? 0) > (yield* Clock.currentTimeMillis)) return yield* readEach(members, call)
      const points = countOfPoints(first.query)
      if (points > seriesPointsMax) {
        const [early, late] = halvesOf(first.query)
        const earlier = yield* readTogether(
          members.map((member) => ({ ...member, query: early })),
          call,
        )
        const later = yield* readTogether(
          members.map((member) => ({ ...member, query: late })),
          call,
        )
        return earlier.map((read, index) =>
          Result.flatMap(read, (series) =>
            Result.map(later[index] ?? missing, (more) => joinedSeries(series, more)),
          ),
        )
      }
      const evaluated = points * evaluations
      const isTooMuch =
        members.length > expressionsPerQueryMax || members.length * evaluated > pointsOf(first.query)
      if (isTooMuch) return yield* readHalves(members, call)
      const labels = [...(shape?.labels.keys() ?? [])].filter((label) =>
        members.some((member) => member.shape?.labels.get(label) !== shape?.labels.get(label)),
      )
      const values = members.map((member) => labels.map((label) => member.shape?.labels.get(label) ?? ""))
      const expression = first.query.groupBy?.some((label) => labels.includes(label))
        ? undefined
        : togetherExpression(first.written, labels, values)
      if (expression === undefined) return yield* readEach(members, call)
      if (expression.length > queryMaxCharacters) return yield* readHalves(members, call)
      const read = yield* send({ ...first.query, expression }, first, members.length, call)
      if (Result.isFailure(read)) {
        if (isFailureOf(read, isOfSize)) {
          pointsOf(first.query, () => evaluated * Math.max(expressionsTried, members.length / 2))
          return (yield* readHalves(members, call)).map((half) => unlessAsked(read, call, half))
        }
        if (!isFailureOf(read, canBeOfQuery)) return members.map(() => read)
        const reason = reasonOf(read)
        // What fails alone too is no matter of reading together.
        const alone = yield* readAlone(first, call)
        if (reasonOf(alone) === reason && reason !== "query_invalid") return members.map(() => read)
        if (Result.isSuccess(alone)) {
          apart.set(apartKey, (yield* Clock.currentTimeMillis) + apartMs)
          forgetOldest(apart)
        }
        return [alone, ...(yield* readEach(members.slice(1), call))]
      }
      if (members.length * evaluated > pointsOf(first.query) / 2) pointsOf(first.query, (known) => known * 2)
      return membersOf(read.success, labels, values, members)
    })

  return (queries, { atOnce = queriesAtOnce, endsAt = Infinity } = {}) =>
    Effect.gen(function* () {
      const alike = new Map<string, Map<string, Member & { readonly places: Array<number> }>>()
      const servers = new Map<SeriesQuery["server"], number>()
      const call: Call = {
        endsAt: Math.min(endsAt, (yield* Clock.currentTimeMillis) + callMaxMs),
        slots: yield* Semaphore.make(Math.min(atOnce, queriesAtOnce)),
        timeouts: 0,
      }
      const isSingle = queries.length === 1
      for (const [place, each] of queries.entries()) {
        const { query, written, form } = each
        if (place > 0 && place % preparedAtOnce === 0) yield* Effect.yieldNow
        const shape = isSingle || written.length > sharedMaxCharacters ? undefined : shapeOf(query.expression)
        const { organization, server, from, to, stepMs, isValue, isCumulative, groupBy, lookbackMs } = query
        servers.set(server, servers.get(server) ?? servers.size)
        const likeness = shape?.key ?? query.expression
        const instants = [from, to, stepMs, isValue, isCumulative, groupBy, lookbackMs]
        const key = JSON.stringify([organization, servers.get(server), ...instants, form, likeness])
        const members = alike.get(key) ?? new Map<string, Member & { readonly places: Array<number> }>()
        alike.set(key, members)
        const member = members.get(written) ?? { ...each, shape, places: [] }
        members.set(written, member)
        member.places.push(place)
      }
      const answers = queries.map((): AnswerInTime<Sample> =>
        Result.fail(metricFailure("reader_unavailable")),
      )
      yield* Effect.forEach(
        alike.values(),
        (byText) => {
          const members = [...byText.values()]
          return Effect.map(readTogether(members, call), (read) => {
            for (const [index, { places, query }] of members.entries()) {
              const answer = answerOf(read[index] ?? missing, query)
              for (const place of places) answers[place] = answer
            }
          })
        },
        { concurrency: queriesAtOnce, discard: true },
      )
      return answers
    })
}

/** One call of the reader. */
interface Call {
  /** When it asks no more, in Unix milliseconds. */
  readonly endsAt: number
  readonly slots: Semaphore.Semaphore
  /** Queries in a row that were not answered in time. */
  timeouts: number
}

const answerOf = (read: ReadMember, { groupBy }: SeriesQuery): AnswerInTime<Sample> => {
  if (Result.isSuccess(read)) return samplesOfSeries(read.success, groupBy)
  return read.failure === "not_asked" ? "not_asked" : Result.fail(read.failure)
}

const reasonOf = (read: ReadMember): MetricFailure | undefined =>
  Result.isFailure(read) && read.failure !== "not_asked" ? read.failure.reason : undefined

const isFailureOf = (read: ReadMember, reasons: ReadonlySet<MetricFailure>): boolean => {
  const reason = reasonOf(read)
  return reason !== undefined && reasons.has(reason)
}

/** What was read of a half. If it was not asked because the server does not respond, the failure of the `whole` is its own. */
const unlessAsked = (whole: ReadMember, { timeouts }: Call, half: ReadMember): ReadMember =>
  Result.isFailure(half) && half.failure === "not_asked" && timeouts >= timeoutsMax ? whole : half

export const serverKey = ({ organization, server }: Pick<SeriesQuery, "organization" | "server">): string =>
  `${organization} ${server.url.text}`

export const forgetOldest = (remembered: Map<string, unknown>): void => {
  const [oldest] = remembered.keys()
  if (remembered.size > serversMax && oldest !== undefined) remembered.delete(oldest)
}

/** Failures that are likely for a query that asks for too much, or for one of several expressions. */
const isOfSize: ReadonlySet<MetricFailure> = new Set(["timeout", "response_too_large", "query_failed"])

/** Failures that may be of how a query of several expressions is written, and not of the server. */
const canBeOfQuery: ReadonlySet<MetricFailure> = new Set(["response_invalid", "query_invalid", "http_status"])

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

/** A series without the labels that its expression requires: whatever it is read with, it has the same ones. */
const unlabeled = (series: ReadSeries, { shape, query }: Member): ReadSeries =>
  series.labels === undefined || shape === undefined
    ? series
    : {
        ...series,
        labels: Object.fromEntries(
          Object.entries(series.labels).filter(
            ([label, value]) => shape.labels.get(label) !== value || query.groupBy?.includes(label) === true,
          ),
        ),
      }

/** The series of each member of a query that read several, which are told apart by their `values` of `labels`. */
const membersOf = (
  all: ReadonlyArray<ReadSeries>,
  labels: ReadonlyArray<string>,
  values: ReadonlyArray<ReadonlyArray<string>>,
  members: ReadonlyArray<Member>,
): ReadonlyArray<ReadMember> => {
  const read = members.map((): Array<ReadSeries> => [])
  const places = new Map(values.map((each, place) => [JSON.stringify(each), place]))
  for (const series of all) {
    const place = places.get(JSON.stringify(labels.map((label) => series.labels?.[label] ?? "")))
    const member = place === undefined ? undefined : members[place]
    if (place !== undefined && member !== undefined) read[place]?.push(unlabeled(series, member))
  }
  return read.map((each) => Result.succeed(each))
}
