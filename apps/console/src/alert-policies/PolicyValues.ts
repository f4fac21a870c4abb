import type { DefinitionDocument } from "@tocsin/api"
import { numberText } from "../editor/Fields.ts"
import { newMetadata } from "../editor/General.tsx"

export type AlertPolicy = DefinitionDocument<"AlertPolicy">
type Condition = NonNullable<AlertPolicy["spec"]["conditions"]>[number]

type RateCondition = Extract<Condition, { readonly measurement: string }>

/** What a condition measures; the number of events is compared with a number, or with the usual one. */
export type Measurement = RateCondition["measurement"] | "fewerThan" | "fewerThanUsual"

export const isFewerThan = (measurement: Measurement): boolean =>
  measurement === "fewerThan" || measurement === "fewerThanUsual"

/** A condition as it was typed. */
export interface ConditionRow {
  readonly id: number
  readonly measurement: Measurement
  readonly op: "lt" | "lte" | "gt" | "gte"
  readonly value: string
  readonly alertingWindow: string
  readonly lastsFor: string
  readonly minEvents: string
  readonly minBadEvents: string
  /** With the usual number of events. */
  readonly weeks: string
}

/** The conditions of each group, all of which must be met. */
export type ConditionGroups = ReadonlyArray<ReadonlyArray<ConditionRow>>

let rows = 0
const rowId = (): number => ++rows

export const newCondition = (given: Partial<ConditionRow> = {}): ConditionRow => ({
  id: rowId(),
  measurement: "averageBurnRate",
  op: "gte",
  value: "14.4",
  alertingWindow: "1h",
  lastsFor: "",
  minEvents: "",
  minBadEvents: "",
  weeks: "",
  ...given,
})

/** A new policy, with its properties in the order of its YAML. */
export const newPolicy = (apiVersion: string) =>
  ({
    apiVersion,
    kind: "AlertPolicy",
    metadata: newMetadata(),
    spec: {
      description: undefined,
      severity: "High",
      coolDown: "5m",
      sreWorkbook: "page",
      conditions: undefined,
      conditionGroups: undefined,
      alertMethods: [],
      renotify: undefined,
      then: undefined,
    },
  }) as object as AlertPolicy

/** The conditions of a policy that had none. */
export const firstConditions = () => [newCondition(), newCondition({ alertingWindow: "5m" })].map(conditionOf)

/** Whether a measurement looks at a window that can be chosen. */
export const hasWindow = (measurement: Measurement): boolean => measurement !== "burnedBudget"

/** Whether the value of a measurement is a duration. */
export const isDuration = (measurement: Measurement): boolean =>
  measurement === "timeToBurnBudget" || measurement === "timeToBurnEntireBudget"

/** How conditions are typed that are in one list, and those of several groups. */
export const conditionTyping = {
  "spec.conditions": {
    format: (list: unknown): ConditionGroups => [
      ((list ?? []) as ReadonlyArray<Condition>).map((each, at) => rowOf(each, -1 - at)),
    ],
    parse: ([group = []]: ConditionGroups) => group.map(conditionOf),
  },
  "spec.conditionGroups": {
    format: (groups: unknown): ConditionGroups =>
      (groups as ReadonlyArray<{ readonly conditions: ReadonlyArray<Condition> }>).map(
        ({ conditions }, group) => conditions.map((each, at) => rowOf(each, -1 - at - 100 * group)),
      ),
    parse: (groups: ConditionGroups) => groups.map((group) => ({ conditions: group.map(conditionOf) })),
  },
}

/** A row with an ID that it keeps whenever it is read; those of new rows are positive. */
const rowOf = (condition: Condition, id: number): ConditionRow => {
  if ("fewerThan" in condition) {
    const { events, ofUsual, per, weeks, minUsual } = condition.fewerThan
    return newCondition({
      id,
      measurement: ofUsual === undefined ? "fewerThan" : "fewerThanUsual",
      value: String(events ?? ofUsual),
      alertingWindow: per,
      lastsFor: condition.lastsFor ?? "",
      weeks: weeks === undefined ? "" : String(weeks),
      minEvents: minUsual === undefined ? "" : String(minUsual),
    })
  }
  return newCondition({
    id,
    measurement: condition.measurement,
    op: condition.op ?? "gte",
    value: String(condition.value),
    alertingWindow: "alertingWindow" in condition ? (condition.alertingWindow ?? "") : "",
    lastsFor: condition.lastsFor ?? "",
    minEvents: condition.minEvents === undefined ? "" : String(condition.minEvents),
    minBadEvents: condition.minBadEvents === undefined ? "" : String(condition.minBadEvents),
  })
}

/** Where the conditions of a group are in the definition. */
export const groupPath = (groups: ConditionGroups, group: number): string =>
  groups.length === 1 ? "spec.conditions" : `spec.conditionGroups[${group}].conditions`

const conditionOf = (row: ConditionRow): Condition => {
  const { measurement, op, value, alertingWindow, lastsFor, minEvents, minBadEvents, weeks } = row
  if (isFewerThan(measurement)) {
    return {
      fewerThan: {
        [measurement === "fewerThan" ? "events" : "ofUsual"]: numberText.parse(value),
        per: alertingWindow.trim(),
        ...(measurement === "fewerThanUsual" && weeks.trim() !== "" && { weeks: numberText.parse(weeks) }),
        ...(measurement === "fewerThanUsual" &&
          minEvents.trim() !== "" && { minUsual: numberText.parse(minEvents) }),
      },
      ...(lastsFor.trim() !== "" && { lastsFor: lastsFor.trim() }),
    } as Condition
  }
  return {
    measurement,
    value: isDuration(measurement) ? value.trim() : numberText.parse(value),
    ...(measurement === "burnedBudget" && { op }),
    ...(hasWindow(measurement) && alertingWindow.trim() !== "" && { alertingWindow: alertingWindow.trim() }),
    ...(lastsFor.trim() !== "" && { lastsFor: lastsFor.trim() }),
    ...(minEvents.trim() !== "" && { minEvents: numberText.parse(minEvents) }),
    ...(minBadEvents.trim() !== "" && { minBadEvents: numberText.parse(minBadEvents) }),
  } as Condition
}
