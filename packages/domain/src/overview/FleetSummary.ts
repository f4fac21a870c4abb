import * as Effect from "effect/Effect"
import {
  compareProjectKeys,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import type { FleetTable } from "../status/FleetPlane.ts"
import { fleetTable } from "../status/FleetPlanes.ts"
import {
  isBurning,
  type ObjectiveState,
  objectiveState,
  type StateCounts,
  worseState,
} from "../slo/ObjectiveState.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import { First } from "./First.ts"
import { compareSloRanks, type SloRank } from "./SloRank.ts"
import type { SloSnapshot } from "./SloSnapshot.ts"

/** One objective of an SLO, by name. */
export interface FleetObjective {
  /** The SLO that the objective belongs to. */
  readonly slo: ProjectKey
  /** The name of the objective; that of the legacy composite is `overallTrack`. */
  readonly track: string
}

/** What needs attention among all SLOs of an organization, however many there are; each list has the most urgent first. */
export interface FleetSummary {
  /** The number of SLOs in each state. */
  readonly states: StateCounts
  /** The first SLOs in the order of `compareSloRanks`. */
  readonly urgent: ReadonlyArray<ProjectKey>
  /** The lowest error budgets, of objectives that are at risk or breached. */
  readonly lowestBudgets: ReadonlyArray<FleetObjective>
  /** The highest burn rates of at least `fastBurnMin`. */
  readonly fastestBurns: ReadonlyArray<FleetObjective>
  /** The first SLOs without data in their time window, by project and name. */
  readonly withoutData: ReadonlyArray<ProjectKey>
}

/** The lowest burn rate that needs attention: the error budget would last for half of the time window. */
export const fastBurnMin = 2

/** What a summary is about. */
export interface FleetSummaryOptions extends Pick<SloSnapshot, "openAlerts"> {
  /** Most SLOs in `urgent`. */
  readonly urgentMax: number
  /** Most items of each other list. */
  readonly itemsMax: number
}

/** Rows, or SLOs without rows, that are looked at in one part, also before the code is compiled. */
const rowsAtOnce = 250

interface Ranked extends FleetObjective {
  readonly figure: number
}

/** How often the figures are gone through if SLOs are added or removed in the meantime. */
const attemptsMax = 4

/**
 * Goes through the latest figures of all objectives. The rows of an SLO follow one another; the result does not depend on the order of the
 * SLOs. It is exact unless definitions change during each of `attemptsMax` attempts, when SLOs that changed during the last may be missing.
 */
export function* summarizeFleet(table: FleetTable, options: FleetSummaryOptions): Parts<FleetSummary> {
  let latest = table
  for (let attempt = 1; ; attempt++) {
    const summary = yield* summarizeRows(latest, options)
    const renewed = latest.renewed()
    if (renewed === undefined || attempt === attemptsMax) return summary
    latest = renewed
  }
}

function* summarizeRows(
  { rows, labels, figures, withoutObjectives, displayNames }: FleetTable,
  { urgentMax, itemsMax, openAlerts }: FleetSummaryOptions,
): Parts<FleetSummary> {
  const states = { breached: 0, atRisk: 0, healthy: 0, noData: 0 }
  const urgent = new First<SloRank>(urgentMax, compareSloRanks)
  const lowest = new First<Ranked>(
    itemsMax,
    (a, b) => a.figure - b.figure || compareProjectKeys(a.slo, b.slo),
  )
  const fastest = new First<Ranked>(
    itemsMax,
    (a, b) => b.figure - a.figure || compareProjectKeys(a.slo, b.slo),
  )
  const withoutData = new First<ProjectKey>(itemsMax, compareProjectKeys)
  const take = (slo: ProjectKey, state: ObjectiveState, budget: number, burns: boolean): void => {
    states[state]++
    if (state === "noData") withoutData.add(slo)
    if (urgentMax === 0) return
    const key = projectKeyText(slo)
    const displayName = displayNames.get(key) ?? slo.name
    urgent.add({ slo, isBurning: burns || openAlerts.has(key), state, budget, displayName })
  }
  const { project: projects, slo: slos, objective: objectives } = labels
  const textOf = ({ codes, texts }: typeof projects, row: number): string => texts[codes[row] ?? 0] ?? ""
  let row = 0
  let nextPart = rowsAtOnce
  while (row < rows) {
    if (row >= nextPart) {
      nextPart = row + rowsAtOnce
      yield
    }
    // An objective that is gone has no target.
    if (Number.isNaN(figures.target[row])) {
      row++
      continue
    }
    const first = row
    const slo = { project: textOf(projects, first), name: textOf(slos, first) }
    let state: ObjectiveState = "noData"
    let budget = Infinity
    let burns = false
    for (; row < rows && isOfSlo(labels, first, row) && !Number.isNaN(figures.target[row]); row++) {
      const ofRow = figure(figures.errorBudgetRemainingPercentage, row)
      const burnRate = figure(figures.burnRate, row) ?? 0
      const ofObjective = objectiveState({
        reliability: figure(figures.reliability, row),
        errorBudgetRemainingPercentage: ofRow,
      })
      burns ||= isBurning({ burnRate })
      const worse = worseState(state, ofObjective)
      if (worse !== state) budget = Infinity
      state = worse
      if (ofObjective === state) budget = Math.min(budget, ofRow ?? Infinity)
      const isLow = ofObjective === "breached" || ofObjective === "atRisk"
      if (isLow && ofRow !== undefined) lowest.add({ slo, track: textOf(objectives, row), figure: ofRow })
      if (burnRate >= fastBurnMin) fastest.add({ slo, track: textOf(objectives, row), figure: burnRate })
    }
    take(slo, state, budget, burns)
  }
  let count = 0
  for (const slo of withoutObjectives.values()) {
    if (++count % rowsAtOnce === 0) yield
    take(slo, "noData", Infinity, false)
  }
  const named = ({ slo, track }: Ranked): FleetObjective => ({ slo, track })
  return {
    states,
    urgent: urgent.items.map(({ slo }) => slo),
    lowestBudgets: lowest.items.map(named),
    fastestBurns: fastest.items.map(named),
    withoutData: withoutData.items,
  }
}

const figure = (column: Float64Array, row: number): number | undefined => {
  const value = column[row]
  return value === undefined || Number.isNaN(value) ? undefined : value
}

const isOfSlo = ({ project, slo }: FleetTable["labels"], first: number, row: number): boolean =>
  project.codes[row] === project.codes[first] && slo.codes[row] === slo.codes[first]

/** A summary of all SLOs of an organization; `undefined` if their figures would take too much memory. */
export const readFleetSummary = Effect.fnUntraced(function* (
  organization: OrganizationId,
  options: FleetSummaryOptions,
) {
  const table = yield* fleetTable(organization)
  return table === undefined ? undefined : yield* inParts(() => summarizeFleet(table, options))
})
