import { type CalendarWindow, reportDelayMs, reportScheduleAt } from "@tocsin/domain/adapter"
import { windowAt } from "@tocsin/domain/slo"
import { reportDelayMaxMs, reportPeriod, reportRetryMs, reportStep } from "../../src/report/ReportPeriod.ts"
import { calendarUnits, type CalendarUnit } from "../../src/slo/WindowLength.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { calendarOf } from "@tocsin/testing/fixtures"
import { modelCalendarRange } from "../../../../test/slo/CalendarModel.ts"

const minute = 60_000
const day = 86_400_000

const calendar = (
  unit: CalendarUnit,
  timeZone: string,
  startTime = "2026-01-01 00:00:00",
  count = 1,
): CalendarWindow => ({ unit, count, calendar: calendarOf({ startTime, timeZone }) })

const rolling = { unit: "Day", count: 28 } as const

const texts = ({ from, to }: { readonly from: number; readonly to: number }) =>
  [from, to].map((time) => new Date(time).toISOString().replace(":00.000Z", "Z"))

describe("the period of a report", () => {
  it("spec/reports §1: is the month in UTC for a rolling window", () => {
    for (const [instant, ...period] of [
      ["2026-01-01T00:00:00Z", "2026-01-01T00:00Z", "2026-02-01T00:00Z"],
      ["2026-02-28T23:59:59Z", "2026-02-01T00:00Z", "2026-03-01T00:00Z"],
      ["2028-02-29T12:00:00Z", "2028-02-01T00:00Z", "2028-03-01T00:00Z"],
      ["2026-12-31T23:59:59Z", "2026-12-01T00:00Z", "2027-01-01T00:00Z"],
    ] as const) {
      expect(texts(reportPeriod(rolling, Date.parse(instant)))).toEqual(period)
    }
  })

  it("spec/reports §1: is the calendar window, by the wall clock of its time zone, across daylight saving time", () => {
    const berlin = calendar("Month", "Europe/Berlin")
    for (const [instant, ...period] of [
      ["2026-03-10T00:00:00Z", "2026-02-28T23:00Z", "2026-03-31T22:00Z"],
      ["2026-03-31T21:59:59Z", "2026-02-28T23:00Z", "2026-03-31T22:00Z"],
      ["2026-03-31T22:00:00Z", "2026-03-31T22:00Z", "2026-04-30T22:00Z"],
      ["2026-10-31T12:00:00Z", "2026-09-30T22:00Z", "2026-10-31T23:00Z"],
    ] as const) {
      expect(texts(reportPeriod(berlin, Date.parse(instant)))).toEqual(period)
    }
    // Midnight does not exist on the day on which the clocks go forward.
    const santiago = calendar("Day", "America/Santiago")
    expect(texts(reportPeriod(santiago, Date.parse("2026-09-06T12:00:00Z")))).toEqual([
      "2026-09-06T04:00Z",
      "2026-09-07T03:00Z",
    ])
  })

  it("spec/reports §1: follows the one before, and is what the window measures at its last minute", () => {
    const windows = fc.record({
      unit: fc.constantFrom(...calendarUnits),
      timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/Santiago", "Asia/Kathmandu"),
      startTime: fc.constantFrom("2026-01-01 00:00:00", "2026-01-31 02:30:00"),
      count: fc.integer({ min: 1, max: 3 }),
      instant: fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2028, 0, 1) }),
    })
    fc.assert(
      fc.property(windows, ({ unit, timeZone, startTime, count, instant }) => {
        const window = calendar(unit, timeZone, startTime, count)
        const { period } = reportScheduleAt(window, instant)
        expect(period).toEqual(modelCalendarRange(window, instant))
        const { isDue, next } = reportStep({
          window,
          period,
          now: period.to + reportDelayMs,
          countsFrom: 0,
        })
        expect([isDue, next.period.from]).toEqual([true, period.to])
        expect(windowAt(window, period.to - 1).range).toEqual(period)
      }),
      { numRuns: 100 },
    )
  })
})

describe("what is done with a report", () => {
  const period = reportPeriod(rolling, Date.UTC(2026, 0, 30))
  const dueAt = period.to + reportDelayMs
  const state = { window: rolling, period, now: dueAt, countsFrom: 0 }
  const february = reportScheduleAt(rolling, period.to)

  it("spec/reports §2: it is made an hour after the end of the period, and not before", () => {
    expect(reportStep(state)).toEqual({ isDue: true, next: february })
    expect(reportStep({ ...state, now: dueAt - 1 })).toEqual({ isDue: false, next: { period, dueAt } })
    expect(february.dueAt - february.period.to).toBe(60 * minute)
  })

  it("spec/reports §2: it waits for the data source, for a day at most", () => {
    const waiting = { ...state, readTo: period.to - minute }
    expect(reportStep(waiting)).toEqual({
      isDue: false,
      next: { period, dueAt: dueAt + reportRetryMs },
    })
    const latest = period.to + reportDelayMaxMs
    expect(reportStep({ ...waiting, now: latest - 1 }).next).toEqual({ period, dueAt: latest })
    expect(reportStep({ ...waiting, now: latest })).toEqual({ isDue: true, next: february })
    expect(reportStep({ ...waiting, readTo: period.to }).isDue).toBe(true)
    // As it waits for the older minutes of components.
    const { from } = period
    const composedWith = (from: number, to: number) => ({ ...state, componentsUnread: { from, to } })
    const composed = composedWith(0, period.to - minute)
    expect(reportStep(composed).isDue).toBe(false)
    expect(reportStep({ ...composed, now: latest }).isDue).toBe(true)
    expect(reportStep(composedWith(0, from + minute)).isDue).toBe(false)
    expect(reportStep(composedWith(0, from)).isDue).toBe(true)
    // Later minutes do not matter.
    expect(reportStep(composedWith(period.to - minute, Infinity)).isDue).toBe(false)
    expect(reportStep(composedWith(period.to, Infinity)).isDue).toBe(true)
  })

  it("spec/reports §2: after an outage, each period that ended meanwhile has its report", () => {
    const now = Date.UTC(2026, 3, 15)
    const made: Array<number> = []
    let next = { period, dueAt }
    for (
      let step = reportStep({ ...state, now });
      step.isDue;
      step = reportStep({ ...state, ...next, now })
    ) {
      made.push(next.period.to)
      next = step.next
    }
    expect(made).toEqual([1, 2, 3].map((month) => Date.UTC(2026, month, 1)))
    expect(next).toEqual(reportScheduleAt(rolling, now))
  })

  it("spec/reports §2: a period whose counts may have been deleted has none", () => {
    const now = Date.UTC(2026, 3, 15)
    expect(reportStep({ ...state, now, countsFrom: period.from }).isDue).toBe(true)
    expect(reportStep({ ...state, now, countsFrom: period.from + 1 })).toEqual({
      isDue: false,
      next: february,
    })
    const skipped = reportStep({ ...state, now, countsFrom: Date.UTC(2026, 1, 2) })
    expect(texts(skipped.next.period)).toEqual(["2026-03-01T00:00Z", "2026-04-01T00:00Z"])
    const years = reportStep({
      ...state,
      window: { unit: "Day", count: 400 },
      now,
      countsFrom: now - 39 * day,
    })
    expect(years.isDue).toBe(false)
    expect(years.next.dueAt).toBeGreaterThan(now)
  })

  it("spec/reports §2: after the window was changed, the next is that of the present period", () => {
    const daily = calendar("Day", "Asia/Tokyo")
    const now = Date.UTC(2026, 0, 30, 12)
    expect(reportStep({ ...state, window: daily, now })).toEqual({
      isDue: false,
      next: reportScheduleAt(daily, now),
    })
    // A month in UTC is the same period.
    expect(reportStep({ ...state, window: calendar("Month", "UTC") }).isDue).toBe(true)
  })
})
