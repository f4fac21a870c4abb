import { type AlertPolicy, alertPolicyKind } from "../alert-policy/AlertPolicy.ts"
import { type PolicyReach, policyReach } from "../alert-policy/PolicyReach.ts"
import type { Warning } from "../codec/Warning.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { sloKind } from "../slo/SloKind.ts"
import type { WarningContext, WarningRule } from "./WarningRule.ts"

const code = "notifies_nobody"

/** Alerts of a policy without alert methods, or with disabled and paused ones only, are only on the list of alerts. */
export const notifiesNobody = (policy: AlertPolicy, context: WarningContext): ReadonlyArray<Warning> => {
  const message = policyMessages[reachIn(policy, context)]
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

const reachIn = (policy: AlertPolicy, { stoppedMethods }: WarningContext): PolicyReach =>
  policyReach(policy, (method) => stoppedMethods?.has(projectKeyText(method)) === true)

const policyMessages: Readonly<Record<PolicyReach, string | undefined>> = {
  notifies: undefined,
  no_methods: "is empty, so alerts of this policy notify nobody. Add alert methods",
  stopped:
    "has only alert methods that are disabled or paused, so alerts of this policy notify nobody. Enable or resume one of them, or add another one",
}

const reasons: Readonly<Record<PolicyReach, string | undefined>> = {
  notifies: undefined,
  no_methods: "it has no alert methods. Add alert methods to it",
  stopped: "all of its alert methods are disabled or paused. Enable or resume one of them",
}
