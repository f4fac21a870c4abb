import * as Effect from "effect/Effect"
import type { OpenAlerts } from "../alerting/AlertStore.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import {
  compareProjectKeys,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { makeCalendarRanges, type WindowAt, windowAt } from "../slo/WindowAt.ts"
import type { FleetService, FleetSlo, FleetTable, TrackStatus } from "../status/FleetPlane.ts"
import { fleetTable } from "../status/FleetPlanes.ts"
import {
  isBurning,
  type ObjectiveState,
  objectiveState,
  objectiveStates,
  type StateCounts,
  worseState,
} from "../slo/ObjectiveState.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import { byNumbers, First } from "./First.ts"
import { compareSloRanks, type SloRank } from "./SloRank.ts"

/** An objective of an SLO that needs attention. */
export interface FleetObjective extends TrackStatus {
  /** The SLO that the objective belongs to. */
  readonly slo: ProjectKey
  /** The name of the SLO if it has no display name. */
  readonly sloDisplayName: string
  /** Derived from the error budget remaining. */
  readonly state: ObjectiveState
}

/** A service with the state of its SLOs. */
export interface FleetServiceState {
  /** Its name, and its project's. */
  readonly service: FleetService
  /** The number of its SLOs in each state. */
  readonly states: StateCounts
  /** The most urgent of them. */
  readonly state: ObjectiveState
  /** How many alerts of its SLOs are open. */
  readonly openAlerts: number
}

/**
 * What needs attention among all SLOs of an organization, however many there are; each list has the most urgent first. Everything is
 * about the same time.
 */
export interface FleetSummary {
  /** The number of SLOs in each state. */
  readonly states: StateCounts
  /** The first SLOs in the order of `compareSloRanks`. */
  readonly urgent: ReadonlyArray<FleetSlo>
  /** The lowest error budgets, of objectives that are at risk or breached. */
  readonly lowestBudgets: ReadonlyArray<FleetObjective>
  /** The highest burn rates of at least `fastBurnMin`. */
  readonly fastestBurns: ReadonlyArray<FleetObjective>
  /** Calendar-aligned windows about to close, soonest first; of each SLO the objective with the lowest budget. */
  readonly closing: ReadonlyArray<FleetObjective & { readonly endsAt: number }>
  /** The SLOs whose budget would last shortest at their present burn rate, at most twice as many as there are items of other lists. */
  readonly soonest: ReadonlyArray<FleetSlo>
  /** The first SLOs without data in their time window, by project and name. */
  readonly withoutData: ReadonlyArray<FleetSlo>
  /** By project and name, at most `servicesMax`. */
  readonly services: ReadonlyArray<FleetServiceState>
  /** Whether `services` has those of all SLOs. */
  readonly hasAllServices: boolean
}

/** The lowest burn rate that needs attention: the error budget would last for half of the time window. */
export const fastBurnMin = 2

/** A calendar-aligned window is about to close in its last tenth, and at most this time before its end. */
const closingMsMax = 7 * dayMs

/** What a summary is about. */
export interface FleetSummaryOptions {
  /** In Unix milliseconds. */
  readonly now: number
  /** By `projectKeyText`. */
  readonly openAlerts: ReadonlyMap<string, OpenAlerts>
  /** Most SLOs in `urgent`. */
  readonly urgentMax: number
  /** Most items of each other list. */
  readonly itemsMax: number
  /** Most services. */
  readonly servicesMax: number
}

/** Rows that are looked at in one part, also before the code is compiled. */
const rowsAtOnce = 250

interface Ranked {
  readonly slo: FleetSlo
  /** Which objective of the SLO. */
  readonly index: number
  readonly figure: number
}

interface Closing extends Ranked {
  readonly endsAt: number
}

/**
 * Goes through the latest figures of all objectives, SLO by SLO. The result does not depend on the order in which they were read. SLOs that
 * are added in the meantime are missing.
 */
export function* summarizeFleet(
  table: FleetTable,
  { now, openAlerts, urgentMax, itemsMax, servicesMax }: FleetSummaryOptions,
): Parts<FleetSummary> {
  const states = noStates()
  const urgent = new First<SloRank & { readonly slo: FleetSlo }>(urgentMax, compareSloRanks)
  const lowest = new First<Ranked>(
    itemsMax,
    byNumbers(({ figure }) => figure),
  )
  const fastest = new First<Ranked>(
    itemsMax,
    byNumbers(({ figure }) => -figure),
  )
  const closing = new First<Closing>(
    itemsMax,
    byNumbers(
      ({ endsAt }) => endsAt,
      ({ figure }) => figure,
    ),
  )
  const soonest = new First<{ readonly slo: FleetSlo; readonly lastsMs: number }>(
    2 * itemsMax,
    byNumbers(({ lastsMs }) => lastsMs),
  )
  const withoutData: Array<FleetSlo> = []
  const services = new Map<FleetService, { readonly states: Counting; openAlerts: number }>()
  let hasAllServices = true
  const windowOf = makeWindows(now)
  let rows = 0
  for (const slo of table.slos) {
    rows += 1 + slo.count
    if (rows > rowsAtOnce) {
      rows = 0
      yield
    }
    if (slo.isGone) continue
    const { reliability, errorBudgetRemainingPercentage, burnRate } = table.figures
    let state: ObjectiveState = "noData"
    let budget = Infinity
    let burns = false
    let lasts = Infinity
    let low: Ranked | undefined
    for (let index = 0; index < slo.count; index++) {
      const row = slo.first + index
      const ofRow = figure(errorBudgetRemainingPercentage, row)
      const burnOfRow = figure(burnRate, row) ?? 0
      const ofObjective = objectiveState({
        reliability: figure(reliability, row),
        errorBudgetRemainingPercentage: ofRow,
      })
      burns ||= isBurning({ burnRate: burnOfRow })
      const worse = worseState(state, ofObjective)
      if (worse !== state) budget = Infinity
      state = worse
      if (ofObjective === state) budget = Math.min(budget, ofRow ?? Infinity)
      const isLow = ofObjective === "breached" || ofObjective === "atRisk"
      if (isLow && ofRow !== undefined) lowest.add({ slo, index, figure: ofRow })
      if (burnOfRow >= fastBurnMin) fastest.add({ slo, index, figure: burnOfRow })
      if (burnOfRow > 0 && ofRow !== undefined && ofRow > 0) lasts = Math.min(lasts, ofRow / burnOfRow)
      if (low === undefined || (ofRow ?? 1) < low.figure) low = { slo, index, figure: ofRow ?? 1 }
    }
    states[state]++
    if (state === "noData" && withoutData.length < itemsMax) withoutData.push(slo)
    const alerts = openAlerts.size === 0 ? undefined : openAlerts.get(projectKeyText(slo))
    if (urgentMax > 0) {
      const { displayName } = slo
      urgent.add({ slo, isBurning: burns || alerts !== undefined, state, budget, displayName })
    }
    if (itemsMax > 0) {
      const { lengthMs, endsAt } = windowOf(slo.timeWindow)
      const isClosing = endsAt !== undefined && endsAt - now <= Math.min(lengthMs / 10, closingMsMax)
      if (isClosing && low !== undefined) closing.add({ ...low, endsAt })
      const lastsMs = lasts * lengthMs
      // The present burn rate alone is not the forecast.
      if (now + lastsMs <= (endsAt ?? now + lengthMs) + lengthMs) soonest.add({ slo, lastsMs })
    }
    let ofService = services.get(slo.service)
    if (ofService === undefined) {
      if (services.size >= servicesMax) {
        hasAllServices = false
        continue
      }
      ofService = { states: noStates(), openAlerts: 0 }
      services.set(slo.service, ofService)
    }
    ofService.states[state]++
    ofService.openAlerts += alerts?.open ?? 0
  }
  const named = ({ slo, index }: Ranked): ReadonlyArray<FleetObjective> => {
    const track = table.tracksOf(slo)[index]
    if (track === undefined) return []
    const { project, name, displayName } = slo
    return [{ ...track, slo: { project, name }, sloDisplayName: displayName, state: objectiveState(track) }]
  }
  return {
    states,
    urgent: urgent.items.map(({ slo }) => slo),
    lowestBudgets: lowest.items.flatMap(named),
    fastestBurns: fastest.items.flatMap(named),
    closing: closing.items.flatMap((each) => named(each).map((found) => ({ ...found, endsAt: each.endsAt }))),
    soonest: soonest.items.map(({ slo }) => slo),
    withoutData,
    services: yield* sortedServices(services),
    hasAllServices,
  }
}

type Counting = Record<ObjectiveState, number>

const noStates = (): Counting => ({ breached: 0, atRisk: 0, healthy: 0, noData: 0 })

function* sortedServices(
  services: ReadonlyMap<FleetService, Pick<FleetServiceState, "states" | "openAlerts">>,
): Parts<ReadonlyArray<FleetServiceState>> {
  const sorted: Array<FleetServiceState> = []
  for (const [service, { states, openAlerts }] of services) {
    if ((sorted.length + 1) % rowsAtOnce === 0) yield
    const state = objectiveStates.find((each) => states[each] > 0) ?? "noData"
    sorted.push({ service, states, state, openAlerts })
  }
  return sorted.sort((a, b) => compareProjectKeys(keyOfService(a), keyOfService(b)))
}

const keyOfService = ({ service: { project, name } }: FleetServiceState): ProjectKey => ({
  project: project.name,
  name,
})

/** `windowAt` with a cache by the time windows, which SLOs share. */
const makeWindows = (now: number) => {
  const calendarRanges = makeCalendarRanges()
  const known = new Map<TimeWindow, Pick<WindowAt, "lengthMs" | "endsAt">>()
  return (window: TimeWindow): Pick<WindowAt, "lengthMs" | "endsAt"> => {
    const found = known.get(window) ?? windowAt(window, now, calendarRanges)
    known.set(window, found)
    return found
  }
}

const figure = (column: Float64Array, row: number): number | undefined => {
  const value = column[row]
  return value === undefined || Number.isNaN(value) ? undefined : value
}

/** A summary of all SLOs of an organization; of its first ones if `hasMore` of its table. */
export const readFleetSummary = Effect.fnUntraced(function* (
  organization: OrganizationId,
  options: FleetSummaryOptions,
) {
  const table = yield* fleetTable(organization)
  return { table, ...(yield* inParts(() => summarizeFleet(table, options))) }
})
