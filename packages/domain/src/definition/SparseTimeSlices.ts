import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { dayMs, hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { CountStore } from "../counts/CountStore.ts"
import { type OrganizationId, projectKeyText } from "../metadata/ObjectKey.ts"
import { groupByOf, plainObjectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import { windowAt } from "../slo/WindowAt.ts"
import type { DefinitionToWarnOf, MinutesWithEvents, WarningContext, WarningRule } from "./WarningRule.ts"

/** Maximum number of SLOs of one request whose counts are read for warnings, and of objectives of each. */
const slosMax = 100
const objectivesMax = 20

/**
 * Reads what `timeSlicesAreSparse` needs of the SLOs among definitions, at once and by the hour: of the first `slosMax` where it
 * can matter.
 */
export const readMinutesWithEvents = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definitions: ReadonlyArray<DefinitionToWarnOf>,
) {
  const slos = definitions.filter((each) => each.kind === "SLO").filter(countsEmptyAsGood)
  const now = yield* Clock.currentTimeMillis
  const reads = slos.slice(0, slosMax).map((slo) => {
    const { project, name } = slo.metadata
    const tracks = plainObjectivesOf(slo).slice(0, objectivesMax)
    return {
      organization,
      slo: { project, name },
      ranges: partsOf(slo, now),
      // A draft does not have the groups of its objectives.
      ...(tracks.length > 0 && { tracks: new Set(tracks.map((objective) => objective.name)) }),
    }
  })
  const found = reads.length === 0 ? [] : yield* (yield* CountStore).sums(reads)
  const bySlo = new Map(
    reads.map(({ slo, ranges }, index): readonly [string, MinutesWithEvents] => [
      projectKeyText(slo),
      {
        parts: ranges.map((range, part) => ({
          range,
          byObjective: new Map(
            found[index]?.sums[part]?.map(({ objective, minutes }) => [objective, minutes] as const),
          ),
        })),
        latestAt: found[index]?.latestAt ?? new Map(),
        now,
      },
    ]),
  )
  const minutesWithEvents: WarningContext["minutesWithEvents"] = (slo) => bySlo.get(projectKeyText(slo))
  return { minutesWithEvents }
})

const countsEmptyAsGood = ({ spec: { budgetingMethod, emptyTimeSlices } }: Pick<Slo, "spec">): boolean =>
  budgetingMethod === "Timeslices" && (emptyTimeSlices ?? "good") === "good"

/** Longest time before now of which counts are read, in days; the shortest is a day. */
const readDaysMax = 31

/** How many days until now are read. */
const daysOf = ({ spec }: Pick<Slo, "spec">, now: number): number =>
  Math.min(Math.max(Math.round(windowAt(spec.timeWindow, now).lengthMs / dayMs), 1), readDaysMax)

/** The hours of the last day, with the current one, after at most 24 parts of the time before, each whole hours. */
const partsOf = (slo: Pick<Slo, "spec">, now: number): ReadonlyArray<MinuteRange> => {
  const to = hourOf(now) + hourMs
  const lastDay = to - dayMs
  const from = to - daysOf(slo, now) * dayMs
  const partMs = Math.max(Math.ceil((lastDay - from) / 24 / hourMs), 1) * hourMs
  const parts: Array<MinuteRange> = []
  for (let at = from; at < to;) {
    const end = Math.min(at < lastDay ? Math.min(at + partMs, lastDay) : at + hourMs, to)
    parts.push({ from: at, to: end })
    at = end
  }
  return parts
}

/**
 * Warns of an SLO that counts minutes without events as good time slices while under half of the minutes have any: about the objective
 * with the fewest. Only the minutes from the end of the first part with counts to the latest count are known; fewer than an hour of
 * them say nothing.
 */
export const timeSlicesAreSparse: WarningRule<"SLO"> = (slo, { minutesWithEvents }) => {
  const counted = countsEmptyAsGood(slo) ? minutesWithEvents?.(slo.metadata) : undefined
  if (counted === undefined) return []
  const { parts, latestAt, now } = counted
  const isGrouped = groupByOf(slo.spec) !== undefined
  const names = new Set(plainObjectivesOf(slo).map(({ name }) => name))
  let sparsest: { readonly objective: string; readonly share: number } | undefined
  for (const [objective, latest] of latestAt) {
    if (!isGrouped && !names.has(objective)) continue
    const first = parts.findIndex(({ byObjective }) => byObjective.has(objective))
    const from = parts[first]?.range.to
    if (from === undefined) continue
    const known = (Math.min(latest, minuteOf(now)) + minuteMs - from) / minuteMs
    if (known < knownMinutesMin) continue
    const share = parts
      .slice(first + 1)
      .reduce((sum, { byObjective }) => sum + (byObjective.get(objective) ?? 0) / known, 0)
    if (share < 1 / 2 && share < (sparsest?.share ?? 1)) sparsest = { objective, share }
  }
  if (sparsest === undefined) return []
  const percent = Math.floor(sparsest.share * 100)
  const days = daysOf(slo, now)
  const message = `counts minutes without events as good, but objective ${sparsest.objective} has events in ${percent < 1 ? "less than 1" : percent}% of the minutes of the last ${days === 1 ? "day" : `${days} days`}, so that an outage burns little of the error budget. Set emptyTimeSlices to ignored or lastState, or use Occurrences`
  return [{ path: "spec.budgetingMethod", code: "sparse_time_slices", message }]
}

const knownMinutesMin = 60
