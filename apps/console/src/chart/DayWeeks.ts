import { dayMs } from "../time/Minute.ts"

/** A day of a calendar of weeks: its column is the week, its row the day of the week from Monday. */
export interface PlacedDay {
  readonly index: number
  readonly column: number
  readonly row: number
}

/** The Monday of UTC that a day is in, or a number of weeks before it. */
export const mondayOf = (time: number, weeksBefore = 0): number => {
  const day = Math.floor(time / dayMs)
  // 1 January 1970 was a Thursday.
  return (day - ((day + 3) % 7) - 7 * weeksBefore) * dayMs
}

/** Places days, which follow each other from a start, in weeks. */
export const placedDays = (from: number, count: number): ReadonlyArray<PlacedDay> => {
  const offset = Math.round((from - mondayOf(from)) / dayMs)
  return Array.from({ length: count }, (_, index) => ({
    index,
    column: Math.floor((index + offset) / 7),
    row: (index + offset) % 7,
  }))
}

/** The months that begin within days, at the column of their first whole week. */
export const monthColumns = (
  from: number,
  count: number,
): ReadonlyArray<{ readonly column: number; readonly time: number }> =>
  placedDays(from, count).flatMap(({ index, column }) => {
    const time = from + index * dayMs
    return new Date(time).getUTCDate() === 1 ? [{ column, time }] : []
  })

/** How fast a day burned the error budget; from `burned` on it was faster than the window allows. */
export const dayLevels = ["none", "some", "most", "burned", "fast"] as const

export type DayLevel = (typeof dayLevels)[number]

/** The level of a burn rate over a day: up to half of what the window allows, up to all of it, up to four times that, or more. */
export const dayLevel = (burnRate: number): DayLevel =>
  burnRate <= 0
    ? "none"
    : burnRate <= 0.5
      ? "some"
      : burnRate <= 1
        ? "most"
        : burnRate <= 4
          ? "burned"
          : "fast"
