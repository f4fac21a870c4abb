import type { Condition } from "../alert-policy/AlertPolicy.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Alert, AlertSubject, RecordedCondition } from "./Alert.ts"
import { conditionText } from "../alert-policy/ConditionText.ts"
import type { AlertContext } from "./NotifyAlert.ts"

/** What an alert keeps of its definitions, which may be changed or deleted later. */
export const recordOf = (
  { slo, service, policy }: Pick<AlertContext, "slo" | "service" | "policy">,
  subject: AlertSubject,
): Pick<Alert, "coolDown" | "service" | "objectiveValue" | "displayNames"> => {
  const objective = slo && objectivesOf(slo).find(({ name }) => name === subject.objective)
  const value = objective !== undefined && "value" in objective ? objective.value : undefined
  const displayNames = {
    ...named("slo", slo?.metadata.displayName),
    ...named("service", service?.metadata.displayName),
    ...named("objective", objective?.displayName),
    ...named("alertPolicy", policy?.metadata.displayName),
  }
  return {
    ...(policy !== undefined && { coolDown: policy.spec.coolDown.text }),
    ...(slo !== undefined && { service: slo.spec.service }),
    ...(value !== undefined && { objectiveValue: value }),
    ...(Object.keys(displayNames).length > 0 && { displayNames }),
  }
}

/** A condition, and since when it had been met (Unix milliseconds) if it has to last. */
export interface MetCondition {
  readonly condition: Condition
  readonly metSince: number | undefined
}

/** The texts and the parts of conditions; one that several groups have is listed once. */
export const conditionsRecord = (
  met: ReadonlyArray<MetCondition>,
): Pick<Alert, "conditions" | "policyConditions"> => {
  const byText = new Map(met.map((each) => [conditionText(each.condition), each]))
  return { conditions: [...byText.keys()], policyConditions: Array.from(byText.values(), partsOf) }
}

const partsOf = ({ condition, metSince }: MetCondition): RecordedCondition => {
  const { measurement, value, op, alertingWindow, lastsFor } = condition
  return {
    measurement,
    value: typeof value === "number" ? value : value.text,
    op,
    ...(alertingWindow !== undefined && { alertingWindow: alertingWindow.text }),
    ...(lastsFor !== undefined && { lastsFor: lastsFor.text }),
    ...(metSince !== undefined && { metSince }),
  }
}

const named = <K extends string>(key: K, displayName: string | undefined): { readonly [N in K]?: string } =>
  displayName === undefined ? {} : ({ [key]: displayName } as { readonly [N in K]: string })
