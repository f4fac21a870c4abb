import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { roleCovers, type Role } from "./Role.ts"

/** Who a request comes from, proved by a credential or by a token that was issued for one. */
export interface Access {
  readonly organization: OrganizationId
  readonly clientId: string
  readonly role: Role
}

/** Refuses an access whose role does not reach; fails with `RoleIsInsufficient`. Source: decision 0502. */
export const requireRole = (access: Access, needed: Role): Effect.Effect<void, RoleIsInsufficient> =>
  roleCovers(access.role, needed)
    ? Effect.void
    : Effect.fail(new RoleIsInsufficient({ held: access.role, needed }))

/** The token is good, but what is asked needs a higher role. Source: decision 0502. */
export class RoleIsInsufficient extends Data.TaggedError("RoleIsInsufficient")<{
  readonly held: Role
  readonly needed: Role
}> {}
