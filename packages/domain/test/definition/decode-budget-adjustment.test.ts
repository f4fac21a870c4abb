import { decodeDefinition, definitionToJson } from "@tocsin/domain"
import { definitionFromStored, definitionToStored } from "@tocsin/domain/adapter"
import { adjustsSlo, type BudgetAdjustment } from "@tocsin/domain/definitions"
import { adjustmentRanges, adjustsPast } from "../../src/status/AdjustedMinutes.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import {
  aBudgetAdjustment,
  changed,
  codesOf,
  decodeOptions,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const adjustment = aBudgetAdjustment()
const labelled = changed(changed(adjustment, "spec.slos", undefined), "spec.sloLabels", "team:a,team:b,tier")

const decoded = (input: Plain): BudgetAdjustment => {
  const result = decodeDefinition(input, decodeOptions)
  if (Result.isFailure(result) || result.success.kind !== "BudgetAdjustment")
    throw new Error(JSON.stringify(result))
  return result.success
}

const whole = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2027, 0, 1) }
const hour = 3_600_000

describe("a budget adjustment", () => {
  it("spec/budget-adjustments §1: reads back as it is written", () => {
    for (const each of [adjustment, labelled, changed(adjustment, "spec.set", undefined)]) {
      expect(codesOf(each)).toEqual([])
      expect(definitionToJson(decoded(each), "tocsin")).toEqual(each)
    }
  })

  it("spec/budget-adjustments §1: adjusts every minute that its period touches", () => {
    const rangesOf = (period: unknown) =>
      adjustmentRanges(decoded(changed(adjustment, "spec.period", period)), whole)
    const from = Date.UTC(2026, 0, 30, 21)
    expect(rangesOf({ startTime: "2026-01-30T22:00:30+01:00", duration: "1h" })).toEqual([
      { from, to: from + hour + 60_000 },
    ])
    expect(rangesOf({ startTime: "2026-01-30T21:00:00Z", endTime: "2026-01-30T22:00:00Z" })).toEqual([
      { from, to: from + hour },
    ])
    expect(rangesOf({ startTime: "2020-01-30T21:00:00Z", duration: "1h" })).toEqual([])
  })

  it("spec/budget-adjustments §10: an event that is changed for an SLO has other minutes for it alone", () => {
    const monthly = decoded({
      apiVersion: "tocsin/v1alpha",
      kind: "BudgetAdjustment",
      metadata: { name: "monthly" },
      spec: {
        firstEventStart: "2026-01-01T12:00:00Z",
        duration: "1h",
        rrule: "FREQ=MONTHLY",
        filters: {
          slos: [
            { project: "shop", name: "a" },
            { project: "pay", name: "b" },
          ],
        },
      },
    })
    expect(monthly.metadata.project).toBe("default")
    const at = (month: number, hours: number) => Date.UTC(2026, month, 1, hours)
    const event = (month: number) => ({ from: at(month, 12), to: at(month, 13) })
    const update = { from: at(0, 15) + 1_000, to: at(0, 16) + 1_000 }
    const changed: BudgetAdjustment = {
      ...monthly,
      changedEvents: [
        { slo: { project: "shop", name: "a" }, ...event(0), update },
        { slo: { project: "shop", name: "a" }, ...event(1) },
      ],
    }
    const range = { from: at(0, 0), to: at(2, 23) }
    expect(adjustmentRanges(changed, range, { project: "shop", name: "a" })).toEqual([
      { from: at(0, 15), to: at(0, 16) + 60_000 },
      event(2),
    ])
    const ofRule = [event(0), event(1), event(2)]
    expect(adjustmentRanges(changed, range, { project: "pay", name: "b" })).toEqual(ofRule)
    expect(adjustmentRanges(changed, range)).toHaveLength(4)
    const stored = definitionFromStored(definitionToStored(changed))
    expect(stored).toEqual(Result.succeed(changed))
  })

  it("spec/budget-adjustments §1: recurs by the wall clock of its time zone", () => {
    const recurring = changed(changed(adjustment, "spec.period", undefined), "spec.recurrence", {
      startTime: "2026-03-01 02:30:00",
      timeZone: "Europe/Berlin",
      rrule: "FREQ=WEEKLY;BYDAY=SU;UNTIL=20260405T000000Z",
      duration: "1h",
    })
    expect(codesOf(recurring)).toEqual([])
    // On 29 March, 02:30 does not exist.
    expect(
      adjustmentRanges(decoded(recurring), whole).map(({ from }) => new Date(from).toISOString()),
    ).toEqual(["01", "08", "15", "22"].map((day) => `2026-03-${day}T01:30:00.000Z`))
  })

  it("spec/budget-adjustments §2: takes its own project for SLOs without one, and either SLOs or labels", () => {
    const slos = [{ name: "checkout" }, { name: "api", project: "infra" }]
    const { spec } = decoded(changed(adjustment, "spec.slos", slos))
    expect(spec.slos?.map(({ project }) => project)).toEqual(["shop", "infra"])
    expect(codesOf(changed(labelled, "spec.slos", slos))).toEqual([["spec", "mutually_exclusive"]])
    expect(codesOf(changed(labelled, "spec.sloLabels", ","))).toEqual([["spec.sloLabels", "invalid_format"]])
    expect(codesOf(changed(labelled, "spec.sloLabels", undefined))).toEqual([["spec.slos", "required"]])
  })

  it("spec/budget-adjustments §2: selects SLOs by name, or by labels in its project", () => {
    const checkout = { project: "shop", name: "checkout" }
    expect(adjustsSlo(decoded(adjustment), checkout)).toBe(true)
    expect(adjustsSlo(decoded(adjustment), { ...checkout, project: "other" })).toBe(false)
    const labels = { team: ["b"], tier: ["1"] }
    expect(adjustsSlo(decoded(labelled), { ...checkout, labels })).toBe(true)
    expect(adjustsSlo(decoded(labelled), { ...checkout, labels: { team: ["b"] } })).toBe(false)
    expect(adjustsSlo(decoded(labelled), { ...checkout, project: "other", labels })).toBe(false)
  })

  it("spec/budget-adjustments §6: changes figures of the past from its first minute on", () => {
    const from = Date.UTC(2026, 0, 30, 21)
    const end = from + 1.5 * hour
    const one = decoded(adjustment)
    expect(adjustsPast(one, from - 1)).toBe(false)
    expect(adjustsPast(one, from)).toBe(true)
    expect(adjustsPast(one, end + 24 * hour)).toBe(true)
    expect(adjustsPast(one, end + 399 * 24 * hour)).toBe(true)
    expect(adjustsPast(one, end + 401 * 24 * hour)).toBe(false)
  })
})
