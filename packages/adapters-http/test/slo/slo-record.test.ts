import { calendarOf } from "@tocsin/testing/fixtures"
import type { SloRecord } from "@tocsin/domain"
import * as Result from "effect/Result"
import { keptStatuses, overallTrack, type SloStatuses, storedStatuses } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { isCompositeObjective, type Slo } from "@tocsin/domain/definitions"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { ObjectiveStatus } from "@tocsin/domain/slo"
import { sloToJson } from "@tocsin/adapters-http/server"
import { type ApiVersion, makeSloEncoder } from "../../src/slos/SloJson.ts"
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
const recordOf = (slo: Slo, statuses: SloStatuses = new Map()): SloRecord => ({
  slo,
  createdAt,
  statuses,
  project: { name: "shop", displayName: "The Shop", labels: { area: ["eu"] } },
  service: { name: "web", labels: {} },
})
const jsonOf = (slo: Slo, statuses?: SloStatuses, version: ApiVersion = "v2") =>
  JSON.parse(sloToJson({ record: recordOf(slo, statuses) }, version))
const status = {
  burnRate: 2,
  errorBudgetRemaining: 1,
  errorBudgetRemainingPercentage: 0.5,
  reliability: 0.995,
}

describe("the record of an SLO", () => {
  it("spec/status-api §1: version 2 has every field, with project and service as objects", () => {
    expect(jsonOf(slo, new Map([["good", status]]))).toEqual({
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

  it("spec/status-api §2: version 1 differs from version 2 in plain names of project and service alone", () => {
    expect(jsonOf(slo, undefined, "v1")).toEqual({ ...jsonOf(slo), project: "shop", service: "web" })
  })

  it("spec/status-api §3: metrics without data are left out, never null or 0", () => {
    const { objectives } = jsonOf(slo, new Map([["good", { reliability: 0 }]]))
    expect(Object.keys(objectives[0])).toEqual(["name", "displayName", "target", "reliability", "sliType"])
    expect(Object.keys(objectives[1])).toEqual(["name", "displayName", "target", "sliType"])
  })

  it("spec/status-api §4: composite and empty labels and annotations are left out", () => {
    const bare: Slo = { ...slo, metadata: { name: "a", project: "shop", labels: {}, annotations: {} } }
    const record = jsonOf(bare)
    expect(record).not.toHaveProperty("labels")
    expect(record).not.toHaveProperty("annotations")
    expect(record).not.toHaveProperty("composite")
    const annotated: Slo = { ...bare, metadata: { ...bare.metadata, annotations: { "a/b": "c" } } }
    expect(jsonOf(annotated)).toMatchObject({
      annotations: { "a/b": "c" },
    })
  })

  it("spec/status-api §4, spec/slos §8: the legacy composite has its metrics, where there are any", () => {
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } } as const
    const whole: Slo = { ...slo, spec: { ...slo.spec, composite } }
    const compositeOf = (statuses: ReadonlyMap<string, ObjectiveStatus>): unknown =>
      jsonOf(whole, statuses).composite
    expect(compositeOf(new Map([[overallTrack, status]]))).toEqual({ ...composite, ...status })
    expect(compositeOf(new Map([["good", status]]))).toEqual(composite)
  })

  it("spec/slos §6: an objective over others is of the type Composite", () => {
    const { objectives } = jsonOf(overOthers)
    expect(objectives).toEqual([
      { name: "good", displayName: "Good", target: 0.99, sliType: "Ratio" },
      { name: "whole", displayName: "whole", target: 0.9, sliType: "Composite" },
    ])
  })

  it("spec/slos §2: the budgeting method is returned", () => {
    const methodOf = (of: Slo): string => jsonOf(of).budgetingMethod
    expect(methodOf(slo)).toBe("Occurrences")
    expect(methodOf({ ...slo, spec: { ...slo.spec, budgetingMethod: "Timeslices" } })).toBe("Timeslices")
  })
})

describe("the encoder of SLOs", () => {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

  it("encodes each record once a version, and joins a page of them", () => {
    const encoder = makeSloEncoder()
    const acme = "acme" as OrganizationId
    const [first, second] = [recordOf(slo), recordOf(overOthers, new Map([["good", status]]))]
    const links = { self: "/api/v2/slos?limit=2&cursor=" }
    expect(encoder.slo({ record: first }, "v2")).toBe(encoder.slo({ record: first }, "v2"))
    expect(text(encoder.slo({ record: first }, "v1"))).toBe(sloToJson({ record: first }, "v1"))
    expect(JSON.parse(text(encoder.page(acme, [first, second], "v2", links)))).toEqual({
      data: [jsonOf(slo), jsonOf(overOthers, second.statuses)],
      links,
    })
    expect(JSON.parse(text(encoder.page(acme, [], "v1", links)))).toEqual({ data: [], links })
    expect(text(encoder.slo({ record: { ...first, statuses: second.statuses } }, "v2"))).toBe(
      sloToJson({ record: recordOf(slo, second.statuses) }, "v2"),
    )
  })

  it("adds the counts of a range to the objectives that have any, and to no later response", () => {
    const encoder = makeSloEncoder()
    const record = recordOf(slo)
    const counts = new Map([["good", { good: 9, total: 10 }]])
    const { objectives } = JSON.parse(text(encoder.slo({ record, counts }, "v2")))
    expect(objectives[0].counts).toEqual({ good: 9, total: 10 })
    expect(objectives[1]).not.toHaveProperty("counts")
    expect(text(encoder.slo({ record }, "v2"))).not.toContain('"counts"')
  })
})

describe("the metrics of a record whose definition is replaced", () => {
  const statuses = new Map<string, ObjectiveStatus>([
    ["good", status],
    ["great", { reliability: 1 }],
  ])

  it("stay for objectives with the same target, and are outdated for others", () => {
    const [good, great] = slo.spec.objectives
    if (good === undefined || great === undefined) throw new Error("two objectives")
    const objectives = [
      { ...good, displayName: "Renamed" },
      { ...great, target: 0.9 },
      { name: "new", target: 0.99 },
    ]
    const after = { ...slo, spec: { ...slo.spec, objectives } }
    expect(keptStatuses(statuses, slo, after)).toEqual(
      new Map<string, ObjectiveStatus>([
        ["good", status],
        ["great", { reliability: 1, isOutdated: true }],
        ["new", { isOutdated: true }],
      ]),
    )
  })

  const kept = (before: Partial<Slo["spec"]>, after: Partial<Slo["spec"]>): ReadonlyArray<string> => {
    const old: Slo = { ...slo, spec: { ...slo.spec, ...before } }
    const statuses = new Map(
      [...old.spec.objectives.map(({ name }) => name), overallTrack].map((track) => [track, status]),
    )
    const replaced = keptStatuses(statuses, old, { ...slo, spec: { ...old.spec, ...after } })
    return [...replaced].flatMap(([track, { isOutdated }]) => (isOutdated === true ? [] : [track]))
  }

  it("are outdated by another window, or another budgeting method", () => {
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

  it("are outdated by another time slice target, or other components", () => {
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

  it("of the legacy composite are outdated when any of its objectives changes", () => {
    const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gt" } } as const
    expect(kept({ composite }, { composite })).toEqual(["good", "great", overallTrack])
    expect(kept({ composite }, { composite: { ...composite, target: 0.8 } })).toEqual(["good", "great"])
    const objectives = slo.spec.objectives.map((each) =>
      each.name === "great" ? { ...each, target: 0.9 } : { ...each, displayName: "Renamed" },
    )
    expect(kept({ composite }, { objectives })).toEqual(["good"])
  })

  it("are stored with what is outdated, which servers of earlier versions pass over", () => {
    const outdated = new Map<string, ObjectiveStatus>([
      ["good", status],
      ["great", { reliability: 1, isOutdated: true }],
      ["new", { isOutdated: true }],
    ])
    const { json } = storedStatuses.write(outdated)
    expect(Result.getOrThrow(storedStatuses.read(json, undefined))).toEqual(outdated)
    const { version, document } = JSON.parse(json)
    expect([version, document]).toEqual([
      1,
      [
        { objective: "good", metrics: status },
        { objective: "great", metrics: { reliability: 1 } },
        { objective: "new", metrics: {} },
      ],
    ])
    expect(storedStatuses.write(statuses).json).not.toContain("outdated")
    expect(JSON.parse(sloToJson({ record: recordOf(slo, outdated) }, "v2")).objectives).toMatchObject([
      { name: "good", reliability: status.reliability },
      { name: "great", reliability: 1, isOutdated: true },
    ])
  })
})
