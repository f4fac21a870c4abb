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

/** What recording the counts of one SLO reads, and what it makes of that. */
export interface RecordedHours {
  readonly reads: ReadonlyArray<HourKey>
  /** The hours as they are to be, from those that were read by `hourKeyText`; one that is not there has no counts. */
  readonly hours: (read: ReadonlyMap<string, HourOfCounts>) => ReadonlyArray<HourWritten>
}

/** The hours that counts of an SLO fall into, and those of the older composite that follow from them. */
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
