/** What the objectives of an SLO count, without the shape of their definition. */

/** Whether an objective combines objectives of other SLOs. */
export const isCompositeObjective = <O extends object>(
  objective: O,
): objective is Extract<O, { readonly composite: object }> => "composite" in objective

/** The objectives that are not composite, in the order given. */
export const plainOf = <O extends object>(
  objectives: ReadonlyArray<O>,
): ReadonlyArray<Exclude<O, { readonly composite: object }>> =>
  objectives.filter(
    (objective): objective is Exclude<O, { readonly composite: object }> => !isCompositeObjective(objective),
  )

/** Whether minutes of an objective count although they have no events: those of delayed components. */
export const countsMissingMinutes = (objective: {
  readonly name: string
  readonly composite?: { readonly components: ReadonlyArray<{ readonly whenDelayed: string }> }
}): boolean => objective.composite?.components.some(({ whenDelayed }) => whenDelayed !== "Ignore") === true

/** Whether minutes without data count as good or bad. */
export const countsAbsent = ({
  absent = "ignored",
}: {
  readonly absent?: "ignored" | "good" | "bad"
}): boolean => absent !== "ignored"

/** Whether minutes without events have the state of the latest minute with events. */
export const carriesState = ({
  spec,
}: {
  readonly spec: { readonly emptyTimeSlices?: "good" | "ignored" | "lastState" }
}): boolean => spec.emptyTimeSlices === "lastState"

/** Whether a minute with a total of 0 has no data. */
export const treatsZeroAsNoData = ({
  spec,
}: {
  readonly spec: {
    readonly anomalyConfig?: { readonly noData?: { readonly treatZeroAsNoData?: boolean } }
  }
}): boolean => spec.anomalyConfig?.noData?.treatZeroAsNoData === true
