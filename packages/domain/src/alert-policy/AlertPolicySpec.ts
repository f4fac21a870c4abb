import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { durationOf } from "../codec/Duration.ts"
import { description, projectKey } from "../metadata/Metadata.ts"
import { objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { distinctListOf, listOf, number, oneOf, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import {
  type AlertPolicy,
  type Condition,
  type Measurement,
  measurements,
  operators,
  severities,
} from "./AlertPolicy.ts"

/**
 * The property `spec` of an alert policy; an alert method without a project is of the policy's own `project`.
 *
 * Source: decision 0602.
 */
export const alertPolicySpec = (project: string): Rule<AlertPolicy["spec"]> =>
  objectOf((reader) => {
    const said = reader.optional("description", description)
    const severity = reader.required("severity", oneOf(severities))
    const coolDown = reader.has("coolDown") ? reader.optional("coolDown", coolDownText) : "5m"
    const conditions = reader.required(
      "conditions",
      listOf(condition, { min: 1, max: Limits.conditionsPerPolicyMax }),
    )
    const alertMethods = reader.has("alertMethods")
      ? reader.optional("alertMethods", alertMethodList(project))
      : []
    if (
      severity === undefined ||
      coolDown === undefined ||
      conditions === undefined ||
      alertMethods === undefined
    ) {
      return undefined
    }
    return {
      ...(said !== undefined && { description: said }),
      severity,
      coolDown,
      conditions,
      alertMethods,
    }
  })

/** What a measurement is compared with, by which operator, and over which time. */
const shapeByMeasurement: Readonly<
  Record<
    Measurement,
    {
      readonly isTime: boolean
      readonly op: Condition["op"]
      readonly takesAnyOp: boolean
      readonly takes: ReadonlyArray<"alertingWindow" | "lastsFor">
    }
  >
> = {
  averageBurnRate: { isTime: false, op: "gte", takesAnyOp: false, takes: ["alertingWindow", "lastsFor"] },
  burnedBudget: { isTime: false, op: "gte", takesAnyOp: true, takes: ["lastsFor"] },
  timeToBurnBudget: { isTime: true, op: "lt", takesAnyOp: false, takes: ["alertingWindow", "lastsFor"] },
  timeToBurnEntireBudget: {
    isTime: true,
    op: "lte",
    takesAnyOp: false,
    takes: ["alertingWindow", "lastsFor"],
  },
  budgetDrop: { isTime: false, op: "gte", takesAnyOp: false, takes: ["alertingWindow"] },
}

const condition: Rule<Condition> = objectOf((reader) => {
  const measurement = reader.required("measurement", oneOf(measurements))
  const alertingWindow = reader.optional("alertingWindow", alertingWindowText)
  const lastsFor = reader.optional("lastsFor", lastsForText)
  // What a value and an operator may be depends on the measurement: without it they are let be.
  reader.valueOf("value")
  reader.valueOf("op")
  if (measurement === undefined) return undefined
  const shape = shapeByMeasurement[measurement]
  const value = reader.required<number | string>("value", shape.isTime ? timeValue : numberValue)
  const op = reader.has("op")
    ? reader.optional("op", oneOf(shape.takesAnyOp ? operators : [shape.op]))
    : shape.op
  checkTimes(reader, measurement, shape.takes)
  if (value === undefined || op === undefined) return undefined
  return {
    measurement,
    value,
    op,
    ...(alertingWindow !== undefined && { alertingWindow }),
    ...(lastsFor !== undefined && { lastsFor }),
  }
})

const checkTimes = (
  reader: ObjectReader,
  measurement: Measurement,
  takes: ReadonlyArray<"alertingWindow" | "lastsFor">,
): void => {
  const { issues } = reader
  const given = (["alertingWindow", "lastsFor"] as const).filter((name) => reader.has(name))
  for (const name of given.filter((each) => !takes.includes(each))) {
    issues.add(
      reader.at(name),
      "not_allowed_value",
      `is not for ${measurement}, which takes ${takes.join(" or ")}`,
    )
  }
  if (given.length === 2) {
    issues.add(reader.path, "mutually_exclusive", "must have either alertingWindow or lastsFor, not both")
  }
  if (given.length === 0 && !takes.includes("lastsFor")) {
    issues.add(reader.at("alertingWindow"), "required", `is required for ${measurement}`)
  }
}

const numberValue = number((value) => value >= 0, "must be a number of at least 0")

const timeValue = durationOf((ms) => ms > 0, "must be a duration of more than 0")

const lastsForText = durationOf((ms) => ms >= 0, "must be a duration of at least 0")

const coolDownText = durationOf(
  (ms) => ms >= Limits.coolDownMinMs,
  `must be at least ${Limits.coolDownMinMs / 60_000} minutes`,
)

const alertingWindowText = durationOf(
  (ms) => ms >= Limits.alertingWindowMinMs && ms <= Limits.alertingWindowMaxMs && ms % 60_000 === 0,
  `must be whole minutes, at least ${Limits.alertingWindowMinMs / 60_000} minutes and at most ${Limits.alertingWindowMaxMs / 3_600_000} hours`,
)

/** Each alert method once, since each entry would ring it. */
const alertMethodList = (project: string): Rule<ReadonlyArray<ProjectKey>> =>
  distinctListOf(alertMethodReference(project), projectKeyText, { at: "metadata.name" })

const alertMethodReference = (project: string): Rule<ProjectKey> =>
  objectOf((reader) => reader.required("metadata", projectKey(Limits.nameMaxCharacters, project)))
