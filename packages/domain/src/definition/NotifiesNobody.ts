import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { Warning } from "../codec/Warning.ts"

/** Alerts of a policy without alert methods are only on the list of alerts. */
export const notifiesNobody = ({ spec }: AlertPolicy): ReadonlyArray<Warning> =>
  spec.alertMethods.length > 0 || (spec.then ?? []).length > 0
    ? []
    : [
        {
          path: "spec.alertMethods",
          code: "notifies_nobody",
          message: "is empty, so alerts of this policy notify nobody. Add alert methods",
        },
      ]
