import type { ProjectMetadata } from "../metadata/Metadata.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { Indicator } from "./Indicator.ts"

/** A service level objective: what share of a service's events or minutes is to be good, over which time. */
export interface Slo {
  readonly kind: "SLO"
  readonly metadata: ProjectMetadata
  readonly spec: {
    readonly description?: string
    /** The name of a service of the same project. */
    readonly service: string
    readonly budgetingMethod: BudgetingMethod
    readonly timeWindow: TimeWindow
    /** At least one; names are unique. */
    readonly objectives: ReadonlyArray<Objective>
    /** The older form of a composite: over all objectives of this SLO, of which none is composite itself. */
    readonly composite?: CompositeOverObjectives
    /** The names of alert policies of the same project. */
    readonly alertPolicies: ReadonlyArray<string>
    /** Where the counts are read from; absent: they come over the API alone. */
    readonly indicator?: Indicator
    readonly anomalyConfig?: AnomalyConfig
  }
}

/** How good and bad can be counted against the budget. Source: decision 0507. */
export const budgetingMethods = ["Occurrences", "Timeslices"] as const

/**
 * How good and bad are counted against the budget: `Occurrences` counts events, `Timeslices` minutes.
 *
 * Source: contract section 2.2; decision 0507.
 */
export type BudgetingMethod = (typeof budgetingMethods)[number]

/** The time over which an SLO is to hold. */
export type TimeWindow = RollingWindow | CalendarWindow

/** A window that ends now and moves with time. */
export interface RollingWindow {
  readonly unit: RollingUnit
  readonly count: number
}

/** The units of rolling windows. */
export const rollingUnits = ["Minute", "Hour", "Day"] as const

/** A unit of rolling windows. */
export type RollingUnit = (typeof rollingUnits)[number]

/** A window that follows the calendar of a time zone: each begins where the one before ends. */
export interface CalendarWindow {
  readonly unit: CalendarUnit
  readonly count: number
  readonly calendar: {
    /** The wall clock's time at which one of the windows begins, as `2026-01-01 00:00:00`. */
    readonly startTime: string
    /** A name of the IANA time zone database, as `Europe/Paris`. */
    readonly timeZone: string
  }
}

/** The units of calendar windows. */
export const calendarUnits = ["Day", "Week", "Month", "Quarter", "Year"] as const

/** A unit of calendar windows. */
export type CalendarUnit = (typeof calendarUnits)[number]

/** Whether a window follows the calendar. */
export const isCalendarWindow = (window: TimeWindow): window is CalendarWindow => "calendar" in window

/** One target of an SLO. */
export type Objective = PlainObjective | CompositeObjective

/** An objective with counts of its own. */
export interface PlainObjective {
  readonly name: string
  readonly displayName?: string
  /** The share that is to be good: 0 ≤ target < 1. */
  readonly target: number
  /** The share of good events that makes a minute good: above 0, at most 1; with Timeslices, and only then. */
  readonly timeSliceTarget?: number
}

/** An objective over objectives of other SLOs. */
export interface CompositeObjective {
  readonly name: string
  readonly displayName?: string
  /** The share that is to be good: 0 ≤ target < 1. */
  readonly target: number
  readonly composite: {
    /** How long a component's counts may be late, at least 1 minute: a duration as written (`durationToMs`). */
    readonly maxDelay: string
    /** At least one; each objective once. */
    readonly components: ReadonlyArray<Component>
  }
}

/** Whether an objective is over objectives of other SLOs. */
export const isCompositeObjective = (objective: Objective): objective is CompositeObjective =>
  "composite" in objective

/** The objectives of an SLO that have counts of their own. */
export const plainObjectivesOf = (slo: Slo): ReadonlyArray<PlainObjective> =>
  slo.spec.objectives.flatMap((objective) => (isCompositeObjective(objective) ? [] : [objective]))

/** One objective that a composite is made of. */
export interface Component {
  readonly slo: ProjectKey
  readonly objective: string
  /** Above 0; only the weights' proportions matter. */
  readonly weight: number
  readonly whenDelayed: WhenDelayed
}

/** What minutes can count as whose counts are later than `maxDelay`. */
export const whenDelayedValues = ["CountAsGood", "CountAsBad", "Ignore"] as const

/** What minutes count as whose counts are later than `maxDelay`. */
export type WhenDelayed = (typeof whenDelayedValues)[number]

/** The older form of a composite. */
export interface CompositeOverObjectives {
  /** The share of minutes that is to be good: 0 ≤ target < 1. */
  readonly target: number
  /** The burn rate of one minute of an objective that makes the minute bad; with Occurrences, and only then. */
  readonly burnRateCondition?: BurnRateCondition
}

/** A burn rate and how it is exceeded. */
export interface BurnRateCondition {
  readonly value: number
  readonly op: BurnRateOperator
}

/** How a burn rate can be compared with that of a condition. */
export const burnRateOperators = ["gt", "gte"] as const

/** How a burn rate is compared with that of a condition. */
export type BurnRateOperator = (typeof burnRateOperators)[number]

/** What to do when counts stay away. */
export interface AnomalyConfig {
  readonly noData: {
    /** At least one, possibly of other projects. */
    readonly alertMethods: ReadonlyArray<ProjectKey>
    /** A duration as written (`durationToMs`): how long an objective may be without counts. */
    readonly alertAfter: string
  }
}
