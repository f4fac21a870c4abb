import * as Effect from "effect/Effect"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { PrometheusServer } from "../slo/DataSource.ts"
import type { Slo } from "../slo/Slo.ts"
import { counterGapMaxMs, longGapEnds, spreadGaps, wholeGapMaxMs } from "./CounterGaps.ts"
import { type CountsOfSamples, countsOfSamples } from "./CountsOfSamples.ts"
import { markedRanges } from "./MarkGaps.ts"
import type { CounterGap, MetricsAreUnavailable, MetricSource, Sample, SeriesQuery } from "./MetricSource.ts"

/** What is read for an SLO. */
export interface CountsRead {
  readonly organization: OrganizationId
  readonly slo: Slo
  readonly server: PrometheusServer
  readonly range: MinuteRange
  /** How far back gaps are filled, in Unix milliseconds. */
  readonly oldest: number
}

/** Expressions for events: parts of the same total. */
interface Events {
  readonly parts: ReadonlyArray<{
    readonly expression: string
    /** Whether they are the bad events, and not the good ones. */
    readonly isBad?: boolean
  }>
  readonly total: string
  readonly isCumulative?: boolean
}

/** The query for the events of the minutes of a range. */
export const eventsQuery = (
  { organization, server }: CountsRead,
  { total: expression, isCumulative = false }: Pick<Events, "total" | "isCumulative">,
  { from, to }: MinuteRange,
): SeriesQuery => ({
  organization,
  server,
  expression,
  from: from + minuteMs,
  to,
  ...(isCumulative && { isCumulative }),
})

/** The counts of each part. */
export const readEvents = (
  source: MetricSource["Service"],
  counts: CountsRead,
  { parts, total: totalExpression, isCumulative = false }: Events,
): Effect.Effect<
  {
    readonly events: ReadonlyArray<CountsOfSamples>
    readonly gaps: ReadonlyArray<MinuteRange>
    /** The ends of the minutes in which a counter fell a little, in Unix milliseconds. */
    readonly falls: ReadonlyArray<number>
  },
  MetricsAreUnavailable
> =>
  Effect.gen(function* () {
    const { range, oldest } = counts
    const queryOf = (total: string, minutes: MinuteRange) =>
      eventsQuery(counts, { total, isCumulative }, minutes)
    const counted = (
      index: number,
      part: ReadonlyArray<Sample>,
      total: ReadonlyArray<Sample>,
      from: number,
    ) => countsOfSamples(part, total, { from, to: range.to }, parts[index]?.isBad === true ? "bad" : "good")
    const readAll = (minutes: MinuteRange) =>
      Effect.map(
        Effect.forEach(
          [...parts.map(({ expression }) => expression), totalExpression],
          (expression) => source.readSeries(queryOf(expression, minutes)),
          { concurrency: 2 },
        ),
        (all) => ({ parts: all.slice(0, -1), total: all.at(-1) ?? [] }),
      )
    const fallen = new Set<number>()
    const readGaps = (expression: string, minutes: MinuteRange, lookbackMs: number) =>
      Effect.map(source.readGaps({ ...queryOf(expression, minutes), lookbackMs }), (found) =>
        found.filter(({ at, events }) => {
          if (events === 0) fallen.add(at)
          return events > 0
        }),
      )
    const bounded = (found: ReadonlyArray<CounterGap>) =>
      found.map((gap) => ({ ...gap, from: Math.max(gap.from, oldest) }))
    const readShortGaps = (expression: string) =>
      Effect.map(readGaps(expression, range, counterGapMaxMs), bounded)
    const readLongGaps = (expression: string, ends: ReadonlyArray<number>) =>
      Effect.map(
        Effect.forEach(ends, (at) => readGaps(expression, { from: at - minuteMs, to: at }, wholeGapMaxMs)),
        (found) => bounded(found.flat()),
      )
    const longEnds = (samples: ReadonlyArray<Sample>, short: ReadonlyArray<CounterGap>) =>
      longGapEnds(samples, range.from, new Set(short.map(({ at }) => at)))
    const { parts: read, total } = yield* readAll(range)
    const short = yield* readShortGaps(totalExpression)
    const long = yield* readLongGaps(totalExpression, longEnds(total, short))
    const ofTotal = [...short, ...long]
    const first = read.map((part, index) => counted(index, part, total, range.from))
    const ofParts = yield* Effect.forEach(first, ({ limited, missing }, index) =>
      Effect.gen(function* () {
        const { expression = "" } = parts[index] ?? {}
        // Its counters may be of other targets, which have gaps of their own: it has no value then, or too much when they end.
        const isOdd = limited.length > 0 || missing > 0
        const ofPart = isOdd || short.length > 0 ? yield* readShortGaps(expression) : []
        const ends = isOdd ? longEnds(read[index] ?? [], ofPart) : []
        return [
          ...ofPart,
          ...(yield* readLongGaps(expression, [...new Set([...long.map(({ at }) => at), ...ends])])),
        ]
      }),
    )
    const totalEnds = new Set(ofTotal.map(({ at }) => at))
    const own = ofParts.map((gaps) => gaps.filter(({ at }) => !totalEnds.has(at)))
    const gaps = [...ofTotal, ...own.flat()]
    if (gaps.length === 0) return { events: first, gaps: [], falls: [...fallen] }

    const from = Math.min(range.from, ...gaps.map((gap) => minuteOf(gap.from)))
    const before = from === range.from ? undefined : yield* readAll({ from, to: range.from })
    const whole = spreadGaps([...(before?.total ?? []), ...total], ofTotal)
    const events = read.map((part, index) => {
      const gainedAt = new Map(ofParts[index]?.map(({ at, events }) => [at, events]))
      const shared = ofTotal.map((gap) => ({ ...gap, events: gainedAt.get(gap.at) ?? 0 }))
      const ordered = [...shared, ...(own[index] ?? [])].toSorted((a, b) => a.at - b.at)
      const spread = spreadGaps([...(before?.parts[index] ?? []), ...part], ordered)
      return counted(index, spread, whole, from)
    })
    return { events, gaps: markedRanges(gaps), falls: [...fallen] }
  })
