import * as Schema from "effect/Schema"
import { type Codec, type JsonOf, once, plain, type Reader, type TypeOf } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import { boolean, isGiven, isObject, literals, number, oneOf } from "../codec/Leaves.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import {
  calendarUnits,
  daysByUnit,
  isCalendarWindow,
  rollingMs,
  type RollingUnit,
  rollingUnits,
} from "./WindowLength.ts"
import { timeZone, wallClockTime } from "../codec/WallClock.ts"

/** Shortest rolling window of an SLO, in milliseconds. */
export const rollingWindowMinMs = 300_000

/** Longest rolling window of an SLO, in milliseconds. */
export const rollingWindowMaxMs = 400 * 86_400_000

/** Longest calendar-aligned window of an SLO, in days, with the longest retention of counts. */
const calendarWindowMaxDays = 3_652

/** Clients send it back as they received it. */
const ignored = ["period"]

const count = number({ min: 1, isInteger: true })

const rollingUnit: Reader<RollingUnit> = (value, path, issues) =>
  calendarUnits.some((unit) => unit === value) && !rollingUnits.some((unit) => unit === value)
    ? issues.add(
        path,
        "not_allowed_value",
        "must be Minute, Hour or Day in a rolling window; for weeks or longer, count days, or replace isRolling with calendar",
      )
    : oneOf(rollingUnits)(value, path, issues)

const rollingWindow = object(
  {
    unit: literals(rollingUnits, rollingUnit),
    count,
    isRolling: plain<true>(
      () => Schema.Literal(true),
      (value) => (value === true ? value : undefined),
    ),
  },
  {
    ignored,
    rules: ({ value: { unit, count }, path, issues }) => {
      if (unit === undefined || count === undefined) return
      const ms = rollingMs({ unit, count })
      if (ms >= rollingWindowMinMs && ms <= rollingWindowMaxMs) return
      const message = `must be at least ${rollingWindowMinMs / minuteMs} minutes and at most ${rollingWindowMaxMs / dayMs} days long`
      issues.add(path, "out_of_range", message)
    },
  },
)

const calendar = object({
  /** The wall-clock start of one of the windows. */
  startTime: wallClockTime,
  timeZone,
})

const calendarWindow = object(
  {
    unit: literals(calendarUnits),
    count,
    isRolling: optional({ ...boolean, schema: once<false>(() => Schema.Literal(false)) }),
    calendar,
  },
  {
    ignored,
    rules: ({ value: { unit, count }, path, issues }) => {
      if (unit === undefined || count === undefined) return
      if (count * daysByUnit[unit] <= calendarWindowMaxDays) return
      issues.add(path, "out_of_range", `must be at most ${calendarWindowMaxDays} days long`)
    },
  },
)

/** Ends now. */
export type RollingWindow = Omit<TypeOf<typeof rollingWindow>, "isRolling">

/** Each window begins where the previous one ends. */
export type CalendarWindow = Omit<TypeOf<typeof calendarWindow>, "isRolling">

/** A window that ends now, or one that is aligned to a calendar. */
export type TimeWindow = RollingWindow | CalendarWindow

/** Reports the remaining issues of a window that is neither. */
const eitherWindow = object(
  {
    unit: literals([...new Set([...rollingUnits, ...calendarUnits])]),
    count,
    isRolling: optional(boolean),
    calendar: optional(calendar),
  },
  { ignored },
)

/** Reads a window with `isRolling: true`, or with `calendar`; exactly one of them. Writes both forms with `isRolling`. */
export const timeWindow: Codec<
  TimeWindow,
  unknown,
  JsonOf<typeof rollingWindow> | JsonOf<typeof calendarWindow>
> = {
  read: (input, path, issues, context) => {
    if (!isObject(input))
      return issues.add(
        path,
        "wrong_type",
        "must be an object, such as { unit: Day, count: 28, isRolling: true } for the last 28 days",
      )
    const { isRolling, calendar } = input
    if (isGiven(calendar) && isRolling !== true) {
      const read = calendarWindow.read(input, path, issues, context)
      return read && { unit: read.unit, count: read.count, calendar: read.calendar }
    }
    if (isRolling === true && !isGiven(calendar)) {
      const read = rollingWindow.read(input, path, issues, context)
      return read && { unit: read.unit, count: read.count }
    }
    if (isRolling === true) {
      issues.add(path, "mutually_exclusive", "must have either isRolling true or calendar, not both")
    } else if (isRolling === false) {
      issues.add(`${path}.calendar`, "required", "is required for a window that is not rolling")
    } else if (!isGiven(isRolling)) {
      issues.add(`${path}.isRolling`, "required", "must be true, unless calendar is given")
    }
    eitherWindow.read(input, path, issues, context)
    return undefined
  },
  write: (window, options) =>
    isCalendarWindow(window)
      ? calendarWindow.write({ ...window, isRolling: false }, options)
      : rollingWindow.write({ ...window, isRolling: true }, options),
  schema: once(() =>
    Schema.Union(
      [
        rollingWindow.schema().annotate({
          description: `From ${rollingWindowMinMs / minuteMs} minutes to ${rollingWindowMaxMs / dayMs} days`,
        }),
        calendarWindow
          .schema()
          .annotate({ description: "At most 8 days shorter than the retention of counts" }),
      ],
      { mode: "oneOf" },
    ),
  ),
}
