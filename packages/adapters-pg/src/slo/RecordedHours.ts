import type { ProjectKey } from "@tocsin/domain/metadata/ObjectKey"
import type { Count } from "@tocsin/domain/counts/CountStore"
import {
  emptyHour,
  type HourOfCounts,
  overallHour,
  overallParts,
  withCounts,
} from "@tocsin/domain/counts/HourOfCounts"
import { hourOf } from "@tocsin/domain/codec/MinuteInstant"
import { overallTrack, type SliceRule } from "@tocsin/domain/slo/SliceRules"
import { type HourKey, hourKeyText, type HourWritten } from "./CountRows.ts"

/** The hours that recording the counts of one SLO reads, and those that it writes. */
export interface RecordedHours {
  readonly reads: ReadonlyArray<HourKey>
  /** Computes the hours to write from those that were read, by `hourKeyText`; a missing hour has no counts. */
  readonly hours: (read: ReadonlyMap<string, HourOfCounts>) => ReadonlyArray<HourWritten>
}

/** Plans the hours of the objectives, and those of the older composite that depend on them. */
export const hoursOfRecording = (
  slo: ProjectKey,
  counts: ReadonlyArray<Count>,
  rules: ReadonlyArray<SliceRule>,
): RecordedHours => {
  const countsByHour = new Map<string, { readonly key: HourKey; readonly counts: Array<Count> }>()
  for (const count of counts) {
    const key = { slo, objective: count.objective, at: hourOf(count.at) }
    const text = hourKeyText(key)
    const hour = countsByHour.get(text)
    if (hour === undefined) countsByHour.set(text, { key, counts: [count] })
    else hour.counts.push(count)
  }
  const changed = [...countsByHour.values()]
  const parts = overallParts(rules)
  const starts = parts === undefined ? [] : [...new Set(changed.map(({ key }) => key.at))]
  const partKeys = starts.flatMap((at) =>
    (parts ?? []).map(({ objective }): HourKey => ({ slo, objective, at })),
  )
  const reads = new Map([...changed.map(({ key }) => key), ...partKeys].map((key) => [hourKeyText(key), key]))
  return {
    reads: [...reads.values()],
    hours: (read) => {
      const written = changed.map(({ key, counts }): HourWritten => ({
        ...key,
        rules,
        hour: withCounts(read.get(hourKeyText(key)) ?? emptyHour, counts),
      }))
      const changedHours = new Map(written.map((each) => [hourKeyText(each), each.hour] as const))
      const overall = starts.map((at): HourWritten => ({
        slo,
        objective: overallTrack,
        at,
        rules,
        hour: overallHour(
          parts ?? [],
          new Map(
            (parts ?? []).flatMap(({ objective }) => {
              const key = hourKeyText({ slo, objective, at })
              const hour = changedHours.get(key) ?? read.get(key)
              return hour === undefined ? [] : [[objective, hour] as const]
            }),
          ),
        ),
      }))
      return [...written, ...overall]
    },
  }
}
