import type { CalendarUnit, RollingUnit } from "@tocsin/domain/definitions"

export interface OpenSloDuration {
  readonly count: number
  readonly unit: "m" | "h" | "d" | "w" | "M" | "Q" | "Y"
}

/** Parses an OpenSLO duration: a whole number of at least 1 and one case-sensitive letter, as `28d`. */
export const readOpenSloDuration = (text: string): OpenSloDuration | undefined => {
  const [, digits, unit] = /^([1-9]\d{0,6})([mhdwMQY])$/.exec(text) ?? []
  return digits === undefined || unit === undefined
    ? undefined
    : { count: Number(digits), unit: unit as OpenSloDuration["unit"] }
}

/** `undefined` if the length depends on the calendar. */
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

/** `undefined` for minutes and hours. */
export const toCalendarUnit = ({
  count,
  unit,
}: OpenSloDuration): { readonly unit: CalendarUnit; readonly count: number } | undefined => {
  const name = calendarUnitByLetter[unit]
  return name && { unit: name, count }
}

/** Minutes or hours; `undefined` if the length depends on the calendar. */
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
