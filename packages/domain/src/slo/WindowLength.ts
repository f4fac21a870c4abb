import { dayMs, hourMs, minuteMs } from "../codec/MinuteInstant.ts"

/** The units of rolling time windows. */
export const rollingUnits = ["Minute", "Hour", "Day"] as const

/** The unit of a rolling time window. */
export type RollingUnit = (typeof rollingUnits)[number]

/** The units of calendar-aligned time windows. */
export const calendarUnits = ["Day", "Week", "Month", "Quarter", "Year"] as const

/** The unit of a calendar-aligned time window. */
export type CalendarUnit = (typeof calendarUnits)[number]

/** The length of a rolling window, in milliseconds. */
export const rollingMs = (window: { readonly unit: RollingUnit; readonly count: number }): number =>
  window.count * msByUnit[window.unit]

const msByUnit: Readonly<Record<RollingUnit, number>> = { Minute: minuteMs, Hour: hourMs, Day: dayMs }

/** Whether a time window is aligned to a calendar. */
export const isCalendarWindow = <W extends object>(window: W): window is Extract<W, { calendar: unknown }> =>
  "calendar" in window

/** The longest that a window can be, in days; months and quarters have the average length of a leap year's. */
export const windowDays = (
  window:
    | { readonly unit: CalendarUnit; readonly count: number; readonly calendar: object }
    | { readonly unit: RollingUnit; readonly count: number },
): number => (isCalendarWindow(window) ? window.count * daysByUnit[window.unit] : rollingMs(window) / dayMs)

/** The average days of a unit in its longest run. */
export const daysByUnit: Readonly<Record<CalendarUnit, number>> = {
  Day: 1,
  Week: 7,
  Month: 366 / 12,
  Quarter: 366 / 4,
  Year: 366,
}
