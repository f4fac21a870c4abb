import * as Context from "effect/Context"

/** Default retention of counts, in days. */
export const countsRetentionDays = 408

/** Shortest retention of counts, in days, which allows time windows of 31 days. */
export const countsRetentionMinDays = 39

/** Longest retention of counts, in days. */
export const countsRetentionMaxDays = 3_660

/**
 * Days by which counts are retained longer than the longest time window of an SLO: the longest alerting window before it,
 * and the current day.
 */
export const countsBeforeWindowDays = 8

/** Retention of counts in days, at least `countsRetentionMinDays`; older counts may be deleted at any time. */
export const CountsRetention = Context.Reference<number>("@tocsin/domain/internal/counts/CountsRetention", {
  defaultValue: () => countsRetentionDays,
})
