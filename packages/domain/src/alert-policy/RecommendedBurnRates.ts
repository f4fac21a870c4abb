/** Shortest alerting window of a condition, in milliseconds. */
export const alertingWindowMinMs = 300_000

/** Longest alerting window of a condition, in milliseconds. */
export const alertingWindowMaxMs = 7 * 86_400_000

/** `page` for what needs someone at once, `ticket` for what can wait for working hours. */
export const sreWorkbookPresets = ["page", "ticket"] as const

export type SreWorkbookPreset = (typeof sreWorkbookPresets)[number]

/** A burn rate that is too fast over two alerting windows, in milliseconds. */
export interface RecommendedBurnRate {
  readonly rate: number
  readonly longMs: number
  readonly shortMs: number
}

/**
 * The burn rates that the SRE Workbook recommends for a time window of this length: over a long alerting window and over a
 * twelfth of it, which lets the alert resolve soon.
 *
 * Over 28 to 31 days:
 *
 * | Preset | Budget | Burn rate | Alerting windows |
 * |---|---|---|---|
 * | page | 2 % | 14.4 | 1 h and 5 min |
 * | page | 5 % | 6 | 6 h and 30 min |
 * | ticket | 10 % | 3 | 24 h and 2 h |
 * | ticket | 10 % | 1 | 72 h and 6 h |
 *
 * For other windows the alerting windows are as much longer or shorter, in steps of 5 minutes within the bounds of alerting
 * windows; at a bound, the burn rate is the one that burns the same share of the budget, and at least 1.
 *
 * Source: The Site Reliability Workbook, chapter 5, table 5-8.
 */
export const recommendedBurnRates = (
  preset: SreWorkbookPreset,
  windowMs: number,
): ReadonlyArray<RecommendedBurnRate> =>
  recommended[preset].map(({ share, longMs, value }) => {
    const scale = windowMs >= 28 * dayMs && windowMs <= 31 * dayMs ? 1 : windowMs / (30 * dayMs)
    const wanted = Math.round((longMs * scale) / stepMs) * stepMs
    const long = Math.min(Math.max(wanted, alertingWindowMinMs), alertingWindowMaxMs)
    const short = Math.max(Math.round(long / 12 / minuteMs) * minuteMs, alertingWindowMinMs)
    const rate = long === wanted ? value : Math.max(1, Number(((share * windowMs) / long).toPrecision(3)))
    return { rate, longMs: long, shortMs: short }
  })

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const stepMs = 5 * minuteMs

const recommended = {
  page: [
    { share: 0.02, longMs: hourMs, value: 14.4 },
    { share: 0.05, longMs: 6 * hourMs, value: 6 },
  ],
  ticket: [
    { share: 0.1, longMs: 24 * hourMs, value: 3 },
    { share: 0.1, longMs: 72 * hourMs, value: 1 },
  ],
} as const
