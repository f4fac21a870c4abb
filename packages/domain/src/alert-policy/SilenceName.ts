/**
 * A name for a silence of an SLO that begins at `now` (Unix milliseconds), with the day in UTC: `checkout-silence-2026-01-30-k3x9`.
 * The end differs between the milliseconds of some 28 minutes.
 */
export const silenceName = (slo: string, now: number): string =>
  `${slo.slice(0, 200)}-silence-${new Date(now).toISOString().slice(0, 10)}-${now.toString(36).slice(-4)}`
