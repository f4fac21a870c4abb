import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { AlertPolicy } from "./AlertPolicy.ts"

/** Whom the alerts of a policy notify: `no_methods` and `stopped` notify nobody, the latter as all alert methods are disabled, paused or stored without effect. */
export const policyReaches = ["notifies", "no_methods", "stopped"] as const

/** Whether the alerts of a policy notify anyone. */
export type PolicyReach = (typeof policyReaches)[number]

/** The alert methods of a policy, including those of its escalation steps. */
export const methodsOfPolicy = ({ spec }: Pick<AlertPolicy, "spec">): ReadonlyArray<ProjectKey> => [
  ...spec.alertMethods,
  ...(spec.then ?? []).flatMap(({ alertMethods }) => alertMethods),
]

/** Whether alerts that are sent to alert methods notify anyone; `isStopped` says of an alert method that it sends nothing now. */
export const methodsReach = (
  methods: ReadonlyArray<ProjectKey>,
  isStopped: (alertMethod: ProjectKey) => boolean,
): PolicyReach => {
  if (methods.length === 0) return "no_methods"
  return methods.every(isStopped) ? "stopped" : "notifies"
}
