import * as Effect from "effect/Effect"
import type { Annotation } from "../slo/Annotation.ts"
import { AnnotationStore } from "../annotation/AnnotationStore.ts"
import { minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Slo } from "../slo/Slo.ts"
import type { CounterGap } from "./MetricSource.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Shortest gap in the samples of counters that is marked, in milliseconds: scrapes may be late by a minute. */
const markedGapMinMs = 3 * minuteMs

/** Most annotations of an SLO with which gaps are still marked, so that room is left for those that people write. */
export const annotationsWithGapsMax = 5_000

/** The minutes over which what counters gained is spread, without those of short gaps; ranges that overlap are one. */
export const markedRanges = (
  gaps: ReadonlyArray<Pick<CounterGap, "from" | "at">>,
): ReadonlyArray<MinuteRange> => {
  const ranges = gaps
    .filter(({ from, at }) => at - from >= markedGapMinMs)
    .map(({ from, at }) => ({ from: minuteOf(from), to: at }))
    .toSorted((a, b) => a.from - b.from)
  const merged: Array<MinuteRange> = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last === undefined || range.from > last.to) merged.push(range)
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
  }
  return merged
}

/** Marks ranges over which events are spread, as annotations of the SLO. `now` is in Unix milliseconds. */
export const markGaps = (
  organization: OrganizationId,
  { metadata: { project, name } }: Slo,
  ranges: ReadonlyArray<MinuteRange>,
  now: number,
): Effect.Effect<void, StoreIsUnavailable, AnnotationStore> =>
  Effect.flatMap(AnnotationStore, (store) =>
    Effect.forEach(
      ranges,
      ({ from, to }) => {
        const minutes = Math.round((to - from) / minuteMs)
        const annotation: Annotation = {
          // No client can write this ID.
          id: `gap:${from}`,
          kind: "gap",
          title: `Gap in the samples of ${minutes} min, over which the events are spread evenly`,
          from,
          to,
          author: "",
          createdAt: now,
        }
        return store.put(organization, { project, name }, annotation, annotationsWithGapsMax)
      },
      { discard: true },
    ),
  )
