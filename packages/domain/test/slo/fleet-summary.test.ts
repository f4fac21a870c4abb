import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { FleetPlane } from "../../src/status/FleetPlane.ts"
import { compareProjectKeys, type ProjectKey, projectKeyText } from "../../src/metadata/ObjectKey.ts"
import { isBurning, objectiveState, objectiveStates, worseState } from "../../src/slo/ObjectiveState.ts"
import type { ObjectiveFigures } from "../../src/status/ObjectiveStatus.ts"
import { fastBurnMin, summarizeFleet } from "../../src/overview/FleetSummary.ts"
import { compareSloRanks } from "../../src/overview/SloRank.ts"
import { atOnce } from "../../src/work/Parts.ts"

const status = fc.option(
  fc.record({
    reliability: fc.constantFrom(0.5, 1),
    errorBudgetRemaining: fc.constant(0),
    errorBudgetRemainingPercentage: fc.constantFrom(-1, 0, 0.1, 0.10001, 0.19, 0.2, 1),
    burnRate: fc.constantFrom(0, 0.99, 1, 1.9, 2, 14),
  }),
  { nil: undefined },
)

interface OneSlo {
  readonly name: string
  readonly displayName: string | undefined
  readonly objectives: ReadonlyArray<Required<ObjectiveFigures> | undefined>
  readonly isRemoved: boolean
  readonly isAlerting: boolean
}

const slos: fc.Arbitrary<ReadonlyArray<OneSlo>> = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 3 }),
    displayName: fc.option(fc.constantFrom("Search 2", "Search 10", "search", "Übersicht"), {
      nil: undefined,
    }),
    objectives: fc.array(status, { maxLength: 4 }),
    isRemoved: fc.boolean(),
    isAlerting: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 40 },
)

const planeOf = (all: ReadonlyArray<OneSlo>, lastFirst = false): FleetPlane => {
  const plane = new FleetPlane()
  const take = ({ name, displayName, objectives }: OneSlo, definition: number): void => {
    const named = objectives.map((found, index) => [`o-${index}`, found] as const)
    plane.takeRead({
      project: "shop",
      name,
      version: { definition, status: 1 },
      outline: {
        service: "web",
        ...(displayName !== undefined && { displayName }),
        targets: new Map(named.map(([objective]) => [objective, 0.9])),
      },
      statuses: new Map(named.flatMap(([objective, found]) => (found ? [[objective, found]] : []))),
    })
  }
  plane.beginReading()
  // What was replaced, or is removed, leaves rows without figures.
  for (const slo of all) take({ ...slo, objectives: [undefined] }, 1)
  plane.beginReading()
  for (const slo of lastFirst ? all.toReversed() : all) if (!slo.isRemoved) take(slo, 2)
  atOnce(plane.removeUnread(new Set(["shop"])))
  return plane
}

const keyOf = ({ name }: Pick<OneSlo, "name">): ProjectKey => ({ project: "shop", name })

const stateOf = ({ objectives }: OneSlo) =>
  objectives.map((found) => objectiveState(found ?? {})).reduce(worseState, "noData")

const budgetOf = (slo: OneSlo): number =>
  Math.min(
    ...slo.objectives
      .filter((found) => objectiveState(found ?? {}) === stateOf(slo))
      .map((found) => found?.errorBudgetRemainingPercentage ?? Infinity),
  )

const silent: OneSlo = {
  name: "checkout",
  displayName: undefined,
  objectives: [undefined],
  isRemoved: false,
  isAlerting: false,
}

const options = { urgentMax: 10, itemsMax: 3, openAlerts: new Map() }

describe("the summary of a fleet", () => {
  it("is that of all SLOs which exist, sorted as a plain list", () => {
    fc.assert(
      fc.property(slos, (all) => {
        const alerting = all.filter(({ isAlerting }) => isAlerting).map(keyOf)
        const asked = {
          ...options,
          openAlerts: new Map(
            alerting.map((slo) => [projectKeyText(slo), { slo, open: 1, acknowledged: 0 }]),
          ),
        }
        const summary = atOnce(summarizeFleet(planeOf(all).table, asked))
        const existing = all.filter(({ isRemoved }) => !isRemoved)
        for (const state of objectiveStates)
          expect(summary.states[state]).toBe(existing.filter((slo) => stateOf(slo) === state).length)
        const ranks = existing.map((slo) => ({
          slo: keyOf(slo),
          isBurning: slo.isAlerting || slo.objectives.some((found) => isBurning(found ?? {})),
          state: stateOf(slo),
          budget: budgetOf(slo),
          displayName: slo.displayName ?? slo.name,
        }))
        expect(summary.urgent).toEqual(
          ranks
            .toSorted(compareSloRanks)
            .slice(0, options.urgentMax)
            .map(({ slo }) => slo),
        )
        const objectives = existing.flatMap(({ name, objectives: found }) =>
          found.flatMap((each, index) =>
            each === undefined ? [] : [{ ...each, slo: keyOf({ name }), track: `o-${index}` }],
          ),
        )
        const named = (found: typeof objectives) =>
          found.slice(0, options.itemsMax).map(({ slo, track }) => ({ slo, track }))
        expect(summary.lowestBudgets).toEqual(
          named(
            objectives
              .filter((each) => ["breached", "atRisk"].includes(objectiveState(each)))
              .toSorted(
                (a, b) =>
                  a.errorBudgetRemainingPercentage - b.errorBudgetRemainingPercentage ||
                  compareProjectKeys(a.slo, b.slo),
              ),
          ),
        )
        expect(summary.fastestBurns).toEqual(
          named(
            objectives
              .filter(({ burnRate }) => burnRate >= fastBurnMin)
              .toSorted((a, b) => b.burnRate - a.burnRate || compareProjectKeys(a.slo, b.slo)),
          ),
        )
        expect(summary.withoutData).toEqual(
          existing
            .filter((slo) => stateOf(slo) === "noData")
            .map(keyOf)
            .toSorted(compareProjectKeys)
            .slice(0, options.itemsMax),
        )
        expect(atOnce(summarizeFleet(planeOf(all, true).table, asked))).toEqual(summary)
      }),
      { numRuns: 200 },
    )
  })

  it("of an organization without SLOs is empty", () => {
    expect(atOnce(summarizeFleet(new FleetPlane().table, options))).toEqual({
      states: { breached: 0, atRisk: 0, healthy: 0, noData: 0 },
      urgent: [],
      lowestBudgets: [],
      fastestBurns: [],
      withoutData: [],
    })
  })

  it("counts SLOs that are defined again or removed in the meantime, as they are then", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `slo-${index}`)
    const plane = planeOf(names.map((name) => ({ ...silent, name })))
    const parts = summarizeFleet(plane.table, options)
    expect(parts.next().done).toBe(false)
    plane.beginReading()
    for (const [index, name] of names.slice(100).entries()) {
      const targets = new Map(index % 2 === 0 ? [] : [["good", 0.9]])
      const version = { definition: 3, status: 1 }
      plane.takeRead({ ...keyOf({ name }), version, outline: { service: "web", targets } })
    }
    atOnce(plane.removeUnread(new Set(["shop"])))
    expect(atOnce(parts).states.noData).toBe(900)
  })

  it("ends although SLOs are always being defined again", () => {
    const plane = planeOf([silent])
    const renewed = () => ({ ...plane.table, renewed })
    expect(atOnce(summarizeFleet(renewed(), options)).states.noData).toBe(1)
  })
})
