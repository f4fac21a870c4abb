import { calendarOf } from "@tocsin/testing/fixtures"
import type { CalendarWindow } from "@tocsin/domain/adapter"
import { burnRateRange, windowAt } from "@tocsin/domain/slo"
import { calendarRange } from "../../src/slo/WindowAt.ts"
import { calendarUnits, type CalendarUnit } from "../../src/slo/WindowLength.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { modelCalendarRange } from "../../../../test/slo/CalendarModel.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const calendar = (
  unit: CalendarUnit,
  count: number,
  startTime: string,
  timeZone = "UTC",
): CalendarWindow => ({ unit, count, calendar: calendarOf({ startTime, timeZone }) })

const textRange = (window: CalendarWindow, now: string): ReadonlyArray<string> => {
  const { from, to } = calendarRange(window, Date.parse(now))
  return [from, to].map((at) => new Date(at).toISOString().replace(":00.000Z", "Z"))
}

describe("spec/slos §4: the window of a rolling SLO", () => {
  const now = Date.UTC(2026, 0, 30, 12, 34, 56)
  const to = Date.UTC(2026, 0, 30, 12, 35)

  it("ends with the minute in flight", () => {
    expect(windowAt({ unit: "Day", count: 28 }, now)).toEqual({
      range: { from: to - 28 * day, to },
      lengthMs: 28 * day,
    })
    expect(windowAt({ unit: "Minute", count: 5 }, to)).toEqual({
      range: { from: to - 4 * minute, to: to + minute },
      lengthMs: 5 * minute,
    })
  })

  it("spec/slos §3: has the burn rate of its last hour, or of all of it if it is shorter", () => {
    expect(burnRateRange(windowAt({ unit: "Day", count: 28 }, now))).toEqual({ from: to - hour, to })
    expect(burnRateRange(windowAt({ unit: "Minute", count: 5 }, now))).toEqual({ from: to - 5 * minute, to })
  })
})

describe("spec/slos §5: a calendar window", () => {
  it("holds the instant, from its start up to the minute in flight, and knows its whole length", () => {
    const window = calendar("Month", 1, "2026-01-01 00:00:00", "Europe/Paris")
    const now = Date.parse("2026-03-10T08:15:30Z")
    const from = Date.parse("2026-02-28T23:00:00Z")
    const endsAt = Date.parse("2026-03-31T22:00:00Z")
    expect(windowAt(window, now)).toEqual({
      range: { from, to: Date.parse("2026-03-10T08:16:00Z") },
      lengthMs: 31 * day - hour,
      endsAt,
    })
    expect(windowAt(window, endsAt - 1)).toMatchObject({ range: { from, to: endsAt }, endsAt })
    expect(windowAt(window, endsAt)).toMatchObject({ range: { from: endsAt, to: endsAt + minute } })
  })

  it("does not reach back before its start for the burn rate", () => {
    const window = calendar("Day", 1, "2026-01-01 00:00:00")
    const midnight = Date.UTC(2026, 0, 30)
    expect(burnRateRange(windowAt(window, midnight + 10 * minute))).toEqual({
      from: midnight,
      to: midnight + 11 * minute,
    })
    expect(burnRateRange(windowAt(window, midnight + 2 * hour))).toEqual({
      from: midnight + hour + minute,
      to: midnight + 2 * hour + minute,
    })
  })

  it("restarts after its count of units from its start time on", () => {
    expect(textRange(calendar("Day", 3, "2026-01-01 06:30:00"), "2026-01-05T00:00:00Z")).toEqual([
      "2026-01-04T06:30Z",
      "2026-01-07T06:30Z",
    ])
    expect(textRange(calendar("Week", 2, "2026-01-05 00:00:00"), "2026-01-30T12:00:00Z")).toEqual([
      "2026-01-19T00:00Z",
      "2026-02-02T00:00Z",
    ])
    expect(textRange(calendar("Quarter", 1, "2025-02-01 00:00:00"), "2026-01-31T23:59:59Z")).toEqual([
      "2025-11-01T00:00Z",
      "2026-02-01T00:00Z",
    ])
    expect(textRange(calendar("Year", 1, "2020-02-29 00:00:00"), "2026-01-30T12:00:00Z")).toEqual([
      "2025-02-28T00:00Z",
      "2026-02-28T00:00Z",
    ])
  })

  it("continues backwards before its start time", () => {
    expect(textRange(calendar("Month", 1, "2030-01-15 00:00:00"), "2026-01-01T00:00:00Z")).toEqual([
      "2025-12-15T00:00Z",
      "2026-01-15T00:00Z",
    ])
  })

  it("begins on the month's last day where its own day is not in the month, and on its own day after", () => {
    const window = calendar("Month", 1, "2026-01-31 00:00:00")
    expect(textRange(window, "2026-02-10T00:00:00Z")).toEqual(["2026-01-31T00:00Z", "2026-02-28T00:00Z"])
    expect(textRange(window, "2026-03-10T00:00:00Z")).toEqual(["2026-02-28T00:00Z", "2026-03-31T00:00Z"])
    expect(textRange(window, "2028-02-29T00:00:00Z")).toEqual(["2028-02-29T00:00Z", "2028-03-31T00:00Z"])
  })

  it("is an hour shorter or longer across a daylight-saving change", () => {
    const paris = calendar("Day", 1, "2026-01-01 00:00:00", "Europe/Paris")
    expect(textRange(paris, "2026-03-29T12:00:00Z")).toEqual(["2026-03-28T23:00Z", "2026-03-29T22:00Z"])
    expect(textRange(paris, "2026-10-25T12:00:00Z")).toEqual(["2026-10-24T22:00Z", "2026-10-25T23:00Z"])
  })

  it("begins later where its time is skipped, and at the first where it comes twice", () => {
    // Put forward from 2:00 to 3:00 on 29 March, and back from 3:00 to 2:00 on 25 October.
    const paris = calendar("Day", 1, "2026-01-01 02:30:00", "Europe/Paris")
    expect(textRange(paris, "2026-03-29T12:00:00Z")).toEqual(["2026-03-29T01:30Z", "2026-03-30T00:30Z"])
    expect(textRange(paris, "2026-10-25T12:00:00Z")).toEqual(["2026-10-25T00:30Z", "2026-10-26T01:30Z"])
    // Lord Howe Island puts its clocks forward by half an hour.
    const island = calendar("Day", 1, "2026-01-01 02:15:00", "Australia/Lord_Howe")
    expect(textRange(island, "2026-10-04T06:00:00Z")).toEqual(["2026-10-03T15:45Z", "2026-10-04T15:15Z"])
    // Samoa left out 30 December 2011: the window of that day would have no length, and holds nothing.
    const samoa = calendar("Day", 1, "2011-12-01 00:00:00", "Pacific/Apia")
    expect(textRange(samoa, "2011-12-30T09:59:59Z")).toEqual(["2011-12-29T10:00Z", "2011-12-30T10:00Z"])
    expect(textRange(samoa, "2011-12-30T10:00:00Z")).toEqual(["2011-12-30T10:00Z", "2011-12-31T10:00Z"])
  })

  const zones = [
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Pacific/Apia",
    "America/Santiago",
  ]
  const windows = fc.record({
    unit: fc.constantFrom(...calendarUnits),
    count: fc.integer({ min: 1, max: 4 }),
    start: fc.integer({ min: Date.UTC(2024, 0, 1) / minute, max: Date.UTC(2028, 0, 1) / minute }),
    timeZone: fc.constantFrom(...zones),
    now: fc.integer({ min: Date.UTC(2024, 6, 1), max: Date.UTC(2027, 6, 1) }),
  })

  it("is the one that a slow search of the wall clock finds", () => {
    fc.assert(
      fc.property(windows, ({ unit, count, start, timeZone, now }) => {
        const startTime = new Date(start * minute).toISOString().slice(0, 19).replace("T", " ")
        const window = calendar(unit, count, startTime, timeZone)
        expect(calendarRange(window, now)).toEqual(modelCalendarRange(window, now))
      }),
      { numRuns: 150 },
    )
  })

  it("follows the one before it without gap", () => {
    fc.assert(
      fc.property(windows, ({ unit, count, start, timeZone, now }) => {
        const startTime = new Date(start * minute).toISOString().slice(0, 19).replace("T", " ")
        const window = calendar(unit, count, startTime, timeZone)
        const { from, to } = calendarRange(window, now)
        expect(from).toBeLessThanOrEqual(now)
        expect(to).toBeGreaterThan(now)
        expect(calendarRange(window, to).from).toBe(to)
        expect(calendarRange(window, from - 1).to).toBe(from)
      }),
      { numRuns: 150 },
    )
  })
})
