import type { OrganizationId } from "../metadata/ObjectKey.ts"
import type { Role } from "./Role.ts"

/** A client's right to use the API of one organization; its secret is kept nowhere. Source: decision 0701. */
export interface Credential {
  readonly organization: OrganizationId
  readonly clientId: string
  readonly role: Role
  /** What `hashClientSecret` makes of the secret. */
  readonly secretHash: string
  readonly isDisabled: boolean
  /** Unix milliseconds. */
  readonly createdAt: number
}
