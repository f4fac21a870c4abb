import type { ProjectMetadata } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"

/** When SLOs that name it are in danger, and which alert methods to ring then. Source: decision 0602. */
export interface AlertPolicy {
  readonly kind: "AlertPolicy"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    readonly severity: Severity
    /** Time for which no condition may hold before the alert resolves: a duration as written (`durationToMs`), at least 5 minutes. */
    readonly coolDown: string
    /** At least one; all must hold. */
    readonly conditions: ReadonlyArray<Condition>
    /** The methods to ring, possibly of other projects. */
    readonly alertMethods: ReadonlyArray<ProjectKey>
  }
}

/** How grave an alert is, from the least to the most. */
export const severities = ["Low", "Medium", "High"] as const

/** How grave an alert is. */
export type Severity = (typeof severities)[number]

/** One condition of an alert policy; the durations keep their text. */
export interface Condition {
  readonly measurement: Measurement
  /** A fraction or a rate; a duration such as `72h` for the measurements that are times. */
  readonly value: number | string
  readonly op: Operator
  /** At most one of the two is given; neither means that it need not last. */
  readonly alertingWindow?: string
  readonly lastsFor?: string
}

/** What a condition can measure. */
export const measurements = [
  "averageBurnRate",
  "burnedBudget",
  "timeToBurnBudget",
  "timeToBurnEntireBudget",
  "budgetDrop",
] as const

/** What a condition measures. */
export type Measurement = (typeof measurements)[number]

/** How a measured value can be compared with a condition's. */
export const operators = ["gt", "gte", "lt", "lte"] as const

/** How the measured value is compared with the condition's. */
export type Operator = (typeof operators)[number]
