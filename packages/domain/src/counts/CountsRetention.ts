import * as Context from "effect/Context"

/** How long counts are kept unless the operator says otherwise, in days. */
export const countsRetentionDays = 400

/** The least of it: the longest rolling window and the longest alerting window before it. */
export const countsRetentionMinDays = 39

/** The most of it, in days. */
export const countsRetentionMaxDays = 3_660

/**
 * For how long counts are kept, in days, at least `countsRetentionMinDays`; older ones may be dropped at any
 * time.
 *
 * Source: spec/counts §3.
 */
export const CountsRetention = Context.Reference<number>("@tocsin/domain/counts/CountsRetention", {
  defaultValue: () => countsRetentionDays,
})
