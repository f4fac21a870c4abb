import type { AlertPolicy } from "@tocsin/domain/internal/alert-policy/AlertPolicy"
import { groupsOf, sreWorkbookGroups } from "@tocsin/domain/internal/alert-policy/ConditionGroups"
import { conditionText } from "@tocsin/domain/internal/alerting/ConditionText"
import { durationOf } from "@tocsin/domain/internal/codec/Duration"
import { dayMs, hourMs, minuteMs } from "@tocsin/domain/internal/codec/MinuteInstant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

/** The burn rate and the alerting windows of each group. */
const written = (preset: "page" | "ticket", windowMs: number) =>
  sreWorkbookGroups(preset, windowMs).map((group) => [
    group[0]?.value,
    ...group.map(({ alertingWindow }) => alertingWindow?.text),
  ])

describe("the conditions that the SRE Workbook recommends", () => {
  it.each([28, 30, 31])("spec/alerting §14: are those of its table over %d days", (days) => {
    expect(written("page", days * dayMs)).toEqual([
      [14.4, "1h", "5m"],
      [6, "6h", "30m"],
    ])
    expect(written("ticket", days * dayMs)).toEqual([
      [3, "24h", "2h"],
      [1, "72h", "6h"],
    ])
  })

  it("spec/alerting §14: are longer for longer windows and shorter for shorter ones, within bounds", () => {
    expect(written("page", 90 * dayMs)).toEqual([
      [14.4, "3h", "15m"],
      [6, "18h", "1h30m"],
    ])
    // 72 hours would be 9 days.
    expect(written("ticket", 90 * dayMs)).toEqual([
      [3, "72h", "6h"],
      [1.29, "168h", "14h"],
    ])
    expect(written("page", 7 * dayMs)).toEqual([
      [14.4, "15m", "5m"],
      [6, "1h25m", "7m"],
    ])
    // Two minutes would be too short: five burn 2 % of a day's budget at 5.76.
    expect(written("page", dayMs)).toEqual([
      [5.76, "5m"],
      [6, "10m", "5m"],
    ])
  })

  it("spec/alerting §14: are valid for every window, and page for a burn rate of at least 1", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("page" as const, "ticket" as const),
        fc.integer({ min: 5, max: 400 * 24 * 60 }),
        (preset, minutes) => {
          for (const group of sreWorkbookGroups(preset, minutes * minuteMs)) {
            for (const { value, alertingWindow } of group) {
              const ms = alertingWindow?.ms ?? 0
              expect(value).toBeGreaterThanOrEqual(1)
              expect(ms).toBeGreaterThanOrEqual(5 * minuteMs)
              expect(ms).toBeLessThanOrEqual(168 * hourMs)
              expect(ms % minuteMs).toBe(0)
            }
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
