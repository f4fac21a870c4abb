import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { FleetPlane } from "../../src/status/FleetPlane.ts"
import { objectiveState, objectiveStates, worseState } from "../../src/status/ObjectiveState.ts"
import type { ObjectiveStatus } from "../../src/status/ObjectiveStatus.ts"
import { fastBurnMin, summarizeFleet } from "../../src/overview/FleetSummary.ts"
import { atOnce } from "../../src/work/Parts.ts"

const status = fc.option(
  fc.record({
    reliability: fc.constantFrom(0.5, 1),
    errorBudgetRemaining: fc.constant(0),
    errorBudgetRemainingPercentage: fc.constantFrom(-1, 0, 0.1, 0.19, 0.2, 1),
    burnRate: fc.constantFrom(0, 1.9, 2, 14),
  }),
  { nil: undefined },
)

interface OneSlo {
  readonly name: string
  readonly objectives: ReadonlyArray<Required<ObjectiveStatus> | undefined>
  readonly isRemoved: boolean
}

const slos: fc.Arbitrary<ReadonlyArray<OneSlo>> = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 3 }),
    objectives: fc.array(status, { minLength: 1, maxLength: 4 }),
    isRemoved: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 40 },
)

const planeOf = (all: ReadonlyArray<OneSlo>): FleetPlane => {
  const plane = new FleetPlane()
  const take = ({ name, objectives }: OneSlo, definition: number): void => {
    const named = objectives.map((found, index) => [`o-${index}`, found] as const)
    plane.takeRead({
      project: "shop",
      name,
      version: { definition, status: 1 },
      outline: { service: "web", targets: new Map(named.map(([objective]) => [objective, 0.9])) },
      statuses: new Map(named.flatMap(([objective, found]) => (found ? [[objective, found]] : []))),
    })
  }
  plane.beginReading()
  // What was replaced, or is removed, leaves rows without figures.
  for (const slo of all) take({ ...slo, objectives: [undefined] }, 1)
  plane.beginReading()
  for (const slo of all) if (!slo.isRemoved) take(slo, 2)
  atOnce(plane.removeUnread(new Set(["shop"])))
  return plane
}

const stateOf = ({ objectives }: OneSlo) =>
  objectives.map((found) => objectiveState(found ?? {})).reduce(worseState, "noData")

const budgetOf = (slo: OneSlo): number =>
  Math.min(
    ...slo.objectives
      .filter((found) => objectiveState(found ?? {}) === stateOf(slo))
      .map((found) => found?.errorBudgetRemainingPercentage ?? Infinity),
  )

const limits = { urgentMax: 10, itemsMax: 3 }

describe("the summary of a fleet", () => {
  it("is that of all SLOs which exist, sorted as a plain list", () => {
    fc.assert(
      fc.property(slos, (all) => {
        const summary = atOnce(summarizeFleet(planeOf(all).table, limits))
        const existing = all.filter(({ isRemoved }) => !isRemoved)
        for (const state of objectiveStates)
          expect(summary.states[state]).toBe(existing.filter((slo) => stateOf(slo) === state).length)
        const urgency = (slo: OneSlo) => objectiveStates.indexOf(stateOf(slo))
        const compareBudgets = (a: OneSlo, b: OneSlo) =>
          budgetOf(a) === budgetOf(b) ? 0 : budgetOf(a) - budgetOf(b)
        expect(summary.urgent).toEqual(
          existing
            .toSorted((a, b) => urgency(a) - urgency(b) || compareBudgets(a, b))
            .slice(0, limits.urgentMax)
            .map(({ name }) => ({ project: "shop", name })),
        )
        const objectives = existing.flatMap(({ name, objectives: found }) =>
          found.flatMap((each, index) =>
            each === undefined ? [] : [{ ...each, slo: { project: "shop", name }, track: `o-${index}` }],
          ),
        )
        const named = (found: typeof objectives) =>
          found.slice(0, limits.itemsMax).map(({ slo, track }) => ({ slo, track }))
        expect(summary.lowestBudgets).toEqual(
          named(
            objectives
              .filter((each) => ["breached", "atRisk"].includes(objectiveState(each)))
              .toSorted((a, b) => a.errorBudgetRemainingPercentage - b.errorBudgetRemainingPercentage),
          ),
        )
        expect(summary.fastestBurns).toEqual(
          named(
            objectives
              .filter(({ burnRate }) => burnRate >= fastBurnMin)
              .toSorted((a, b) => b.burnRate - a.burnRate),
          ),
        )
        expect(summary.withoutData).toEqual(
          existing
            .filter((slo) => stateOf(slo) === "noData")
            .slice(0, limits.itemsMax)
            .map(({ name }) => ({ project: "shop", name })),
        )
      }),
      { numRuns: 200 },
    )
  })

  it("of an organization without SLOs is empty", () => {
    expect(atOnce(summarizeFleet(new FleetPlane().table, limits))).toEqual({
      states: { breached: 0, atRisk: 0, healthy: 0, noData: 0 },
      urgent: [],
      lowestBudgets: [],
      fastestBurns: [],
      withoutData: [],
    })
  })
})
