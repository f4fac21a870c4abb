import { overallTrack, sliceRulesOf } from "@tocsin/domain/adapter"
import type { Slo } from "@tocsin/domain/definitions"
import { describe, expect, it } from "vitest"
import { anSlo } from "@tocsin/testing/fixtures"

const slo = (spec: Partial<Slo["spec"]>): Slo => {
  const plain = anSlo({ project: "shop", name: "checkout" })
  return { ...plain, spec: { ...plain.spec, ...spec } }
}

describe("the rules of good minutes", () => {
  it("are empty with Occurrences: every minute is as good as its events", () => {
    expect(sliceRulesOf(slo({}))).toEqual([])
  })

  it("spec/slos §2: with Timeslices are the time slice targets, which a minute may just reach", () => {
    const objectives = [
      { name: "good", target: 0.99, timeSliceTarget: 0.9 },
      { name: "great", target: 0.999, timeSliceTarget: 1 },
    ]
    expect(sliceRulesOf(slo({ budgetingMethod: "Timeslices", objectives }))).toEqual([
      { track: "good", parts: [{ objective: "good", goodShareMin: 0.9, isInclusive: true }] },
      { track: "great", parts: [{ objective: "great", goodShareMin: 1, isInclusive: true }] },
    ])
  })

  it("spec/slos §8: of the legacy composite with Timeslices are those of all objectives", () => {
    const objectives = [
      { name: "good", target: 0.99, timeSliceTarget: 0.9 },
      { name: "great", target: 0.999, timeSliceTarget: 1 },
    ]
    const rules = sliceRulesOf(slo({ budgetingMethod: "Timeslices", objectives, composite: { target: 0.9 } }))
    expect(rules.find(({ track }) => track === overallTrack)?.parts).toEqual(
      rules.filter(({ track }) => track !== overallTrack).flatMap(({ parts }) => parts),
    )
  })

  it.each([
    ["gt", 2, 0.98, 0.998, true],
    ["gte", 2, 0.98, 0.998, false],
    ["gt", 0, 1, 1, true],
    ["gt", 1, 0.99, 0.999, true],
    ["gte", 200, -1, 0.8, false],
  ] as const)(
    "spec/slos §8: of the legacy composite with Occurrences and a burn rate %s %d are shares from %d and %d on",
    (op, value, good, great, isInclusive) => {
      const composite = { target: 0.9, burnRateCondition: { value, op } }
      expect(sliceRulesOf(slo({ composite }))).toEqual([
        {
          track: overallTrack,
          parts: [
            { objective: "good", goodShareMin: good, isInclusive },
            { objective: "great", goodShareMin: great, isInclusive },
          ],
        },
      ])
    },
  )

  it("leave composite objectives out, which have no minutes of their own", () => {
    const component = {
      slo: { project: "shop", name: "search" },
      objective: "good",
      weight: 1,
      whenDelayed: "Ignore",
    } as const
    const objectives = [
      { name: "whole", target: 0.9, composite: { maxDelay: "1m", components: [component] } },
    ]
    expect(sliceRulesOf(slo({ objectives }))).toEqual([])
  })
})
