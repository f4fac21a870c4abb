export const minuteMs = 60_000

export const hourMs = 60 * minuteMs

export const dayMs = 24 * hourMs

/** The start of a minute; both in Unix milliseconds. */
export const minuteOf = (time: number): number => Math.floor(time / minuteMs) * minuteMs
