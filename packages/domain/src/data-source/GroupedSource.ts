import * as Effect from "effect/Effect"
import { groupBy as grouped } from "../collections/GroupBy.ts"
import { groupKey, type GroupValues } from "../slo/GroupValues.ts"
import type { MetricsAreUnavailable, MetricSource, SeriesQuery } from "./MetricSource.ts"

type Source = MetricSource["Service"]

/** A source whose series are split into groups. */
export interface GroupedSource {
  /** The groups that have samples of a query, in the order of their keys. */
  readonly groups: (query: SeriesQuery) => Effect.Effect<ReadonlyArray<GroupValues>, MetricsAreUnavailable>
  /** The source of one group. What one group asks is not asked again for the others. */
  readonly of: (values: GroupValues) => Source
}

export const makeGroupedSource = (source: Source, groupBy: ReadonlyArray<string>): GroupedSource => {
  const answers = new Map<string, ReadonlyMap<string, ReadonlyArray<never>>>()
  const ask = <A extends { readonly group?: GroupValues }>(
    key: string,
    read: Effect.Effect<ReadonlyArray<A>, MetricsAreUnavailable>,
  ): Effect.Effect<ReadonlyMap<string, ReadonlyArray<A>>, MetricsAreUnavailable> =>
    Effect.suspend(() => {
      const known = answers.get(key)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(read, (all) => {
        const byGroup = grouped(all, ({ group = [] }) => groupKey(group))
        answers.set(key, byGroup as ReadonlyMap<string, ReadonlyArray<never>>)
        return byGroup
      })
    })
  const askSeries = (query: SeriesQuery) => ask(keyOf(query), source.readSeries({ ...query, groupBy }))
  return {
    groups: (query) =>
      Effect.map(askSeries(query), (byGroup) =>
        [...byGroup.keys()].toSorted().map((key) => JSON.parse(key) as GroupValues),
      ),
    of: (values) => ({
      readSeries: (query) => Effect.map(askSeries(query), (byGroup) => byGroup.get(groupKey(values)) ?? []),
      readGaps: (query) =>
        Effect.map(
          ask(`${keyOf(query)} ${query.lookbackMs}`, source.readGaps({ ...query, groupBy })),
          (byGroup) => byGroup.get(groupKey(values)) ?? [],
        ),
      readNames: source.readNames,
    }),
  }
}

const keyOf = ({ expression, from, to, stepMs, isValue, isCumulative }: SeriesQuery): string =>
  JSON.stringify([expression, from, to, stepMs, isValue, isCumulative])
