import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { Warning } from "../codec/Warning.ts"
import { type CountSumsRead, CountStore } from "../counts/CountStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Slo } from "../slo/Slo.ts"

/**
 * The warnings of SLOs whose counts show events in under half of the minutes of the last day, where minutes without events count
 * as good time slices: in the order of the SLOs, with paths relative to each. The counts of all are read at once.
 */
export const readSparseTimeSlices = Effect.fnUntraced(function* (
  organization: OrganizationId,
  slos: ReadonlyArray<Slo>,
) {
  const counting = slos.filter(countsEmptyAsGood)
  if (counting.length === 0) return slos.map((): ReadonlyArray<Warning> => [])
  const now = yield* Clock.currentTimeMillis
  const ranges = lastHours(now)
  const found = yield* (yield* CountStore).sums(
    counting.map(({ metadata: { project, name } }) => ({ organization, slo: { project, name }, ranges })),
  )
  const warnings = new Map(
    counting.map((slo, index) => {
      const sums = found[index]
      return [slo, sums === undefined ? [] : sparseTimeSlices(ranges, sums, now)] as const
    }),
  )
  return slos.map((slo) => warnings.get(slo) ?? [])
})

const countsEmptyAsGood = ({ spec: { budgetingMethod, emptyTimeSlices } }: Slo): boolean =>
  budgetingMethod === "Timeslices" && (emptyTimeSlices ?? "good") === "good"

/** The hours of the last day, with the present one. */
const lastHours = (now: number): ReadonlyArray<MinuteRange> => {
  const first = hourOf(now) - 23 * hourMs
  return Array.from({ length: 24 }, (_, hour) => ({
    from: first + hour * hourMs,
    to: first + (hour + 1) * hourMs,
  }))
}

/**
 * The warning of an SLO, of whose hours these are the sums: about the objective with the fewest minutes with events. Only the minutes
 * from the end of the first hour with counts to the latest count are known; fewer than an hour of them say nothing.
 */
export const sparseTimeSlices = (
  hours: ReadonlyArray<MinuteRange>,
  { sums, latestAt }: CountSumsRead,
  now: number,
): ReadonlyArray<Warning> => {
  let sparsest: { readonly objective: string; readonly share: number } | undefined
  for (const [objective, latest] of latestAt) {
    const minutesOf = (hour: number) => sums[hour]?.find((sum) => sum.objective === objective)?.minutes
    const first = hours.findIndex((_, hour) => minutesOf(hour) !== undefined)
    const from = hours[first]?.to
    if (from === undefined) continue
    const known = (Math.min(latest, minuteOf(now)) + minuteMs - from) / minuteMs
    if (known < knownMinutesMin) continue
    const withEvents = hours.reduce((sum, _, hour) => (hour > first ? sum + (minutesOf(hour) ?? 0) : sum), 0)
    const share = withEvents / known
    if (share < 1 / 2 && share < (sparsest?.share ?? 1)) sparsest = { objective, share }
  }
  if (sparsest === undefined) return []
  const percent = Math.floor(sparsest.share * 100)
  const message = `counts minutes without events as good, but objective ${sparsest.objective} has events in ${percent < 1 ? "less than 1" : percent}% of the minutes of the last day, so that an outage burns little of the error budget. Set emptyTimeSlices to ignored or lastState, or use Occurrences`
  return [{ path: "spec.budgetingMethod", code: "sparse_time_slices", message }]
}

const knownMinutesMin = 60
