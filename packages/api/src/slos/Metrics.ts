import * as Schema from "effect/Schema"

const metric = (description: string) => Schema.optionalKey(Schema.Finite.annotate({ description }))

/** The metrics of an objective; those without data are omitted. */
export const metrics = {
  burnRate: metric(
    "Rate at which the last hour consumed the error budget. At 1, the budget lasts exactly for the time window",
  ),
  errorBudgetRemaining: metric("In seconds; negative if the budget is overspent"),
  errorBudgetRemainingPercentage: metric(
    "Fraction of the error budget remaining: 1 is the full budget, 0 is exhausted, negative is overspent",
  ),
  reliability: metric("Share of good events or minutes in the time window, from 0 to 1"),
}
