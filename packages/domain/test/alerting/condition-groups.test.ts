import type { AlertPolicy } from "@tocsin/domain/alerting"
import { dayMs, durationOf, hourMs, minuteMs } from "@tocsin/domain/codec"
import { groupsOf, sreWorkbookGroups } from "../../src/alert-policy/ConditionGroups.ts"
import { conditionText } from "../../src/alert-policy/ConditionText.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

/** The burn rate and the alerting windows of each group. */
const written = (preset: "page" | "ticket", windowMs: number) =>
  sreWorkbookGroups(preset, windowMs).map((group) => [
    group[0]?.value,
    ...group.map(({ alertingWindow }) => alertingWindow?.text),
  ])

describe("the conditions that the SRE Workbook recommends", () => {
  it.each([
    [28, [13.44, 5.6, 2.8, 0.93]],
    [30, [14.4, 6, 3, 1]],
    [31, [14.88, 6.2, 3.1, 1.03]],
  ])("spec/alerting §14: burn the shares of its table over %d days", (days, [fast, slow, day, threeDays]) => {
    expect(written("page", days * dayMs)).toEqual([
      [fast, "1h", "5m"],
      [slow, "6h", "30m"],
    ])
    expect(written("ticket", days * dayMs)).toEqual([
      [day, "24h", "2h"],
      [threeDays, "72h", "6h"],
    ])
  })

  it("spec/alerting §14: are over longer times for longer windows and over shorter ones for shorter, within bounds", () => {
    expect(written("page", 90 * dayMs)).toEqual([
      [14.4, "3h", "15m"],
      [6, "18h", "1h30m"],
    ])
    // 72 hours would be 9 days.
    expect(written("ticket", 90 * dayMs)).toEqual([
      [3, "72h", "6h"],
      [1.29, "168h", "14h"],
    ])
    // A quarter of an hour is longer than the 14 minutes in proportion, so less burns in it.
    expect(written("page", 7 * dayMs)).toEqual([
      [13.44, "15m", "5m"],
      [5.93, "1h25m", "7m"],
    ])
    // Two minutes would be too short: five burn 2% of a day's budget at 5.76.
    expect(written("page", dayMs)).toEqual([
      [5.76, "5m"],
      [7.2, "10m", "5m"],
    ])
  })

  it("spec/alerting §14: are at least 1, and each once, in windows that are too short for them", () => {
    expect(written("page", hourMs)).toEqual([[1, "5m"]])
    expect(written("ticket", hourMs)).toEqual([[1.2, "5m"]])
  })

  it("spec/alerting §14: are valid for every window, distinct, and burn the share of the table", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("page" as const, "ticket" as const),
        fc.integer({ min: 5, max: 400 * 24 * 60 }),
        (preset, minutes) => {
          const groups = sreWorkbookGroups(preset, minutes * minuteMs)
          expect(new Set(groups.map((group) => JSON.stringify(group))).size).toBe(groups.length)
          for (const group of groups) {
            for (const { value, alertingWindow } of group) {
              const ms = alertingWindow?.ms ?? 0
              expect(ms).toBeGreaterThanOrEqual(5 * minuteMs)
              expect(ms).toBeLessThanOrEqual(168 * hourMs)
              expect(ms % minuteMs).toBe(0)
              if (minutes < 24 * 60) expect(value).toBeGreaterThanOrEqual(1)
            }
            const [first] = group
            const burned = (Number(first?.value) * Number(first?.alertingWindow?.ms)) / (minutes * minuteMs)
            const shares = preset === "page" ? [0.02, 0.05] : [0.1]
            // The rate has two decimals.
            const rounding = (0.005 * Number(first?.alertingWindow?.ms)) / (minutes * minuteMs) + 1e-12
            if (minutes >= 24 * 60)
              expect(shares.some((share) => Math.abs(share - burned) <= rounding)).toBe(true)
          }
        },
      ),
    )
  })
})

describe("the groups of a policy", () => {
  const burning = (alertingWindow: string) => ({
    measurement: "averageBurnRate" as const,
    op: "gte" as const,
    value: 2,
    alertingWindow: durationOf(alertingWindow),
  })
  const spec = (change: Partial<AlertPolicy["spec"]>): AlertPolicy["spec"] => ({
    severity: "High",
    coolDown: durationOf("5m"),
    alertMethods: [],
    ...change,
  })

  it("spec/alerting §14: are its conditions as one group, those of conditionGroups, or those of the preset", () => {
    const [a, b] = [burning("5m"), burning("1h")]
    expect(groupsOf(spec({ conditions: [a, b] }), dayMs)).toEqual([[a, b]])
    expect(groupsOf(spec({ conditionGroups: [{ conditions: [a] }, { conditions: [b] }] }), dayMs)).toEqual([
      [a],
      [b],
    ])
    expect(groupsOf(spec({ sreWorkbook: "page" }), dayMs)).toEqual(sreWorkbookGroups("page", dayMs))
  })

  it("spec/alerting §13: say how many events a condition needs", () => {
    expect(
      conditionText({ ...burning("1h"), minEvents: 100, minBadEvents: 1, lastsFor: durationOf("5m") }),
    ).toBe(
      "Average burn rate is at least 2 over the last 1 hour with at least 100 events and at least 1 bad event and this condition lasts for 5 minutes",
    )
  })
})
