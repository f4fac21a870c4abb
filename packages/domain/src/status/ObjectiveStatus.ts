import type { TypeOf } from "../codec/Codec.ts"
import { exactOptional, object } from "../codec/Containers.ts"
import { number } from "../codec/Leaves.ts"

/** The codec of `ObjectiveFigures`. */
export const objectiveStatusCodec = object({
  /** How fast the budget burns at present: 1 spends exactly the budget over the window. */
  burnRate: exactOptional(number({})),
  /** In seconds of the window in which everything may be bad; negative once the budget is overspent. */
  errorBudgetRemaining: exactOptional(number({})),
  /** A fraction of the budget: 1 when nothing is spent, 0 when all is, negative when more is. */
  errorBudgetRemainingPercentage: exactOptional(number({})),
  /** The good share of the window, 0 to 1. */
  reliability: exactOptional(number({})),
})

/** The metrics of one objective; one that has no value is left out. */
export type ObjectiveFigures = TypeOf<typeof objectiveStatusCodec>

/** The metrics of one objective as they were last computed. */
export interface ObjectiveStatus extends ObjectiveFigures {
  /** Whether they are those of an earlier definition, and are going to be replaced: present only then. */
  readonly isOutdated?: boolean
}
