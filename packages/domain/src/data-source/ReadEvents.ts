import * as Effect from "effect/Effect"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { PrometheusServer } from "../slo/DataSource.ts"
import type { Slo } from "../slo/Slo.ts"
import { counterGapMaxMs, longGapEnds, spreadGaps, wholeGapMaxMs } from "./CounterGaps.ts"
import { type CountsOfSamples, countsOfSamples } from "./CountsOfSamples.ts"
import { markedRanges } from "./MarkGaps.ts"
import type { MetricsAreUnavailable, MetricSource, Sample, SeriesQuery } from "./MetricSource.ts"

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
  { readonly events: ReadonlyArray<CountsOfSamples>; readonly gaps: ReadonlyArray<MinuteRange> },
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
    ) => countsOfPart(part, total, { from, to: range.to }, parts[index]?.isBad === true)
    const read = (part: MinuteRange) =>
      Effect.map(
        Effect.forEach(
          [...parts.map(({ expression }) => expression), totalExpression],
          (expression) => source.readSeries(queryOf(expression, part)),
          { concurrency: 2 },
        ),
        (all) => ({ goods: all.slice(0, -1), total: all.at(-1) ?? [] }),
      )
    const readGaps = (expression: string, part: MinuteRange, lookbackMs: number) =>
      source.readGaps({ ...queryOf(expression, part), lookbackMs })
    const readLongGaps = (expression: string, ends: ReadonlyArray<number>) =>
      Effect.map(
        Effect.forEach(ends, (at) => readGaps(expression, { from: at - minuteMs, to: at }, wholeGapMaxMs)),
        (found) => found.flat(),
      )
    const { goods, total } = yield* read(range)
    const short = yield* readGaps(totalExpression, range, counterGapMaxMs)
    const ends = longGapEnds(total, range.from, new Set(short.map(({ at }) => at)))
    const long = yield* readLongGaps(totalExpression, ends)
    const gaps = [...short, ...long].map((gap) => ({ ...gap, from: Math.max(gap.from, oldest) }))
    if (gaps.length === 0) {
      return { events: goods.map((good, index) => counted(index, good, total, range.from)), gaps: [] }
    }

    const from = Math.min(range.from, ...gaps.map((gap) => minuteOf(gap.from)))
    const before = from === range.from ? undefined : yield* read({ from, to: range.from })
    const whole = spreadGaps([...(before?.total ?? []), ...total], gaps)
    const events = yield* Effect.forEach(goods, (good, index) =>
      Effect.gen(function* () {
        const expression = parts[index]?.expression ?? ""
        const ofGood = [
          ...(short.length === 0 ? [] : yield* readGaps(expression, range, counterGapMaxMs)),
          ...(yield* readLongGaps(
            expression,
            long.map(({ at }) => at),
          )),
        ]
        const goodAt = new Map(ofGood.map(({ at, events }) => [at, events]))
        const goodGaps = gaps.map((gap) => ({ ...gap, events: goodAt.get(gap.at) ?? 0 }))
        const part = spreadGaps([...(before?.goods[index] ?? []), ...good], goodGaps)
        return counted(index, part, whole, from)
      }),
    )
    return { events, gaps: markedRanges(gaps) }
  })

/** The counts of a part of the events; those of bad events have the rest as good. */
const countsOfPart = (
  part: ReadonlyArray<Sample>,
  total: ReadonlyArray<Sample>,
  range: MinuteRange,
  isBad: boolean,
): CountsOfSamples => {
  if (!isBad) return countsOfSamples(part, total, range)
  const { counts, problem } = countsOfSamples(part, total, range, "bad")
  return { counts: counts.map(({ at, good, total }) => ({ at, good: total - good, total })), problem }
}
