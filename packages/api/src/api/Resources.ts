import { resends } from "../resends/Resends.ts"

/** The resources of the API. */
export const resources = { resends }

/** The operations of all resources. */
export type ApiOperations = Merged<(typeof resources)[keyof typeof resources]["operations"]>

type Merged<U> = (U extends unknown ? (operations: U) => void : never) extends (operations: infer I) => void
  ? I
  : never
