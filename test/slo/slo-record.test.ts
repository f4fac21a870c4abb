import type { ObjectiveStatus } from "@tocsin/domain/slo/ErrorBudget"
import type { Slo } from "@tocsin/domain/slo/Slo"
import {
  keptStatuses,
  projectToJson,
  recordJson,
  serviceToJson,
  sloToTailJson,
} from "@tocsin/domain/slo/SloRecord"
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

  it("5.7: the budgeting method is told", () => {
    expect(JSON.parse(`{${sloToTailJson(slo, createdAt, new Map())}`).budgetingMethod).toBe("Occurrences")
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

  it("go with another window", () => {
    const after: Slo = { ...slo, spec: { ...slo.spec, timeWindow: { unit: "Day", count: 7 } } }
    expect(keptStatuses(tail, slo, after).size).toBe(0)
  })
})
