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
 * Shortest time window that the presets are meant for, in milliseconds. In a shorter one, the budget share of `page`
 * burns in less than the shortest alerting window.
 */
export const sreWorkbookWindowMinMs = 86_400_000

/**
 * The burn rates that the SRE Workbook recommends for a time window of this length: over a long alerting window and over a
 * twelfth of it, which lets the alert resolve soon. Each burns its share of the budget within the long alerting window.
 *
 * | Preset | Budget | Alerting windows | Burn rate over 30 days | Over 28 days |
 * |---|---|---|---|---|
 * | page | 2% | 1 h and 5 min | 14.4 | 13.44 |
 * | page | 5% | 6 h and 30 min | 6 | 5.6 |
 * | ticket | 10% | 24 h and 2 h | 3 | 2.8 |
 * | ticket | 10% | 72 h and 6 h | 1 | 0.93 |
 *
 * For windows that are not 28 to 31 days long, the alerting windows are longer or shorter in proportion, in steps of 5 minutes
 * within the bounds of alerting windows. In windows shorter than `sreWorkbookWindowMinMs`, the burn rate is at least 1. None is
 * listed twice.
 *
 * Source: The Site Reliability Workbook, chapter 5, table 5-8.
 */
export const recommendedBurnRates = (
  preset: SreWorkbookPreset,
  windowMs: number,
): ReadonlyArray<RecommendedBurnRate> => {
  const rates = recommended[preset].map(({ share, longMs: monthlyMs }): RecommendedBurnRate => {
    const isMonth = windowMs >= 28 * dayMs && windowMs <= 31 * dayMs
    const wanted = isMonth ? monthlyMs : Math.round((monthlyMs * windowMs) / (30 * dayMs * stepMs)) * stepMs
    const longMs = Math.min(Math.max(wanted, alertingWindowMinMs), alertingWindowMaxMs)
    const shortMs = Math.max(Math.round(longMs / 12 / minuteMs) * minuteMs, alertingWindowMinMs)
    const rate = Math.round((share * windowMs * 100) / longMs) / 100
    return { rate: windowMs < sreWorkbookWindowMinMs ? Math.max(1, rate) : rate, longMs, shortMs }
  })
  return rates.filter((each, index) => rates.findIndex((other) => isSame(each, other)) === index)
}

const isSame = (a: RecommendedBurnRate, b: RecommendedBurnRate): boolean =>
  a.rate === b.rate && a.longMs === b.longMs

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const stepMs = 5 * minuteMs

const recommended = {
  page: [
    { share: 0.02, longMs: hourMs },
    { share: 0.05, longMs: 6 * hourMs },
  ],
  ticket: [
    { share: 0.1, longMs: 24 * hourMs },
    { share: 0.1, longMs: 72 * hourMs },
  ],
} as const
