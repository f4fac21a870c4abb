import { alerts } from "../alerts/Alerts.ts"
import { resends } from "../resends/Resends.ts"
import { organizationKeys } from "../signing-keys/SigningKeys.ts"
import { counts } from "../slos/Counts.ts"

/** The resources of the API. */
export const resources = { alerts, counts, organizationKeys, resends }

/** The operations of all resources. */
export type ApiOperations = Merged<(typeof resources)[keyof typeof resources]["operations"]>

type Merged<U> = (U extends unknown ? (operations: U) => void : never) extends (operations: infer I) => void
  ? I
  : never
