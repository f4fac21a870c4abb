import type { Schemas } from "../api/Client.ts"
import { generalOf, type GeneralValues, newMetadata, withText } from "../editor/General.tsx"
import { keyOf, keyText } from "../editor/NameList.tsx"

export type AlertPolicy = Schemas["AlertPolicyDefinition"]
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
  readonly op: string
  readonly value: string
  readonly alertingWindow: string
  readonly lastsFor: string
  readonly minEvents: string
  readonly minBadEvents: string
  /** With the usual number of events. */
  readonly weeks: string
}

/** A step of the escalation. */
interface StepRow {
  readonly id: number
  readonly after: string
  /** Each `project/name`. */
  readonly methods: ReadonlyArray<string>
}

export interface PolicyValues extends GeneralValues {
  readonly severity: AlertPolicy["spec"]["severity"]
  readonly coolDown: string
  /** The recommended conditions for the time window of each SLO, or conditions of one's own. */
  readonly source: "page" | "ticket" | "conditions"
  /** All conditions of one group must be met. */
  readonly groups: ReadonlyArray<ReadonlyArray<ConditionRow>>
  readonly methods: ReadonlyArray<string>
  readonly renotifyEvery: string
  readonly renotifyAtMost: string
  readonly steps: ReadonlyArray<StepRow>
}

let rows = 0
export const rowId = (): number => ++rows

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

export const emptyPolicy: PolicyValues = {
  metadata: newMetadata(),
  spec: {},
  severity: "High",
  coolDown: "5m",
  source: "page",
  groups: [[newCondition(), newCondition({ alertingWindow: "5m" })]],
  methods: [],
  renotifyEvery: "",
  renotifyAtMost: "",
  steps: [],
}

/** Whether a measurement looks at a window that can be chosen. */
export const hasWindow = (measurement: Measurement): boolean => measurement !== "burnedBudget"

/** Whether the value of a measurement is a duration. */
export const isDuration = (measurement: Measurement): boolean =>
  measurement === "timeToBurnBudget" || measurement === "timeToBurnEntireBudget"

/** The values of a stored policy. */
export const valuesOf = (policy: AlertPolicy): PolicyValues => {
  const { spec, metadata } = policy
  const groups =
    spec.conditionGroups?.map(({ conditions }) => conditions) ??
    (spec.conditions === undefined ? undefined : [spec.conditions])
  const methodsOf = (methods: ReadonlyArray<{ metadata: { name: string; project?: string } }> = []) =>
    methods.map((method) => keyText(method.metadata, metadata.project))
  return {
    ...generalOf(policy),
    severity: spec.severity,
    coolDown: spec.coolDown ?? "",
    source: spec.sreWorkbook ?? "conditions",
    groups: groups?.map((group) => group.map(rowOf)) ?? emptyPolicy.groups,
    methods: methodsOf(spec.alertMethods),
    renotifyEvery: spec.renotify?.every ?? "",
    renotifyAtMost: spec.renotify === undefined ? "" : String(spec.renotify.atMost),
    steps: (spec.then ?? []).map(({ after, alertMethods }) => ({
      id: rowId(),
      after,
      methods: methodsOf(alertMethods),
    })),
  }
}

const rowOf = (condition: Condition): ConditionRow => {
  if ("fewerThan" in condition) {
    const { events, ofUsual, per, weeks, minUsual } = condition.fewerThan
    return newCondition({
      measurement: ofUsual === undefined ? "fewerThan" : "fewerThanUsual",
      value: String(events ?? ofUsual),
      alertingWindow: per,
      lastsFor: condition.lastsFor ?? "",
      weeks: weeks === undefined ? "" : String(weeks),
      minEvents: minUsual === undefined ? "" : String(minUsual),
    })
  }
  return newCondition({
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
export const groupPath = (groups: PolicyValues["groups"], group: number): string =>
  groups.length === 1 ? "spec.conditions" : `spec.conditionGroups[${group}].conditions`

/** The definition that the values describe, valid or not. `edited` has what the form does not show. */
export const definitionOf = (values: PolicyValues, apiVersion: string): AlertPolicy => {
  const { severity, source, groups, methods, renotifyEvery, renotifyAtMost, steps } = values
  const conditions = groups.map((group) => group.map(conditionOf))
  const [first = []] = conditions
  const methodsOf = (names: ReadonlyArray<string>) => names.map((name) => ({ metadata: keyOf(name) }))
  return {
    apiVersion,
    kind: "AlertPolicy",
    metadata: values.metadata as AlertPolicy["metadata"],
    spec: {
      ...values.spec,
      severity,
      ...withText("coolDown", values.coolDown),
      ...(source !== "conditions"
        ? { sreWorkbook: source }
        : conditions.length === 1
          ? { conditions: first }
          : { conditionGroups: conditions.map((group) => ({ conditions: group })) }),
      alertMethods: methodsOf(methods),
      ...(`${renotifyEvery}${renotifyAtMost}`.trim() !== "" && {
        renotify: { every: renotifyEvery.trim(), atMost: numberOf(renotifyAtMost) as number },
      }),
      ...(steps.length > 0 && {
        then: steps.map(({ after, methods: names }) => ({
          after: after.trim(),
          alertMethods: methodsOf(names),
        })),
      }),
    },
  }
}

const conditionOf = (row: ConditionRow): Condition => {
  const { measurement, op, value, alertingWindow, lastsFor, minEvents, minBadEvents, weeks } = row
  if (isFewerThan(measurement)) {
    return {
      fewerThan: {
        [measurement === "fewerThan" ? "events" : "ofUsual"]: numberOf(value),
        per: alertingWindow.trim(),
        ...(measurement === "fewerThanUsual" && weeks.trim() !== "" && { weeks: numberOf(weeks) }),
        ...(measurement === "fewerThanUsual" && minEvents.trim() !== "" && { minUsual: numberOf(minEvents) }),
      },
      ...(lastsFor.trim() !== "" && { lastsFor: lastsFor.trim() }),
    } as Condition
  }
  return {
    measurement,
    value: isDuration(measurement) ? value.trim() : numberOf(value),
    ...(measurement === "burnedBudget" && { op }),
    ...(hasWindow(measurement) && alertingWindow.trim() !== "" && { alertingWindow: alertingWindow.trim() }),
    ...(lastsFor.trim() !== "" && { lastsFor: lastsFor.trim() }),
    ...(minEvents.trim() !== "" && { minEvents: numberOf(minEvents) }),
    ...(minBadEvents.trim() !== "" && { minBadEvents: numberOf(minBadEvents) }),
  } as Condition
}

/** What is no number stays a text, which the server rejects with the rule. */
const numberOf = (text: string): number | string => {
  const number = Number(text.trim().replace(",", "."))
  return text.trim() === "" || Number.isNaN(number) ? text : number
}
