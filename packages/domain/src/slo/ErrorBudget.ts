/** What is good of how much, in events or in minutes: 0 ≤ good ≤ total, both finite. */
export interface GoodTotal {
  readonly good: number
  readonly total: number
}

/**
 * The metrics of one objective; one that has no value is left out.
 *
 * Source: decision 0504.
 */
export interface ObjectiveStatus {
  /** How fast the budget burns at present: 1 spends exactly the budget over the window. */
  readonly burnRate?: number
  /** In seconds of the window in which everything may be bad; negative once the budget is overspent. */
  readonly errorBudgetRemaining?: number
  /** A fraction of the budget: 1 when nothing is spent, 0 when all is, negative when more is. */
  readonly errorBudgetRemainingPercentage?: number
  /** The good share of the window, 0 to 1. */
  readonly reliability?: number
}

/**
 * Computes the metrics of an objective from what is good of how much: in its window, whose whole length is `lengthMs`,
 * and in its `burnRateRange`. Events count with Occurrences, minutes with Timeslices and in composites.
 *
 * With `bad = total - good` and the budget `1 - target` (the share that may be bad):
 *
 * - `reliability = good / total`
 * - `errorBudgetRemainingPercentage = 1 - (bad / total) / (1 - target)`
 * - `errorBudgetRemaining = errorBudgetRemainingPercentage × (1 - target) × the window's seconds`
 *   `= (1 - target - bad / total) × the window's seconds`
 * - `burnRate = (recent bad / recent total) / (1 - target)`, over `burnRateRange`
 *
 * Worked values, target 0.99 over 28 days (2,419,200 s):
 *
 * | good | total | reliability | percentage | seconds |
 * |---|---|---|---|---|
 * | 1,000 | 1,000 | 1 | 1 | 24,192 |
 * | 995 | 1,000 | 0.995 | 0.5 | 12,096 |
 * | 990 | 1,000 | 0.99 | 0 | 0 |
 * | 980 | 1,000 | 0.98 | -1 | -24,192 |
 * | 0 | 1,000 | 0 | -99 | -2,395,008 |
 *
 * Degenerate cases: without events (`total` 0, or no counts at all) a metric is left out, as there is nothing to
 * tell; the burn rate depends on the recent counts alone. Target 0: the budget is everything, so the percentage is
 * the reliability and the burn rate the bad share. Target 1: there is no budget a fraction could be
 * of, so percentage and burn rate are left out; the seconds remain (0 or negative).
 *
 * Figures that are differences have 12 significant digits: beyond is the noise of binary fractions, as in `1 - 0.99`.
 *
 * Source: contract section 2.2; decision 0504.
 */
export const objectiveStatus = (
  target: number,
  lengthMs: number,
  counts: GoodTotal | undefined,
  recentCounts: GoodTotal | undefined,
): ObjectiveStatus => {
  const budget = 1 - target
  const bad = badShare(counts)
  const recentBad = badShare(recentCounts)
  const hasBudget = budget > 0
  return {
    ...(recentBad !== undefined && hasBudget && { burnRate: tidy(recentBad / budget) }),
    ...(bad !== undefined && { errorBudgetRemaining: tidy(tidy(budget - bad) * (lengthMs / 1_000)) }),
    ...(bad !== undefined && hasBudget && { errorBudgetRemainingPercentage: tidy(1 - bad / budget) }),
    ...(counts !== undefined && counts.total > 0 && { reliability: counts.good / counts.total }),
  }
}

/** The bad share, 0 to 1; `undefined` without anything counted. */
export const badShare = (counts: GoodTotal | undefined): number | undefined =>
  counts === undefined || counts.total <= 0 ? undefined : (counts.total - counts.good) / counts.total

/** A figure to 12 significant digits: beyond is the noise of binary fractions, as in `1 - 0.99`. Source: decision 0504. */
export const tidy = (value: number): number => {
  // The difference of nearly equal shares keeps noise of its own however many digits are cut.
  const rounded = Number(value.toPrecision(12))
  return Math.abs(rounded) < 1e-12 ? 0 : rounded
}
