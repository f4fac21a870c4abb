import { definitionToStored, sloOutlineFromStored } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { type Slo, sloOutline, type TimeWindow } from "@tocsin/domain/definitions"
import { anSlo, calendarOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"

const key = { project: "shop", name: "checkout" }

const objectives = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("good", "great", "fast"),
    displayName: fc.constantFrom("Good", "Fast enough"),
    target: fc.constantFrom(0, 0.5, 0.999),
  }),
  { selector: ({ name }) => name, minLength: 1 },
)

const slos: fc.Arbitrary<Slo> = fc
  .record({
    objectives,
    service: fc.constantFrom("web", "api"),
    displayName: fc.constantFrom(undefined, "Checkout answers in time"),
    labels: fc.constantFrom(undefined, { team: ["core", "web"], empty: [] }),
    timeWindow: fc.constantFrom<TimeWindow>(
      { unit: "Day", count: 28 },
      {
        unit: "Month",
        count: 1,
        calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "Europe/Berlin" }),
      },
    ),
    alertPolicies: fc.constantFrom([], ["fast", "slow"]),
    source: fc.constantFrom("composite", "groups", "noGroups", "other"),
    groups: fc.uniqueArray(fc.tuple(fc.constantFrom("eu", "us", 'a"b')), { selector: ([region]) => region }),
  })
  .map(({ source, groups, displayName, labels, ...spec }) => {
    const slo = anSlo(key, {
      ...spec,
      description: "Answers in time.",
      ...(source === "composite" && {
        composite: { target: 0.8, burnRateCondition: { value: 2, op: "gte" } },
        anomalyConfig: { noData: { alertMethods: [], alertAfter: durationOf("15m") } },
      }),
      ...((source === "groups" || source === "noGroups") && {
        indicator: { prometheus: { groupBy: ["region"] } },
        ...(source === "groups" && { groups }),
      }),
    })
    const metadata = {
      ...slo.metadata,
      ...(displayName !== undefined && { displayName }),
      ...(labels !== undefined && { labels }),
    }
    return { ...slo, metadata }
  })

describe("the outline of an SLO", () => {
  it("is the same from its stored form as from its definition", () => {
    const isSame = (slo: Slo): void => {
      expect(Result.getOrThrow(sloOutlineFromStored(definitionToStored(slo).json))).toEqual(sloOutline(slo))
    }
    fc.assert(fc.property(slos, isSame))
  })

  it("has the legacy composite first, and each objective for each group", () => {
    const composite = anSlo(key, { composite: { target: 0.7 } })
    expect(sloOutline(composite).tracks.map(({ track, target }) => [track, target])).toEqual([
      ["", 0.7],
      ["good", 0.99],
      ["great", 0.999],
    ])
    const grouped = anSlo(key, {
      objectives: [{ name: "good", displayName: "Good", target: 0.99 }],
      indicator: { prometheus: { groupBy: ["region"] } },
      groups: [["eu"], ["us"]],
    })
    expect(sloOutline(grouped).tracks.map(({ track, displayName }) => [track, displayName])).toEqual([
      ['good{region="eu"}', 'Good {region="eu"}'],
      ['good{region="us"}', 'Good {region="us"}'],
    ])
  })

  it("cannot be read from a document that has no objectives", () => {
    const json = JSON.stringify({
      version: 1,
      document: {
        kind: "SLO",
        metadata: {},
        spec: { service: "web", timeWindows: [{ unit: "Day", count: 28, isRolling: true }] },
      },
    })
    const read = sloOutlineFromStored(json)
    expect(Result.isFailure(read) && read.failure.issues.map(({ path }) => path)).toEqual(["spec.objectives"])
  })
})
