import type { CalendarUnit, RollingUnit } from "../slo/TimeWindow.ts"

/** A duration as OpenSLO writes it: `28d` is 28 times `d`. */
export interface OpenSloDuration {
  readonly count: number
  readonly unit: "m" | "h" | "d" | "w" | "M" | "Q" | "Y"
}

/**
 * Reads a duration as OpenSLO writes it: a whole number of at least 1 and one letter, whose case counts; `undefined`
 * for anything else.
 *
 * Source: OpenSLO v1, duration-shorthand.
 */
export const readOpenSloDuration = (text: string): OpenSloDuration | undefined => {
  const [, digits, unit] = /^([1-9]\d{0,6})([mhdwMQY])$/.exec(text) ?? []
  return digits === undefined || unit === undefined
    ? undefined
    : { count: Number(digits), unit: unit as OpenSloDuration["unit"] }
}

/** The count and unit of a rolling window; `undefined` where the length depends on the calendar. */
export const toRollingWindow = ({
  count,
  unit,
}: OpenSloDuration): { readonly unit: RollingUnit; readonly count: number } | undefined => {
  switch (unit) {
    case "m":
      return { unit: "Minute", count }
    case "h":
      return { unit: "Hour", count }
    case "d":
      return { unit: "Day", count }
    case "w":
      return { unit: "Day", count: 7 * count }
    default:
      return undefined
  }
}

/** The count and unit of a calendar window; `undefined` for minutes and hours. */
export const toCalendarUnit = ({
  count,
  unit,
}: OpenSloDuration): { readonly unit: CalendarUnit; readonly count: number } | undefined => {
  const name = calendarUnitByLetter[unit]
  return name && { unit: name, count }
}

/** The duration as our definitions write it, in minutes or hours; `undefined` where the length depends on the calendar. */
export const toDurationText = ({ count, unit }: OpenSloDuration): string | undefined => {
  if (unit === "m") return `${count}m`
  const hours = { h: 1, d: 24, w: 168, M: undefined, Q: undefined, Y: undefined }[unit]
  return hours === undefined ? undefined : `${count * hours}h`
}

const calendarUnitByLetter: Readonly<Record<OpenSloDuration["unit"], CalendarUnit | undefined>> = {
  m: undefined,
  h: undefined,
  d: "Day",
  w: "Week",
  M: "Month",
  Q: "Quarter",
  Y: "Year",
}
