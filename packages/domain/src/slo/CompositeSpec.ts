import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { durationOf } from "../codec/Duration.ts"
import { nameOf, readProject } from "../metadata/Metadata.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { distinctListOf, number, oneOf, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import {
  type BudgetingMethod,
  type BurnRateCondition,
  burnRateOperators,
  type Component,
  type CompositeObjective,
  type CompositeOverObjectives,
  whenDelayedValues,
} from "./Slo.ts"

/** A target: the share that is to be good. Source: decision 0602. */
export const target = number((value) => value >= 0 && value < 1, "must be at least 0 and less than 1")

/**
 * The property `composite` of an objective of the SLO `owner`; a component without a project is of the owner's.
 *
 * Source: decision 0519.
 */
export const compositeOfObjective = (owner: ProjectKey): Rule<CompositeObjective["composite"]> =>
  objectOf((reader) => {
    const maxDelay = reader.required("maxDelay", maxDelayText)
    const components = reader.required(
      "components",
      objectOf((inner) => inner.required("objectives", componentList(owner))),
    )
    return maxDelay === undefined || components === undefined ? undefined : { maxDelay, components }
  })

const maxDelayText = durationOf(
  (ms) => ms >= minuteMs && ms % minuteMs === 0,
  "must be whole minutes, at least 1 minute",
)

/** Each objective once, since a second entry is a weight that nobody sees. */
const componentList = (owner: ProjectKey): Rule<ReadonlyArray<Component>> =>
  distinctListOf(component(owner), ({ slo, objective }) => `${projectKeyText(slo)}/${objective}`, {
    min: 1,
    at: "objective",
  })

const weight = number(
  (value) => value > 0 && value <= Number.MAX_SAFE_INTEGER,
  `must be more than 0 and at most ${Number.MAX_SAFE_INTEGER}`,
)

const component = (owner: ProjectKey): Rule<Component> =>
  objectOf((reader) => {
    const project = readProject(reader, owner.project)
    const name = reader.required("slo", nameOf(Limits.sloNameMaxCharacters))
    const objective = reader.required("objective", nameOf(Limits.sloNameMaxCharacters))
    const weighs = reader.required("weight", weight)
    const whenDelayed = reader.required("whenDelayed", oneOf(whenDelayedValues))
    if (project === owner.project && name === owner.name) {
      return reader.issues.add(reader.at("slo"), "not_allowed_value", "must be another SLO than this one")
    }
    return project === undefined ||
      name === undefined ||
      objective === undefined ||
      weighs === undefined ||
      whenDelayed === undefined
      ? undefined
      : { slo: { project, name }, objective, weight: weighs, whenDelayed }
  })

/** The property `composite` of an SLO's spec, which is the older form. Source: decision 0520. */
export const compositeOverObjectives = (
  budgetingMethod: BudgetingMethod | undefined,
): Rule<CompositeOverObjectives> =>
  objectOf((reader) => {
    const { issues } = reader
    const wanted = reader.required("target", target)
    const condition = reader.optional("burnRateCondition", burnRateCondition)
    const at = reader.at("burnRateCondition")
    if (budgetingMethod === "Occurrences" && !reader.has("burnRateCondition")) {
      issues.add(at, "required", "is required for the budgeting method Occurrences")
    }
    if (budgetingMethod === "Timeslices" && reader.has("burnRateCondition")) {
      issues.add(at, "not_allowed_value", "is not for the budgeting method Timeslices")
    }
    return wanted === undefined
      ? undefined
      : { target: wanted, ...(condition !== undefined && { burnRateCondition: condition }) }
  })

const burnRateCondition: Rule<BurnRateCondition> = objectOf((reader) => {
  const value = reader.required("value", burnRateValue)
  const op = reader.required("op", oneOf(burnRateOperators))
  return value === undefined || op === undefined ? undefined : { value, op }
})

const burnRateValue = number(
  (value) => value >= 0 && value <= Limits.burnRateConditionMax,
  `must be at least 0 and at most ${Limits.burnRateConditionMax}`,
)
