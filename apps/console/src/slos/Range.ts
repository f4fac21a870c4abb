/** What a chart is over: the latest hours, or from one time to another, as `YYYY-MM-DDTHH:mm` in the reader's zone. */
export type Range =
  | { readonly kind: "latest"; readonly hours: number }
  | { readonly kind: "between"; readonly from: string; readonly to: string }

/** The ranges that one chooses with a click. */
export const latestRanges = [
  { hours: 1, name: "1 h" },
  { hours: 6, name: "6 h" },
  { hours: 24, name: "24 h" },
  { hours: 72, name: "3 d" },
  { hours: 168, name: "7 d" },
]

const minute = 60_000
const hour = 60 * minute

/** The longest range. Source: contract section 8. */
const maxMs = 7 * 24 * hour

/** The begin and end of a range on whole minutes, or what is wrong with it. */
export const timesOf = (
  range: Range,
  now = Date.now(),
): { readonly from: number; readonly to: number } | { readonly problem: string } => {
  if (range.kind === "latest") {
    const to = Math.floor(now / minute) * minute
    return { from: to - range.hours * hour, to }
  }
  const from = Date.parse(range.from)
  const to = Date.parse(range.to)
  if (Number.isNaN(from) || Number.isNaN(to)) return { problem: "Say from when and until when." }
  if (from >= to) return { problem: "The end must be after the begin." }
  if (to - from > maxMs) return { problem: "A range has at most 7 days." }
  return { from, to }
}

/** The length of a step of a chart. */
export const stepMsOf = (step: "1m" | "5m" | "15m" | "1h"): number =>
  ({ "1m": minute, "5m": 5 * minute, "15m": 15 * minute, "1h": hour })[step]

/** A time as an input for it takes it. */
export const localText = (time: number): string => {
  const at = new Date(time)
  return new Date(time - at.getTimezoneOffset() * minute).toISOString().slice(0, 16)
}
