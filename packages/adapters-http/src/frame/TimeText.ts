/** A time in Unix milliseconds as RFC 3339 text in UTC, rounded down to the millisecond. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
