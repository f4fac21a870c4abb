/**
 * Why conditions that are met trigger no alert: only changes of the past made them met, the latest counts are too old, or the data
 * source is not read to the present.
 */
export const holdReasons = ["past_changed", "counts_old", "source_behind"] as const

export type HoldReason = (typeof holdReasons)[number]
