import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { CountStore, CountSum } from "../counts/CountStore.ts"
import type { DefinitionStore, StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import { burnRateRange, makeCalendarRanges, type WindowAt, windowAt } from "../slo/WindowAt.ts"
import { budgetShare, type GoodTotal } from "./ErrorBudget.ts"
import type { CountsReading } from "./CountsPlan.ts"
import { readCounts } from "./ReadSlos.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The minutes of an SLO whose status is wanted. */
export interface WantedMinutes {
  /** The definition that all minutes are computed by. */
  readonly slo: StoredDefinition<Slo>
  /** At least those of the SLO and of its components. */
  readonly adjustments: ReadonlyArray<BudgetAdjustment>
  /** The names of the objectives that are wanted. */
  readonly objectives: ReadonlySet<string>
  /** The starts of the minutes in which the status is wanted, in Unix milliseconds. */
  readonly statuses: ReadonlyArray<number>
  /** Which parts of it: what follows from the window, and the burn rate. */
  readonly parts: StatusParts
  /** The starts of the minutes whose own counts are wanted. */
  readonly counts: ReadonlyArray<number>
}

/** The parts of a status that are computed from ranges of their own. */
interface StatusParts {
  readonly window: boolean
  readonly burnRate: boolean
}

/** What the metrics of an objective in a minute follow from. */
export interface ObjectiveMinute {
  /** The share that may be bad. */
  readonly budget: number
  /** The length of the window, as `objectiveStatus` needs it. */
  readonly lengthMs: number
  /** What is good of how much in the window of the status. */
  readonly window: GoodTotal | undefined
  /** The same in the range of the burn rate. */
  readonly recent: GoodTotal | undefined
}

/** Receives what was read, the minutes of each objective of an SLO in order. */
export interface StatusSeriesVisitor {
  readonly onStatus: (
    slo: StoredDefinition<Slo>,
    objective: string,
    minute: number,
    status: ObjectiveMinute,
  ) => void
  readonly onCounts: (slo: StoredDefinition<Slo>, objective: string, minute: number, sum: CountSum) => void
}

/** Most ranges of counts that are read at once. */
const rangesPerRead = 4_000

/**
 * Reads what the status of SLOs was in each of some minutes, by the present definitions and the counts known now: a window ends
 * with the minute. Reads many minutes and SLOs at once, as few as fit, and passes them on before it reads more.
 */
export const readStatusSeries = (
  organization: OrganizationId,
  wanted: ReadonlyArray<WantedMinutes>,
  visitor: StatusSeriesVisitor,
): Effect.Effect<void, StoreIsUnavailable, CountStore | DefinitionStore> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const rangesOf = makeRangesOf()
    for (const chunk of chunksOf(wanted)) {
      const reads = chunk.map((each) => ({ ...each, organization, ...rangesOf(each) }))
      const found = yield* readCounts(reads, now)
      for (const [index, { slo, objectives, windows, minutes, parts }] of reads.entries()) {
        const reading = found[index]
        if (reading === undefined) continue
        // Others take their turn between SLOs, and between chunks.
        yield* Effect.yieldNow
        for (const { name, target } of objectivesOf(slo.definition)) {
          if (!objectives.has(name)) continue
          const budget = budgetShare(target)
          for (const at of windows) {
            visitor.onStatus(
              slo,
              name,
              at.range.to - minuteMs,
              objectiveMinute(name, budget, at, reading, parts),
            )
          }
          for (const minute of minutes) {
            const sum = reading.ownSum(name, minute)
            if (sum !== undefined && sum.minutes > 0) visitor.onCounts(slo, name, minute.from, sum)
          }
        }
      }
      yield* Effect.yieldNow
    }
  })

/** As `sloStatus` reads it, as far as it is wanted. */
const objectiveMinute = (
  track: string,
  budget: number,
  at: WindowAt,
  reading: CountsReading,
  parts: StatusParts,
): ObjectiveMinute => ({
  budget,
  lengthMs: parts.window ? reading.countedMs(track, at.range, at.lengthMs) : at.lengthMs,
  window: parts.window ? reading.goodTotal(track, at.range, at.lengthMs) : undefined,
  recent: parts.burnRate ? reading.goodTotal(track, burnRateRange(at)) : undefined,
})

/** The windows and ranges of what is wanted. Those of SLOs with the same time window are the same arrays. */
const makeRangesOf = () => {
  const calendarRanges = makeCalendarRanges()
  const known = new Map<string, WantedRanges>()
  return ({ slo, statuses, counts, parts }: WantedMinutes): WantedRanges => {
    const { timeWindow } = slo.definition.spec
    const key = JSON.stringify([timeWindow, parts])
    const before = known.get(key)
    if (before?.statuses === statuses && before.counts === counts) return before
    const windows = statuses.map((minute) => windowAt(timeWindow, minute, calendarRanges))
    const minutes = counts.map((minute): MinuteRange => ({ from: minute, to: minute + minuteMs }))
    const ranges = [
      ...(parts.window ? windows.map(({ range }) => range) : []),
      ...(parts.burnRate ? windows.map(burnRateRange) : []),
      ...minutes,
    ]
    const made: WantedRanges = { statuses, counts, windows, minutes, ranges }
    known.set(key, made)
    return made
  }
}

interface WantedRanges extends Pick<WantedMinutes, "statuses" | "counts"> {
  readonly windows: ReadonlyArray<WindowAt>
  readonly minutes: ReadonlyArray<MinuteRange>
  readonly ranges: ReadonlyArray<MinuteRange>
}

/** Splits what is wanted so that as many ranges are read at once as may be, keeping the order; an SLO only if it has more. */
function* chunksOf(wanted: ReadonlyArray<WantedMinutes>): Generator<ReadonlyArray<WantedMinutes>> {
  let chunk: Array<WantedMinutes> = []
  let room = rangesPerRead
  for (const each of wanted) {
    const perStatus = Number(each.parts.window) + Number(each.parts.burnRate)
    const size = perStatus * each.statuses.length + each.counts.length
    if (size === 0) continue
    if (size > room && chunk.length > 0) {
      yield chunk
      chunk = []
      room = rangesPerRead
    }
    if (size <= room) {
      chunk.push(each)
      room -= size
      continue
    }
    const statusesMax = Math.floor(rangesPerRead / Math.max(1, perStatus))
    for (let from = 0; from < each.statuses.length; from += statusesMax) {
      yield [{ ...each, statuses: each.statuses.slice(from, from + statusesMax), counts: [] }]
    }
    for (let from = 0; from < each.counts.length; from += rangesPerRead) {
      yield [{ ...each, statuses: [], counts: each.counts.slice(from, from + rangesPerRead) }]
    }
  }
  if (chunk.length > 0) yield chunk
}
