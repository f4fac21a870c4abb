import type { ProjectMetadata } from "../definition/Definition.ts"

/** A service level objective: what share of a service's events is to be good, over which time. */
export interface Slo {
  readonly kind: "SLO"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    /** The name of a service of the same project. */
    readonly service: string
    readonly budgetingMethod: BudgetingMethod
    readonly timeWindow: RollingWindow
    /** At least one; names are unique. */
    readonly objectives: ReadonlyArray<Objective>
    /** The names of alert policies of the same project. */
    readonly alertPolicies: ReadonlyArray<string>
  }
}

/** How good and bad are counted against the budget. Source: contract section 2.2. */
export type BudgetingMethod = "Occurrences"

/** A window that ends now and moves with time. */
export interface RollingWindow {
  readonly unit: "Minute" | "Hour" | "Day"
  readonly count: number
}

/** One target of an SLO. */
export interface Objective {
  readonly name: string
  readonly displayName?: string
  /** The share of events that is to be good: 0 ≤ target < 1. */
  readonly target: number
}

/** The length of a rolling window, in milliseconds. */
export const windowMs = (window: RollingWindow): number => window.count * unitMs[window.unit]

const unitMs = { Minute: 60_000, Hour: 3_600_000, Day: 86_400_000 } as const
