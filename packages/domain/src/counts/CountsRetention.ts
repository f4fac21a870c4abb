import * as Context from "effect/Context"

/** Default retention of counts, in days. */
export const countsRetentionDays = 400

/**
 * Shortest retention of counts, in days: the longest rolling window, the longest alerting window before it,
 * and the current day.
 */
export const countsRetentionMinDays = 39

/** Longest retention of counts, in days. */
export const countsRetentionMaxDays = 3_660

/** Retention of counts in days, at least `countsRetentionMinDays`; older counts may be deleted at any time. */
export const CountsRetention = Context.Reference<number>("@tocsin/domain/counts/CountsRetention", {
  defaultValue: () => countsRetentionDays,
})
