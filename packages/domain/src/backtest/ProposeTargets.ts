import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { dayMs, hourMs, hourOf, minuteMs, minuteOf } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { countsBeforeWindowDays, CountsRetention } from "../counts/CountsRetention.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { overallTrack, targetsOf } from "../slo/SliceRules.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { windowDays } from "../slo/WindowLength.ts"
import { inParts } from "../work/Parts.ts"
import type { CountsReading } from "../status/CountsPlan.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { readCounts } from "../status/ReadSlos.ts"
import { SloStore } from "../status/SloStore.ts"

/** Longest history that targets are proposed from, in days. */
export const proposalHistoryMaxDays = 92

/** Time between the ends of two time windows that are measured, in milliseconds. */
const proposalStepMs = 6 * hourMs

/** Fewest time windows from which a target is proposed: those that end within a day. */
export const proposalWindowsMin = 5

/** Share of the time windows in which a proposed target would have been met. */
export const proposalMetShare = 0.95

/** Time windows that are compared beside that of the SLO, in days. */
export const proposalDays = [7, 28, 30] as const

/** The targets that are proposed, ascending. */
export const proposedTargets = [
  0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99995, 0.99999,
] as const

/** What the history says about one objective over one length of time window. */
export interface TargetProposal {
  /** The length of the time window, in milliseconds. */
  readonly lengthMs: number
  /** How many time windows of the history were measured. */
  readonly windows: number
  /** Absent with fewer than `proposalWindowsMin`. */
  readonly measured?: MeasuredWindows
}

/** Reliabilities are shares, 0 to 1. */
export interface MeasuredWindows {
  readonly worst: number
  /** One in 20 time windows was at most this reliable. */
  readonly fifthPercentile: number
  readonly median: number
  /** The share of the time windows in which the current target was met. */
  readonly metShare: number
  /** The highest target that at least `proposalMetShare` of them met; absent if they met none. */
  readonly target?: number
}

/** Proposed targets for each objective of an SLO. */
export interface Proposals {
  /** The history from the first counts on. */
  readonly history: MinuteRange
  /** The objectives, then the legacy composite if there is one, with one proposal for each length of time window. */
  readonly objectives: ReadonlyArray<{
    /** Absent for the legacy composite. */
    readonly name?: string
    readonly target: number
    readonly proposals: ReadonlyArray<TargetProposal>
  }>
}

/**
 * Proposes targets for the objectives of an SLO from its history: for rolling time windows of several lengths that end every
 * 6 hours, how reliable each was, as the status computes it (spec/backtests §5).
 */
export const proposeTargets = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: { readonly project?: string | undefined; readonly name: string },
) {
  const key = yield* Effect.fromResult(sloKey(request.project, request.name))
  const found = yield* (yield* SloStore).findForStatus(organization, key)
  if (Option.isNone(found)) return yield* new SloNotFound(key)
  const { slo, adjustments, readTo } = found.value
  const now = yield* Clock.currentTimeMillis
  const to = minuteOf(now)
  const days = Math.min((yield* CountsRetention) - countsBeforeWindowDays, proposalHistoryMaxDays)
  const steps = stepsOf(hourOf(to - days * dayMs), to)
  const lengths = lengthsOf(slo.definition.spec.timeWindow)
  const windows = lengths.flatMap((length) => windowsOf(steps, length))
  const [counts] = yield* readCounts(
    [{ organization, slo, adjustments, readTo, ranges: [...steps, ...windows] }],
    now,
  )
  if (counts === undefined) return yield* Effect.die(new Error("The counts of the SLO were not read"))
  let historyFrom = to
  const objectives = yield* inParts(function* () {
    const objectives: Array<Proposals["objectives"][number]> = []
    for (const [track, target] of targetsOf(slo.definition)) {
      const first = steps.findIndex((step) => counts.goodTotal(track, step) !== undefined)
      const known = first === -1 ? [] : steps.slice(first)
      historyFrom = Math.min(historyFrom, known[0]?.from ?? to)
      const proposals: Array<TargetProposal> = []
      for (const lengthMs of lengths) {
        proposals.push(
          proposalOf(lengthMs, target, reliabilitiesOf(counts, track, windowsOf(known, lengthMs))),
        )
        yield
      }
      objectives.push({ ...(track !== overallTrack && { name: track }), target, proposals })
    }
    return objectives
  })
  const proposals: Proposals = { history: { from: historyFrom, to }, objectives }
  return proposals
})

/** The steps of a history, the first of which may be shorter, so that the last ends with it. */
const stepsOf = (from: number, to: number): ReadonlyArray<MinuteRange> => {
  const steps: Array<MinuteRange> = []
  for (let end = to; end > from; end -= proposalStepMs)
    steps.push({ from: Math.max(from, end - proposalStepMs), to: end })
  return steps.toReversed()
}

/** The time windows of a length within steps, one for the end of each. */
const windowsOf = (steps: ReadonlyArray<MinuteRange>, lengthMs: number): ReadonlyArray<MinuteRange> => {
  const from = steps[0]?.from ?? Infinity
  return steps.flatMap(({ to }) => (to - lengthMs >= from ? [{ from: to - lengthMs, to }] : []))
}

const lengthsOf = (timeWindow: TimeWindow): ReadonlyArray<number> => {
  const own = Math.round((windowDays(timeWindow) * dayMs) / minuteMs) * minuteMs
  return [...new Set([...proposalDays.map((days) => days * dayMs), own])].toSorted((a, b) => a - b)
}

const reliabilitiesOf = (
  counts: CountsReading,
  track: string,
  windows: ReadonlyArray<MinuteRange>,
): ReadonlyArray<number> =>
  windows.flatMap((window) => {
    const { good = 0, total = 0 } = counts.goodTotal(track, window) ?? {}
    return total > 0 ? [good / total] : []
  })

/** What the reliabilities of time windows of one length say, in any order. */
export const proposalOf = (
  lengthMs: number,
  present: number,
  reliabilities: ReadonlyArray<number>,
): TargetProposal => {
  const windows = reliabilities.length
  if (windows < proposalWindowsMin) return { lengthMs, windows }
  const sorted = reliabilities.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (windows - 1))] ?? 0
  const metShareOf = (target: number): number =>
    sorted.filter((reliability) => isMet(reliability, target)).length / windows
  const target = proposedTargets.findLast((each) => metShareOf(each) >= proposalMetShare)
  return {
    lengthMs,
    windows,
    measured: {
      worst: at(0),
      fifthPercentile: at(0.05),
      median: at(0.5),
      metShare: metShareOf(present),
      ...(target !== undefined && { target }),
    },
  }
}

/** At 12 digits, as everywhere (spec/slos §11). */
const isMet = (reliability: number, target: number): boolean => reliability - target > -1e-12
