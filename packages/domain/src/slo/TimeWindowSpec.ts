import { objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { number, oneOf, type Rule, text } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { timeZoneOf, wallClockTime } from "./CalendarRange.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import {
  type CalendarUnit,
  calendarUnits,
  type CalendarWindow,
  type RollingWindow,
  rollingUnits,
  type TimeWindow,
} from "./Slo.ts"
import { rollingMs } from "./WindowAt.ts"

/**
 * An entry of `spec.timeWindows`: a rolling window says `isRolling: true`, a calendar window has `calendar`.
 *
 * Source: decisions 0602 and 0518.
 */
export const timeWindow: Rule<TimeWindow> = objectOf((reader) => {
  const { issues } = reader
  const count = reader.required("count", wholeCount)
  const isRolling = reader.valueOf("isRolling")
  if (reader.has("isRolling") && typeof isRolling !== "boolean") {
    issues.add(reader.at("isRolling"), "wrong_type", "must be true or false")
  }
  const isCalendar = reader.has("calendar")
  if (isRolling === true && isCalendar) {
    issues.add(reader.path, "mutually_exclusive", "must have either isRolling true or calendar, not both")
  } else if (isRolling === true) {
    return rollingWindow(reader, count)
  } else if (isCalendar) {
    return calendarWindow(reader, count)
  } else if (isRolling === false) {
    issues.add(reader.at("calendar"), "required", "is required for a window that does not roll")
  } else if (!reader.has("isRolling")) {
    issues.add(reader.at("isRolling"), "required", "must be true, or calendar must be there")
  }
  reader.required("unit", oneOf([...new Set([...rollingUnits, ...calendarUnits])]))
  reader.optional("calendar", calendar)
  return undefined
})

const wholeCount = number(
  (value) => Number.isSafeInteger(value) && value > 0,
  "must be a whole number of at least 1",
)

const rollingWindow = (reader: ObjectReader, count: number | undefined): RollingWindow | undefined => {
  const unit = reader.required("unit", oneOf(rollingUnits))
  if (unit === undefined || count === undefined) return undefined
  const ms = rollingMs({ unit, count })
  return ms >= Limits.rollingWindowMinMs && ms <= Limits.rollingWindowMaxMs
    ? { unit, count }
    : reader.issues.add(
        reader.path,
        "out_of_range",
        `must be at least ${Limits.rollingWindowMinMs / 60_000} minutes and at most ${Limits.rollingWindowMaxMs / 86_400_000} days long`,
      )
}

/** The most days that each unit of the calendar has on average in its longest run of them. */
const daysByUnit: Readonly<Record<CalendarUnit, number>> = {
  Day: 1,
  Week: 7,
  Month: 366 / 12,
  Quarter: 366 / 4,
  Year: 366,
}

const calendarWindow = (reader: ObjectReader, count: number | undefined): CalendarWindow | undefined => {
  const unit = reader.required("unit", oneOf(calendarUnits))
  const read = reader.required("calendar", calendar)
  if (unit === undefined || count === undefined) return undefined
  if (count * daysByUnit[unit] > Limits.calendarWindowMaxDays) {
    const message = `must be at most ${Limits.calendarWindowMaxDays} days long`
    return reader.issues.add(reader.path, "out_of_range", message)
  }
  return read && { unit, count, calendar: read }
}

const startTime: Rule<string> = (value, path, issues) => {
  if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
  const time = wallClockTime(value)
  if (time === undefined || time < 0) {
    const message =
      "must be a date from 1970 on with a time, such as 2026-01-01 00:00:00, without a time zone"
    return issues.add(path, "invalid_format", message)
  }
  return time % minuteMs === 0
    ? value
    : issues.add(path, "out_of_range", "must be the start of a minute: its seconds must be 00")
}

const timeZoneText = text({ max: Limits.timeZoneMaxCharacters })

const timeZone: Rule<string> = (value, path, issues) => {
  const name = timeZoneText(value, path, issues)
  if (name === undefined || timeZoneOf(name) !== undefined) return name
  const message = "must be a name of the IANA time zone database, such as Europe/Paris or UTC"
  return issues.add(path, "not_allowed_value", message)
}

const calendar: Rule<CalendarWindow["calendar"]> = objectOf((reader) => {
  const start = reader.required("startTime", startTime)
  const zone = reader.required("timeZone", timeZone)
  return start === undefined || zone === undefined ? undefined : { startTime: start, timeZone: zone }
})
