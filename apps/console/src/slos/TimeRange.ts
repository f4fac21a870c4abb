import type { SloSeries } from "@tocsin/api"
import { t } from "../language/Text.tsx"
import { dayMs, hourMs, minuteMs, minuteOf } from "../time/Minute.ts"
import { timeText } from "../time/TimeZone.ts"

/** The time window of the SLO, the last hours, or a range between two times in Unix milliseconds. */
export type TimeRange =
  | { readonly kind: "window" }
  | { readonly kind: "last"; readonly hours: number }
  | { readonly kind: "custom"; readonly from: number; readonly to: number }

export const presetHours = [1, 6, 24, 168, 720, 2160]

/** The maximum range of a response of the API. */
const rangeMaxMs = 400 * dayMs

/** A range as parameters of the address: none for the time window. */
export interface RangeParameters {
  readonly range: string
  readonly from: string
  readonly to: string
}

export const rangeToParameters = (range: TimeRange): RangeParameters =>
  range.kind === "custom"
    ? { range: "", from: timeText(range.from), to: timeText(range.to) }
    : { range: range.kind === "last" ? `${range.hours}h` : "", from: "", to: "" }

/** The range of an address; the time window if it has no range or an invalid range. */
export const rangeOfParameters = ({ range, from, to }: RangeParameters): TimeRange => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (customIssue(start, end) === undefined) return { kind: "custom", from: start, to: end }
  const hours = Number(/^(\d{1,4})h$/.exec(range)?.[1] ?? Number.NaN)
  return hours >= 1 && hours * hourMs <= rangeMaxMs ? { kind: "last", hours } : { kind: "window" }
}

/** Why a range between two times is invalid, and at which of them. */
export const customIssue = (
  from: number,
  to: number,
): { readonly at: "from" | "to"; readonly text: string } | undefined => {
  if (Number.isNaN(from)) return { at: "from", text: t("Enter a start.") }
  if (Number.isNaN(to)) return { at: "to", text: t("Enter an end.") }
  if (from >= to) return { at: "to", text: t("The end must be after the start.") }
  if (to - from > rangeMaxMs) {
    return {
      at: "from",
      text: t("A range must not exceed 400 days. Choose a later start or an earlier end."),
    }
  }
  return undefined
}

/** The parameters of a series for a range. */
export const seriesQuery = (
  range: TimeRange,
  now = Date.now(),
): { readonly range: "window" } | { readonly from: string; readonly to: string } => {
  if (range.kind === "window") return { range: "window" }
  if (range.kind === "custom") return { from: timeText(range.from), to: timeText(range.to) }
  const to = minuteOf(now) + minuteMs
  return { from: timeText(to - range.hours * hourMs), to: timeText(to) }
}

/** A range twice as long about the same time, which ends now at the latest. */
export const widerRange = (from: number, to: number, now = Date.now()): TimeRange => {
  const lengthMs = Math.min(2 * (to - from), rangeMaxMs)
  const end = Math.min((from + to + lengthMs) / 2, Math.max(now, to))
  return {
    kind: "custom",
    from: minuteOf(end - lengthMs),
    to: minuteOf(end),
  }
}

/** The length of a step of a series. */
export const stepMsOf = (step: SloSeries["step"]): number =>
  ({
    "1m": minuteMs,
    "5m": 5 * minuteMs,
    "15m": 15 * minuteMs,
    "1h": hourMs,
    "3h": 3 * hourMs,
    "6h": 6 * hourMs,
    "12h": 12 * hourMs,
    "1d": dayMs,
  })[step]
