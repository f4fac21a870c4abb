/** The last hours, or a range between two times, each as `YYYY-MM-DDTHH:mm` in the browser's time zone. */
export type TimeRange =
  | { readonly kind: "last"; readonly hours: number }
  | { readonly kind: "custom"; readonly from: string; readonly to: string }

export const presetRanges = [
  { hours: 1, name: "1 h" },
  { hours: 6, name: "6 h" },
  { hours: 24, name: "24 h" },
  { hours: 72, name: "3 d" },
  { hours: 168, name: "7 d" },
]

const minute = 60_000
const hour = 60 * minute

/** The longest range that the API returns. */
export const rangeMaxMs = 7 * 24 * hour

/** The start and end of a range, or why it is invalid. */
export const timesOf = (
  range: TimeRange,
  now = Date.now(),
): { readonly from: number; readonly to: number } | { readonly problem: string } => {
  if (range.kind === "last") {
    const to = Math.floor(now / minute) * minute
    return { from: to - range.hours * hour, to }
  }
  const from = Date.parse(range.from)
  const to = Date.parse(range.to)
  if (Number.isNaN(from) || Number.isNaN(to)) return { problem: "Enter a start and an end." }
  if (from >= to) return { problem: "The end must be after the start." }
  if (to - from > rangeMaxMs)
    return { problem: "A range must not exceed 7 days. Choose a later start or an earlier end." }
  return { from, to }
}

/** The length of a step of a series. */
export const stepMsOf = (step: "1m" | "5m" | "15m" | "1h"): number =>
  ({ "1m": minute, "5m": 5 * minute, "15m": 15 * minute, "1h": hour })[step]

/** A time as the value of an input of type `datetime-local`. */
export const localText = (time: number): string => {
  const at = new Date(time)
  return new Date(time - at.getTimezoneOffset() * minute).toISOString().slice(0, 16)
}
