import { calendarOf } from "../ParsedValues.ts"
import { durationOf } from "@tocsin/domain/codec/Duration"
import type { ObjectiveStatus } from "@tocsin/domain/status/ErrorBudget"
import { overallTrack } from "@tocsin/domain/slo/SliceRules"
import { isCompositeObjective, type Slo } from "@tocsin/domain/slo/Slo"
import {
  keptStatuses,
  projectToJson,
  recordJson,
  serviceToJson,
  sloToTailJson,
} from "@tocsin/domain/status/SloRecord"
import { describe, expect, it } from "vitest"

const slo: Slo = {
  kind: "SLO",
  metadata: {
    name: "checkout",
    displayName: 'The "checkout" – €',
    project: "shop",
    labels: { team: ["a", "b"] },
  },
  spec: {
    description: "Orders\u2028go through",
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindow: { unit: "Day", count: 28 },
    objectives: [
      { name: "good", displayName: "Good", target: 0.99 },
      { name: "great", target: 0.999 },
    ],
    alertPolicies: [],
  },
}
const overOthers: Slo = {
  ...slo,
  spec: {
    ...slo.spec,
    objectives: [
      { name: "good", displayName: "Good", target: 0.99 },
      {
        name: "whole",
        target: 0.9,
        composite: {
          maxDelay: durationOf("5m"),
          components: [
            {
              slo: { project: "shop", name: "search" },
              objective: "good",
              weight: 1,
              whenDelayed: "Ignore",
            },
          ],
        },
      },
    ],
  },
}
const createdAt = Date.UTC(2026, 0, 30, 12)
const row = (tailJson: string) => ({
  project: "shop",
  name: "checkout",
  service: "web",
  projectJson: projectToJson({
    metadata: { name: "shop", displayName: "The Shop", labels: { area: ["eu"] } },
  }),
  serviceJson: serviceToJson({ metadata: { project: "shop", name: "web", labels: {} } }),
  tailJson,
})
const status = {
  burnRate: 2,
  errorBudgetRemaining: 1,
  errorBudgetRemainingPercentage: 0.5,
  reliability: 0.995,
}

describe("the record of an SLO", () => {
  it("contract 2.2: version 2 has every field, with project and service as objects", () => {
    const json = recordJson(row(sloToTailJson(slo, createdAt, new Map([["good", status]]))), "v2")
    expect(JSON.parse(json)).toEqual({
      project: { name: "shop", displayName: "The Shop", labels: { area: ["eu"] } },
      service: { name: "web", displayName: "web" },
      name: "checkout",
      displayName: 'The "checkout" – €',
      description: "Orders\u2028go through",
      objectives: [
        { name: "good", displayName: "Good", target: 0.99, ...status, sliType: "Ratio" },
        { name: "great", displayName: "great", target: 0.999, sliType: "Ratio" },
      ],
      createdAt: "2026-01-30T12:00:00.000Z",
      labels: { team: ["a", "b"] },
      budgetingMethod: "Occurrences",
    })
  })

  it("5.5: version 1 differs from version 2 in plain names of project and service alone", () => {
    const tail = sloToTailJson(slo, createdAt, new Map())
    const v1 = JSON.parse(recordJson(row(tail), "v1"))
    const v2 = JSON.parse(recordJson(row(tail), "v2"))
    expect(v1).toEqual({ ...v2, project: "shop", service: "web" })
  })

  it("5.4: metrics without data are left out, never null or 0", () => {
    const tail = sloToTailJson(slo, createdAt, new Map([["good", { reliability: 0 }]]))
    const { objectives } = JSON.parse(recordJson(row(tail), "v2"))
    expect(Object.keys(objectives[0])).toEqual(["name", "displayName", "target", "reliability", "sliType"])
    expect(Object.keys(objectives[1])).toEqual(["name", "displayName", "target", "sliType"])
  })

  it("5.6: composite and empty labels and annotations are left out", () => {
    const bare: Slo = { ...slo, metadata: { name: "a", project: "shop", labels: {}, annotations: {} } }
    const record = JSON.parse(recordJson(row(sloToTailJson(bare, createdAt, new Map())), "v2"))
    expect(record).not.toHaveProperty("labels")
    expect(record).not.toHaveProperty("annotations")
    expect(record).not.toHaveProperty("composite")
    const annotated: Slo = { ...bare, metadata: { ...bare.metadata, annotations: { "a/b": "c" } } }
    expect(JSON.parse(recordJson(row(sloToTailJson(annotated, createdAt, new Map())), "v2"))).toMatchObject({
      annotations: { "a/b": "c" },
    })
  })

  it("5.6, and 5.20: the older composite is told with its metrics, where there are any", () => {
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } } as const
    const whole: Slo = { ...slo, spec: { ...slo.spec, composite } }
    const told = (statuses: ReadonlyMap<string, ObjectiveStatus>): unknown =>
      JSON.parse(recordJson(row(sloToTailJson(whole, createdAt, statuses)), "v2")).composite
    expect(told(new Map([[overallTrack, status]]))).toEqual({ ...composite, ...status })
    expect(told(new Map([["good", status]]))).toEqual(composite)
  })

  it("5.19: an objective over others is of the type Composite", () => {
    const { objectives } = JSON.parse(`{${sloToTailJson(overOthers, createdAt, new Map())}`)
    expect(objectives).toEqual([
      { name: "good", displayName: "Good", target: 0.99, sliType: "Ratio" },
      { name: "whole", displayName: "whole", target: 0.9, sliType: "Composite" },
    ])
  })

  it("5.7, and 5.17: the budgeting method is told", () => {
    const methodOf = (of: Slo): string =>
      JSON.parse(`{${sloToTailJson(of, createdAt, new Map())}`).budgetingMethod
    expect(methodOf(slo)).toBe("Occurrences")
    expect(methodOf({ ...slo, spec: { ...slo.spec, budgetingMethod: "Timeslices" } })).toBe("Timeslices")
  })
})

describe("the metrics of a record whose definition is replaced", () => {
  const tail = sloToTailJson(
    slo,
    createdAt,
    new Map<string, ObjectiveStatus>([
      ["good", status],
      ["great", { reliability: 1 }],
    ]),
  )

  it("stay for objectives with the same target", () => {
    const [good, great] = slo.spec.objectives
    if (good === undefined || great === undefined) throw new Error("two objectives")
    const objectives = [
      { ...good, displayName: "Renamed" },
      { ...great, target: 0.9 },
      { name: "new", target: 0.99 },
    ]
    const after = { ...slo, spec: { ...slo.spec, objectives } }
    expect(keptStatuses(tail, slo, after)).toEqual(new Map([["good", status]]))
  })

  const kept = (before: Partial<Slo["spec"]>, after: Partial<Slo["spec"]>): ReadonlyArray<string> => {
    const old: Slo = { ...slo, spec: { ...slo.spec, ...before } }
    const statuses = new Map(
      [...old.spec.objectives.map(({ name }) => name), overallTrack].map((track) => [track, status]),
    )
    const tail = sloToTailJson(old, createdAt, statuses)
    return [...keptStatuses(tail, old, { ...slo, spec: { ...old.spec, ...after } }).keys()]
  }

  it("go with another window, or another budgeting method", () => {
    const month = { unit: "Month", count: 1 } as const
    const inZone = (timeZone: string): Partial<Slo["spec"]> => ({
      timeWindow: { ...month, calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone }) },
    })
    expect(kept({}, {})).toEqual(["good", "great"])
    expect(kept({}, { timeWindow: { unit: "Day", count: 7 } })).toEqual([])
    expect(kept({}, inZone("UTC"))).toEqual([])
    expect(kept(inZone("UTC"), inZone("UTC"))).toEqual(["good", "great"])
    expect(kept(inZone("UTC"), inZone("Europe/Paris"))).toEqual([])
    expect(kept({}, { budgetingMethod: "Timeslices" })).toEqual([])
  })

  it("go with another time slice target, or other components", () => {
    const slices = (timeSliceTarget: number): Partial<Slo["spec"]> => ({
      budgetingMethod: "Timeslices",
      objectives: [
        { name: "good", target: 0.9, timeSliceTarget: 0.9 },
        { name: "great", target: 0.9, timeSliceTarget },
      ],
    })
    expect(kept(slices(0.9), slices(0.8))).toEqual(["good"])
    const [good, whole] = overOthers.spec.objectives
    if (good === undefined || whole === undefined || !isCompositeObjective(whole))
      throw new Error("composite")
    const { composite } = whole
    const later = { ...whole, composite: { ...composite, maxDelay: "1h" } }
    expect(kept(overOthers.spec, { objectives: [good, later] })).toEqual(["good"])
  })

  it("of the older composite go when any of its objectives changes", () => {
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } } as const
    expect(kept({ composite }, { composite })).toEqual(["good", "great", overallTrack])
    expect(kept({ composite }, { composite: { ...composite, target: 0.8 } })).toEqual(["good", "great"])
    const objectives = slo.spec.objectives.map((each) =>
      each.name === "great" ? { ...each, target: 0.9 } : { ...each, displayName: "Renamed" },
    )
    expect(kept({ composite }, { objectives })).toEqual(["good"])
  })
})
