import type { ProjectKey, ProjectMetadata } from "../definition/Definition.ts"

/** When SLOs that name it are in danger, and which alert methods to ring then. Source: decision 0600. */
export interface AlertPolicy {
  readonly kind: "AlertPolicy"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    readonly severity: Severity
    /** Time for which no condition may hold before the alert resolves, in seconds; at least 300. */
    readonly coolDownSeconds: number
    /** At least one; all must hold. */
    readonly conditions: ReadonlyArray<Condition>
    /** The methods to ring, possibly of other projects. */
    readonly alertMethods: ReadonlyArray<ProjectKey>
  }
}

/** How grave an alert is. */
export type Severity = "Low" | "Medium" | "High"

/** One condition of an alert policy, as written: the durations keep their text. */
export interface Condition {
  readonly measurement: Measurement
  /** A fraction or a rate; a duration such as `72h` for the measurements that are times. */
  readonly value: number | string
  readonly op: "gt" | "gte" | "lt" | "lte"
  /** Exactly one of the two is given. */
  readonly alertingWindow?: string
  readonly lastsFor?: string
}

/** What a condition measures. */
export type Measurement =
  "averageBurnRate" | "burnedBudget" | "timeToBurnBudget" | "timeToBurnEntireBudget" | "budgetDrop"
