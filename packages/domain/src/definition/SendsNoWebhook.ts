import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { Warning } from "../codec/Warning.ts"
import type { WarningContext } from "./WarningRule.ts"

/** Alert methods of other types than webhook are stored, but are no definitions, and are passed over by alerts. */
export const sendsNoWebhook = ({ spec }: AlertPolicy, { find }: WarningContext): ReadonlyArray<Warning> =>
  spec.alertMethods.flatMap((method, index) =>
    find("AlertMethod", method) === undefined
      ? [
          {
            path: `spec.alertMethods[${index}]`,
            code: "unsupported" as const,
            message: `names ${method.name}, which is no webhook: alerts of this policy notify the other alert methods only`,
          },
        ]
      : [],
  )
