import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { FleetPlane } from "../../src/status/FleetPlane.ts"
import { compareProjectKeys, type ProjectKey, projectKeyText } from "../../src/metadata/ObjectKey.ts"
import { isBurning, objectiveState, objectiveStates, worseState } from "../../src/slo/ObjectiveState.ts"
import type { ObjectiveFigures } from "../../src/status/ObjectiveStatus.ts"
import { fastBurnMin, type FleetSummary, summarizeFleet } from "../../src/overview/FleetSummary.ts"
import { compareSloRanks } from "../../src/overview/SloRank.ts"
import type { TimeWindow } from "../../src/slo/TimeWindow.ts"
import { atOnce } from "../../src/work/Parts.ts"
import { calendarOf } from "@tocsin/testing/fixtures"

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

const byName = (a: OneSlo, b: OneSlo) => compareProjectKeys(keyOf(a), keyOf(b))

const outlined = { timeWindow: { unit: "Day", count: 28 }, alertPolicies: [] } as const

const shop = new Set(["shop"])

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
        ...outlined,
        tracks: named.map(([track]) => ({ track, target: 0.9 })),
      },
      statuses: new Map(named.flatMap(([objective, found]) => (found ? [[objective, found]] : []))),
    })
  }
  plane.beginReading()
  // What was replaced, or is removed, leaves rows without figures.
  for (const slo of all.toSorted(byName)) take({ ...slo, objectives: [undefined] }, 1)
  atOnce(plane.endReading(shop))
  plane.beginReading()
  for (const slo of lastFirst ? all.toReversed() : all) if (!slo.isRemoved) take(slo, 2)
  atOnce(plane.endReading(shop))
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

const now = Date.UTC(2026, 0, 30, 12)

const options = { now, urgentMax: 10, itemsMax: 3, servicesMax: 10, openAlerts: new Map() }

/** Where the rows of an SLO are depends on when it was read. */
const withoutRows = (key: string, value: unknown) =>
  ["first", "version", "reading"].includes(key) ? undefined : value

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
        const summary = atOnce(summarizeFleet(planeOf(all), asked))
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
        expect(summary.urgent.map(({ project, name }) => ({ project, name }))).toEqual(
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
        const namedOf = (found: FleetSummary["lowestBudgets"]) =>
          found.map(({ slo, track }) => ({ slo, track }))
        expect(namedOf(summary.lowestBudgets)).toEqual(
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
        expect(namedOf(summary.fastestBurns)).toEqual(
          named(
            objectives
              .filter(({ burnRate }) => burnRate >= fastBurnMin)
              .toSorted((a, b) => b.burnRate - a.burnRate || compareProjectKeys(a.slo, b.slo)),
          ),
        )
        expect(summary.withoutData.map(({ project, name }) => ({ project, name }))).toEqual(
          existing
            .filter((slo) => stateOf(slo) === "noData")
            .map(keyOf)
            .toSorted(compareProjectKeys)
            .slice(0, options.itemsMax),
        )
        // The same time: each SLO is in one state of its service.
        expect(summary.services.map(({ states }) => states)).toEqual(
          existing.length === 0 ? [] : [summary.states],
        )
        const textOf = (plane: FleetPlane) =>
          JSON.stringify(atOnce(summarizeFleet(plane, asked)), withoutRows)
        expect(textOf(planeOf(all, true))).toEqual(textOf(planeOf(all)))
      }),
      { numRuns: 200 },
    )
  })

  it("of an organization without SLOs is empty", () => {
    expect(atOnce(summarizeFleet(new FleetPlane(), options))).toEqual({
      states: { breached: 0, atRisk: 0, healthy: 0, noData: 0 },
      urgent: [],
      lowestBudgets: [],
      fastestBurns: [],
      closing: [],
      soonest: [],
      withoutData: [],
      services: [],
      hasAllServices: true,
    })
  })

  it("counts SLOs that are defined again or removed in the meantime once, as they are when it comes to them", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `slo-${1_000 + index}`)
    const plane = planeOf(names.map((name) => ({ ...silent, name })))
    const parts = summarizeFleet(plane, options)
    expect(parts.next().done).toBe(false)
    plane.beginReading()
    for (const [index, name] of names.slice(0, 900).entries()) {
      const tracks = index % 2 === 0 ? [] : [{ track: "good", target: 0.9 }]
      const version = { definition: 3, status: 1 }
      plane.takeRead({ ...keyOf({ name }), version, outline: { service: "web", ...outlined, tracks } })
    }
    atOnce(plane.endReading(shop))
    expect(atOnce(parts).states.noData).toBe(900)
  })

  it("has the windows that are about to close, the SLOs whose budget lasts shortest, and a limited number of services", () => {
    const plane = new FleetPlane()
    plane.beginReading()
    const calendar = calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "UTC" })
    const month = { unit: "Month", count: 1, calendar } as const
    const day = { unit: "Day", count: 1 } as const
    const slo = (name: string, timeWindow: TimeWindow, budget: number, burnRate: number): void =>
      plane.takeRead({
        ...keyOf({ name }),
        version: { definition: 1, status: 1 },
        outline: { service: name, timeWindow, alertPolicies: [], tracks: [{ track: "good", target: 0.9 }] },
        statuses: new Map([["good", { reliability: 0.9, errorBudgetRemainingPercentage: budget, burnRate }]]),
      })
    slo("a", month, 0.5, 0.1)
    slo("b", day, 0.5, 0.1)
    slo("c", day, 0.1, 1)
    slo("d", day, 0.5, 1)
    slo("e", month, 0.4, 0)
    atOnce(plane.endReading(shop))
    const summary = atOnce(summarizeFleet(plane, { ...options, servicesMax: 3 }))
    const endsAt = Date.UTC(2026, 1, 1)
    expect(summary.closing.map((each) => [each.slo.name, each.endsAt])).toEqual([
      ["e", endsAt],
      ["a", endsAt],
    ])
    expect(summary.soonest.map(({ name }) => name)).toEqual(["c", "d"])
    expect(summary.services.map(({ service }) => service.name)).toEqual(["a", "b", "c"])
    expect(summary.hasAllServices).toBe(false)
  })

  it("has display names and labels once for all SLOs that have the same", () => {
    const plane = new FleetPlane()
    plane.beginReading()
    const labels = () => ({ team: ["core"] })
    for (const name of ["a", "b"]) {
      plane.takeRead({
        ...keyOf({ name }),
        version: { definition: 1, status: 1 },
        outline: { service: "web", ...outlined, labels: labels(), tracks: [] },
      })
    }
    atOnce(plane.endReading(shop))
    const [a, b] = plane.slos
    expect(atOnce(plane.unnamed(new Set()))).toEqual({
      projects: [{ project: "", name: "shop" }],
      services: [{ project: "shop", name: "web" }],
    })
    plane.takeName({ project: "shop", name: "web" }, "The web")
    expect(a?.service.displayName).toBe("The web")
    expect([a?.service === b?.service, a?.labels === b?.labels]).toEqual([true, true])
    expect(atOnce(plane.unnamed(new Set())).services).toEqual([])
    expect(atOnce(plane.unnamed(shop)).services).toEqual([{ project: "shop", name: "web" }])
  })
})
