import { type AlertPolicy, alertPolicyKind } from "../alert-policy/AlertPolicy.ts"
import { methodsOfPolicy, methodsReach, type PolicyReach } from "../alert-policy/PolicyReach.ts"
import type { Warning } from "../codec/Warning.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { sloKind } from "../slo/SloKind.ts"
import type { WarningContext, WarningRule } from "./WarningRule.ts"

const code = "notifies_nobody"

/** Alerts of a policy without alert methods, or with disabled and paused ones only, are only on the list of alerts. */
export const notifiesNobody = (policy: AlertPolicy, context: WarningContext): ReadonlyArray<Warning> => {
  const message = messages("alerts of this policy")[reachIn(policy, context)]
  return message === undefined ? [] : [{ path: "spec.alertMethods", code, message }]
}

/** An SLO of which a policy notifies nobody. A policy of the same request has the warning itself. */
export const policiesNotifyNobody: WarningRule<typeof sloKind.kind> = ({ metadata, spec }, context) =>
  spec.alertPolicies.flatMap((name, index) => {
    const key: ProjectKey = { project: metadata.project, name }
    const policy = context.find(alertPolicyKind.kind, key)
    if (policy === undefined || context.isListed(alertPolicyKind.kind, key)) return []
    const reason = reasons[reachIn(policy, context)]
    const message = `names ${name}, whose alerts notify nobody, as ${reason}`
    return reason === undefined ? [] : [{ path: `spec.alertPolicies[${index}]`, code, message }]
  })

/** An SLO whose alerts about missing data notify nobody. */
export const noDataNotifiesNobody: WarningRule<typeof sloKind.kind> = ({ spec }, context) => {
  const methods = spec.anomalyConfig?.noData.alertMethods
  const message = methods && messages("alerts about missing data")[reachOf(methods, context)]
  return message === undefined ? [] : [{ path: "spec.anomalyConfig.noData.alertMethods", code, message }]
}

const reachIn = (policy: AlertPolicy, context: WarningContext): PolicyReach =>
  reachOf(methodsOfPolicy(policy), context)

const reachOf = (methods: ReadonlyArray<ProjectKey>, { stoppedMethods }: WarningContext): PolicyReach =>
  methodsReach(methods, (method) => stoppedMethods?.has(projectKeyText(method)) === true)

const messages = (alerts: string): Readonly<Record<PolicyReach, string | undefined>> => ({
  notifies: undefined,
  no_methods: `is empty, so ${alerts} notify nobody. Add alert methods`,
  stopped: `has only alert methods that are disabled, paused or without effect, so ${alerts} notify nobody. Enable or resume one of them, or add another one`,
})

const reasons: Readonly<Record<PolicyReach, string | undefined>> = {
  notifies: undefined,
  no_methods: "it has no alert methods. Add alert methods to it",
  stopped: "all of its alert methods are disabled, paused or without effect. Enable or resume one of them",
}
