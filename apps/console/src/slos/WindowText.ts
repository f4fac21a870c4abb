import type { DefinitionDocument } from "@tocsin/api"
import { t } from "../language/Text.tsx"
import { dayMs } from "../time/Minute.ts"

type TimeWindow = DefinitionDocument<"SLO">["spec"]["timeWindows"][number]

const daysByUnit = {
  Minute: 1 / 1_440,
  Hour: 1 / 24,
  Day: 1,
  Week: 7,
  Month: 365.25 / 12,
  Quarter: 365.25 / 4,
  Year: 365.25,
}

/** The length of a time window in milliseconds; of months, quarters and years their average. */
export const windowLengthMs = ({ unit, count }: TimeWindow): number => daysByUnit[unit] * count * dayMs

/** A time window in words: `28 days, rolling`. */
export const windowText = (window: TimeWindow): string => {
  const { count } = window
  const length = {
    Minute: () => t("{count, plural, one {# minute} other {# minutes}}", { count }),
    Hour: () => t("{count, plural, one {# hour} other {# hours}}", { count }),
    Day: () => t("{count, plural, one {# day} other {# days}}", { count }),
    Week: () => t("{count, plural, one {# week} other {# weeks}}", { count }),
    Month: () => t("{count, plural, one {# month} other {# months}}", { count }),
    Quarter: () => t("{count, plural, one {# quarter} other {# quarters}}", { count }),
    Year: () => t("{count, plural, one {# year} other {# years}}", { count }),
  }[window.unit]()
  return "calendar" in window
    ? t("{length}, calendar-aligned ({timeZone})", { length, timeZone: window.calendar.timeZone })
    : t("{length}, rolling", { length })
}
