import { tidy } from "../codec/Decimal.ts"
import type { ObjectiveStatus } from "./ObjectiveStatus.ts"

/** What is good of how much, in events or in minutes. */
export interface GoodTotal {
  /** From 0 to `total`. */
  readonly good: number
  /** Finite, and at least 0. */
  readonly total: number
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
 *   `= (1 - target) × the window's seconds - bad × the window's seconds / total`
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
 * Target 0.95 over 2 days (172,800 s, which are 2,880 minutes), in minutes:
 *
 * | good | total | reliability | percentage | seconds |
 * |---|---|---|---|---|
 * | 2,880 | 2,880 | 1 | 1 | 8,640 |
 * | 2,736 | 2,880 | 0.95 | 0 | 0 |
 * | 2,735 | 2,880 | 0.949652777778 | -0.006944444444 | -60 |
 * | 2,730 | 2,880 | 0.947916666667 | -0.041666666667 | -360 |
 *
 * Degenerate cases: without events (`total` 0, or no counts at all) a metric is omitted;
 * the burn rate depends on the recent counts alone. Target 0: the budget is everything, so the percentage is
 * the reliability and the burn rate the bad share. Target 1: there is no budget a fraction could be
 * of, so percentage and burn rate are left out; the seconds remain (0 or negative).
 *
 * Figures are rounded once, at the end (`tidy`, `tidyDifference`).
 *
 * Source: spec/slos §3.
 */
export const objectiveStatus = (
  target: number,
  lengthMs: number,
  counts: GoodTotal | undefined,
  recentCounts: GoodTotal | undefined,
): ObjectiveStatus => {
  const budget = budgetShare(target)
  const burnRate = burnRateOf(budget, recentCounts)
  const errorBudgetRemaining = secondsRemaining(budget, lengthMs, counts)
  const errorBudgetRemainingPercentage = shareRemaining(budget, counts)
  const reliability = reliabilityOf(counts)
  return {
    ...(burnRate !== undefined && { burnRate }),
    ...(errorBudgetRemaining !== undefined && { errorBudgetRemaining }),
    ...(errorBudgetRemainingPercentage !== undefined && { errorBudgetRemainingPercentage }),
    ...(reliability !== undefined && { reliability }),
  }
}

/** `burnRate` of `objectiveStatus`, for a share that may be bad. */
export const burnRateOf = (budget: number, recentCounts: GoodTotal | undefined): number | undefined => {
  const bad = badShare(recentCounts)
  return bad === undefined || budget <= 0 ? undefined : tidy(bad / budget)
}

/** `errorBudgetRemaining` of `objectiveStatus`, for a share that may be bad. */
export const secondsRemaining = (
  budget: number,
  lengthMs: number,
  counts: GoodTotal | undefined,
): number | undefined => {
  if (counts === undefined || counts.total <= 0) return undefined
  const seconds = lengthMs / 1_000
  // Whole minutes and seconds stay whole when they are multiplied first.
  return tidyDifference(budget * seconds, ((counts.total - counts.good) * seconds) / counts.total)
}

/** `errorBudgetRemainingPercentage` of `objectiveStatus`, for a share that may be bad. */
export const shareRemaining = (budget: number, counts: GoodTotal | undefined): number | undefined => {
  const bad = badShare(counts)
  return bad === undefined || budget <= 0 ? undefined : tidyDifference(1, bad / budget)
}

/** `reliability` of `objectiveStatus`. */
export const reliabilityOf = (counts: GoodTotal | undefined): number | undefined =>
  counts === undefined || counts.total <= 0 ? undefined : counts.good / counts.total

/** The bad share, 0 to 1; `undefined` without anything counted. */
export const badShare = (counts: GoodTotal | undefined): number | undefined =>
  counts === undefined || counts.total <= 0 ? undefined : (counts.total - counts.good) / counts.total

/** The share that may be bad, `1 - target`, rounded to 15 decimals as in `1 - 0.95`. */
export const budgetShare = (target: number): number => Number((1 - target).toFixed(15))

/**
 * `a - b`, rounded to the 13th digit of the larger one, below which the difference of nearly equal numbers is noise.
 */
export const tidyDifference = (a: number, b: number): number => {
  const larger = Math.max(Math.abs(a), Math.abs(b))
  if (larger === 0 || !Number.isFinite(larger)) return tidy(a - b)
  const decimals = 12 - Math.floor(Math.log10(larger))
  return tidy(Number((a - b).toFixed(Math.min(Math.max(decimals, 0), 100))))
}
