import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { FleetTable } from "../status/FleetPlane.ts"
import { fleetTable } from "../status/FleetPlanes.ts"
import {
  type ObjectiveState,
  objectiveState,
  objectiveStates,
  type StateCounts,
  worseState,
} from "../status/ObjectiveState.ts"
import type { SloRecord } from "../status/SloRecord.ts"
import { SloStore } from "../status/SloStore.ts"
import { inParts, type Parts } from "../work/Parts.ts"
import { First } from "./First.ts"

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
  /** The first SLOs by state, error budget and name. */
  readonly urgent: ReadonlyArray<ProjectKey>
  /** The lowest error budgets, of objectives that are at risk or breached. */
  readonly lowestBudgets: ReadonlyArray<FleetObjective>
  /** The highest burn rates of at least `fastBurnMin`. */
  readonly fastestBurns: ReadonlyArray<FleetObjective>
  /** SLOs without data in their time window. */
  readonly withoutData: ReadonlyArray<ProjectKey>
}

/** The lowest burn rate that needs attention: the error budget would last for half of the time window. */
export const fastBurnMin = 2

/** How many items the lists of a summary have. */
export interface FleetSummaryLimits {
  /** Most SLOs in `urgent`. */
  readonly urgentMax: number
  /** Most items of each other list. */
  readonly itemsMax: number
}

/** Rows that are looked at in one part, also before the code is compiled. */
const rowsAtOnce = 250

interface Ranked extends FleetObjective {
  readonly figure: number
}

interface RankedSlo {
  readonly slo: ProjectKey
  readonly urgency: number
  readonly budget: number
}

/** Goes through the latest figures of all objectives once. The rows of an SLO follow one another. */
export function* summarizeFleet(
  { rows, labels, figures }: FleetTable,
  { urgentMax, itemsMax }: FleetSummaryLimits,
): Parts<FleetSummary> {
  const states = { breached: 0, atRisk: 0, healthy: 0, noData: 0 }
  const urgent = new First<RankedSlo>(
    urgentMax,
    ({ urgency }) => urgency,
    ({ budget }) => budget,
  )
  const lowest = new First<Ranked>(itemsMax, ({ figure }) => figure)
  const fastest = new First<Ranked>(itemsMax, ({ figure }) => -figure)
  const withoutData: Array<ProjectKey> = []
  const { project: projects, slo: slos, objective: objectives } = labels
  const textOf = ({ codes, texts }: typeof projects, row: number): string => texts[codes[row] ?? 0] ?? ""
  const keyOf = (row: number): ProjectKey => ({ project: textOf(projects, row), name: textOf(slos, row) })
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
    let state: ObjectiveState = "noData"
    let budget = Infinity
    for (; row < rows && isOfSlo(labels, first, row) && !Number.isNaN(figures.target[row]); row++) {
      const ofRow = figure(figures.errorBudgetRemainingPercentage, row)
      const burnRate = figure(figures.burnRate, row) ?? 0
      const ofObjective = objectiveState({
        reliability: figure(figures.reliability, row),
        errorBudgetRemainingPercentage: ofRow,
      })
      const worse = worseState(state, ofObjective)
      if (worse !== state) budget = Infinity
      state = worse
      if (ofObjective === state) budget = Math.min(budget, ofRow ?? Infinity)
      const isLow = (ofObjective === "breached" || ofObjective === "atRisk") && ofRow !== undefined
      if (isLow && lowest.takes(ofRow))
        lowest.add({ slo: keyOf(row), track: textOf(objectives, row), figure: ofRow })
      if (burnRate >= fastBurnMin && fastest.takes(-burnRate))
        fastest.add({ slo: keyOf(row), track: textOf(objectives, row), figure: burnRate })
    }
    states[state]++
    const urgency = objectiveStates.indexOf(state)
    if (urgent.takes(urgency, budget)) urgent.add({ slo: keyOf(first), urgency, budget })
    if (state === "noData" && withoutData.length < itemsMax) withoutData.push(keyOf(first))
  }
  const named = ({ slo, track }: Ranked): FleetObjective => ({ slo, track })
  return {
    states,
    urgent: urgent.items.map(({ slo }) => slo),
    lowestBudgets: lowest.items.map(named),
    fastestBurns: fastest.items.map(named),
    withoutData,
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
  limits: FleetSummaryLimits,
) {
  const table = yield* fleetTable(organization)
  return table === undefined ? undefined : yield* inParts(() => summarizeFleet(table, limits))
})

/** SLOs that are read at the same time. */
const readsAtOnce = 4

/** The records of some SLOs, in their order; those that no longer exist are left out. */
export const readRecords = Effect.fnUntraced(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<ProjectKey>,
) {
  const store = yield* SloStore
  const found = yield* Effect.forEach(keys, (key) => store.find(organization, key), {
    concurrency: readsAtOnce,
  })
  return found.flatMap((record): ReadonlyArray<SloRecord> => Option.toArray(record))
})
