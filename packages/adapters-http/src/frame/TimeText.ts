/** A time in Unix milliseconds in RFC 3339 format in UTC, rounded down to the millisecond. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
