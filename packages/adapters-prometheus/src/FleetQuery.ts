import { fleetTable, type FleetTable } from "@tocsin/domain"
import { minuteMs, minuteOf } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Evaluation, ReducedSeries, SeriesTable } from "@tocsin/promql/evaluate"
import {
  type InParts,
  labelsValues,
  type Query,
  type SampledSeries,
  type Selector,
} from "@tocsin/promql/series"
import { acceptedTexts, selectedSeriesMax, tooManySeries } from "./SelectSeries.ts"
import { sloMetrics } from "./SloMetrics.ts"

/** A query of which parts are done: those that need the latest status only. */
interface FleetQuery {
  /** With a selector for each of these parts. */
  readonly query: Query
  /** Their results, as the samples of the selectors. */
  readonly samples: ReadonlyMap<Selector, ReadonlyArray<SampledSeries>>
  /** The result, if it was all done. */
  readonly whole?: ReducedSeries
}

const figureByMetric = new Map(
  sloMetrics.flatMap(({ name, figure }) => (figure === undefined ? [] : [[name, figure] as const])),
)

/** Does the parts of a query for the latest minute that need no more than the latest status of objectives. */
export const reduceByFleet = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  query: Query,
  { times, lookbackMs }: Evaluation,
  inParts: InParts<E, R>,
) {
  const latestAt = minuteOf(yield* Clock.currentTimeMillis)
  const [time = 0] = times
  const undone: FleetQuery = { query, samples: new Map() }
  if (times.length !== 1 || time < latestAt || time - latestAt >= lookbackMs) return undone
  const { reductionsOf, reduceTable } = yield* Effect.promise(() => import("@tocsin/promql/evaluate"))
  const { query: rest, reductions } = reductionsOf(query, (name) => figureByMetric.has(name))
  if (reductions.size === 0) return undone
  const fleet = yield* fleetTable(organization)
  if (fleet.hasMore) return undone
  const table = seriesTable(fleet)
  const samples = new Map<Selector, ReadonlyArray<SampledSeries>>()
  for (const [selector, reduction] of reductions) {
    const matchers = [...reduction.matchers, ofObjective]
    const accepted = yield* acceptedTexts(matchers, (label) => table.labels.get(label)?.texts, inParts)
    const reduced =
      accepted === undefined
        ? noSeries
        : yield* inParts((work) => reduceTable(reduction, table, accepted, work))
    if (selector === rest) {
      // What was selected alone is computed from the counts, as it is at other times, unless it is too much for that.
      const isWhole = query.kind !== "selector" || reduced.length > selectedSeriesMax
      return isWhole ? { ...undone, whole: reduced } : undone
    }
    if (reduced.length > selectedSeriesMax) return yield* tooManySeries()
    samples.set(
      selector,
      yield* inParts(function* (work) {
        const series: Array<SampledSeries> = []
        for (let index = 0; index < reduced.length; index++) {
          if (work.spend(labelsValues)) yield
          const values = [reduced.valueAt(index)]
          series.push({
            labels: reduced.labelsAt(index),
            times: [latestAt],
            values,
            validMs: minuteMs,
            latestAt,
          })
        }
        return series
      }),
    )
  }
  return { query: rest, samples }
})

const noSeries: ReducedSeries = { length: 0, labelsAt: () => new Map(), valueAt: () => 0 }

/** The legacy composite is no objective. */
const ofObjective = { label: "objective", operator: "!=", value: "" } as const

const seriesTable = ({ rows, labels, figures }: FleetTable): SeriesTable => {
  const { objective, project, service, slo } = labels
  return {
    rows,
    labels: new Map(Object.entries({ objective, project, service, slo })),
    values: new Map(Array.from(figureByMetric, ([name, figure]) => [name, figures[figure]])),
  }
}
