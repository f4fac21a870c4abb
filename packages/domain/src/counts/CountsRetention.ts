import * as Context from "effect/Context"
import { Limits } from "../Limits.ts"

/**
 * For how long counts are kept, in days, at least `Limits.countsRetentionMinDays`; older ones may be dropped at any
 * time.
 *
 * Source: spec/counts §3.
 */
export const CountsRetention = Context.Reference<number>("@tocsin/domain/counts/CountsRetention", {
  defaultValue: () => Limits.countsRetentionDays,
})
