import { Context } from "effect"
import { Limits } from "../Limits.ts"

/**
 * For how long counts are kept, in days, at least `Limits.countsRetentionMinDays`; older ones may be dropped at any
 * time.
 *
 * Source: decision 0614.
 */
export class CountsRetention extends Context.Reference<CountsRetention>()(
  "@tocsin/domain/slo/CountsRetention",
  { defaultValue: () => Limits.countsRetentionDays as number },
) {}
