import type { AddressPolicy } from "../alert-method/AddressPolicy.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { durationOf } from "../codec/Duration.ts"
import { description, nameOf, projectKey } from "../metadata/Metadata.ts"
import { objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { distinctListOf, listOf, oneOf, type Rule } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { compositeOverObjectives } from "./CompositeSpec.ts"
import { indicator } from "./Indicator.ts"
import { objectiveList } from "./ObjectiveSpec.ts"
import {
  type AnomalyConfig,
  budgetingMethods,
  isCompositeObjective,
  type Objective,
  type Slo,
} from "./Slo.ts"
import { timeWindow } from "./TimeWindowSpec.ts"

/**
 * The property `spec` of the SLO `owner`; what it names without a project is of its own.
 *
 * Source: contract section 2.2; decisions 0507, 0602 and 0517 to 0520.
 */
export const sloSpec = (owner: ProjectKey, addressPolicy: AddressPolicy): Rule<Slo["spec"]> =>
  objectOf((reader) => {
    const said = reader.optional("description", description)
    const service = reader.required("service", nameOf(Limits.nameMaxCharacters))
    const budgetingMethod = reader.required("budgetingMethod", oneOf(budgetingMethods))
    const timeWindows = reader.required("timeWindows", listOf(timeWindow, { min: 1, max: 1 }))
    const objectives = reader.required("objectives", objectiveList(owner, budgetingMethod))
    const composite = reader.optional("composite", compositeOverObjectives(budgetingMethod))
    const alertPolicies = reader.has("alertPolicies") ? reader.optional("alertPolicies", policyNames) : []
    const source = reader.optional("indicator", indicator(addressPolicy))
    const anomalyConfig = reader.optional("anomalyConfig", anomaly(owner.project))
    if (objectives !== undefined) checkObjectives(reader, objectives)
    const [window] = timeWindows ?? []
    if (
      service === undefined ||
      budgetingMethod === undefined ||
      window === undefined ||
      objectives === undefined ||
      alertPolicies === undefined
    ) {
      return undefined
    }
    return {
      ...(said !== undefined && { description: said }),
      service,
      budgetingMethod,
      timeWindow: window,
      objectives,
      ...(composite !== undefined && { composite }),
      alertPolicies,
      ...(source !== undefined && { indicator: source }),
      ...(anomalyConfig?.noData !== undefined && { anomalyConfig: { noData: anomalyConfig.noData } }),
    }
  })

/** What the SLO as a whole can have depends on its objectives. */
const checkObjectives = (reader: ObjectReader, objectives: ReadonlyArray<Objective>): void => {
  const { issues } = reader
  const hasComposite = objectives.some(isCompositeObjective)
  if (reader.has("composite") && (objectives.length < 2 || hasComposite)) {
    const message = "needs at least 2 objectives, none of them composite"
    issues.add(reader.at("composite"), "not_allowed_value", message)
  }
  if (reader.has("indicator") && objectives.every(isCompositeObjective)) {
    const message = "needs an objective that is not composite, whose counts it can be"
    issues.add(reader.at("indicator"), "not_allowed_value", message)
  }
}

const policyNames = distinctListOf(nameOf(Limits.nameMaxCharacters), (name) => name, {
  max: Limits.alertPoliciesPerSloMax,
})

/** The property `anomalyConfig`, which clients also write empty. */
const anomaly = (project: string): Rule<Partial<AnomalyConfig>> =>
  objectOf((reader) => {
    const noData = reader.optional("noData", noDataOf(project))
    return noData === undefined ? {} : { noData }
  })

const noDataOf = (project: string): Rule<AnomalyConfig["noData"]> =>
  objectOf((reader) => {
    const alertMethods = reader.required("alertMethods", alertMethodList(project))
    const alertAfter = reader.has("alertAfter") ? reader.optional("alertAfter", alertAfterText) : "15m"
    return alertMethods === undefined || alertAfter === undefined ? undefined : { alertMethods, alertAfter }
  })

const alertAfterText = durationOf(
  (ms) => ms >= Limits.noDataAlertAfterMinMs && ms <= Limits.noDataAlertAfterMaxMs,
  `must be at least ${Limits.noDataAlertAfterMinMs / 60_000} minutes and at most ${Limits.noDataAlertAfterMaxMs / 86_400_000} days`,
)

/** Each alert method once, since each entry would ring it. */
const alertMethodList = (project: string): Rule<ReadonlyArray<ProjectKey>> =>
  distinctListOf(projectKey(Limits.nameMaxCharacters, project), projectKeyText, { min: 1, at: "name" })
